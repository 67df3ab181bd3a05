"""The top level of a source: declarations and functions, with recovery between them."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import NoReturn

from pycparser import c_ast

from kcc.base.diagnostics import DiagnosticSink, Span
from kcc.base.records import dataclass
from kcc.frontend.grammar.declarations import BRACES, DeclInfo
from kcc.frontend.grammar.reader import SyntaxFault
from kcc.frontend.grammar.statements import StatementParser
from kcc.frontend.keywords import KERNEL_WORDS
from kcc.frontend.preprocessor.lexer import report_at
from kcc.frontend.preprocessor.pragmas import left_over
from kcc.frontend.preprocessor.token_feed import TokenFeed


@dataclass(frozen=True, slots=True)
class Extent:
    """Where a declaration of file scope stands: its tokens from ``start`` up to ``end``, the first
    and the last place among them. ``name`` is what stands before its first parenthesis.
    """

    start: int
    end: int
    first: Span
    last: Span
    name: str
    is_kernel: bool

    def holds(self, place: Span) -> bool:
        """Whether a place of the source lies in it."""
        before = (self.first.line, self.first.column) <= (place.line, place.column)
        last = self.last.line, self.last.column + self.last.length
        return place.file == self.first.file and before and (place.line, place.column) <= last


class UnitParser(StatementParser):
    """The whole grammar; declarations of file scope that are ``skipped`` are passed over."""

    def __init__(
        self, feed: TokenFeed, sink: DiagnosticSink, skipped: Mapping[int, Extent] | None = None
    ) -> None:
        super().__init__(feed, sink)
        self.extents: list[Extent] = []
        self._skipped = skipped or {}

    def parse_unit(self) -> c_ast.FileAST:
        """Parse all tokens; faults go to the sink."""
        result = c_ast.FileAST(self._parse_translation_unit())
        self._report_left_over()
        return result

    def _report_left_over(self) -> None:
        """Attributes and unroll pragmas that nothing has taken."""
        for place in self._attribute_places:
            for raw in self._feed.attributes[place]:
                message = f"attribute '{raw.name.value}' has no effect here"
                report_at(self._sink, raw.name, "K221", message)
        said: set[str] = set()
        for pragma in (p for pragmas in self._feed.pragmas.values() for p in pragmas):
            fault = left_over(pragma)
            if fault and fault not in said:
                said.add(fault)
                report_at(self._sink, pragma, "K142", fault)

    def _parse_translation_unit(self) -> list[c_ast.Node]:
        """After a fault, what is no declaration is the rest of the body whose brace went wrong:
        nothing is said of it until a line starts with a declaration again."""
        result: list[c_ast.Node] = []
        lost = failed = False
        while (token := self._peek()) is not None:
            start = self._at
            if start in self._skipped:
                self._at = self._skipped[start].end
                self._take_attributes(start, self._at - 1)
                continue
            lost = lost and (token.span.column > 1 or not self._starts_declaration(token))
            try:
                result += self._parse_external_declaration()
            except SyntaxFault as fault:
                if not lost and not (failed and token.type == "LBRACE"):
                    self._report(fault, start)
                failed = True
                self._nesting = 0
                self._leave_scopes(1)
                if not fault.ends_function:
                    self._skip_declaration(start, fault.index)
                skipped = self._list[start : self._at]
                lost = lost or fault.loses_body
                lost = lost or any(t is not None and t.type in BRACES for t in skipped)
            self.extents.append(self._extent(start))
        return result

    def _extent(self, start: int) -> Extent:
        """Of what was read from ``start`` to here."""
        tokens = [t for t in self._list[start : self._at] if t is not None]
        calls = (a.value for a, b in pairwise(tokens) if b.type == "LPAREN")
        name = next((word for word in calls if word.isidentifier()), "")
        head = [t.value for t in tokens[:20]]
        head = head[: head.index(name)] if name in head else head
        is_kernel = any(word in KERNEL_WORDS for word in head)
        places = [t.span for t in tokens if t.span.file == tokens[0].span.file]
        return Extent(start, self._at, min(places), max(places), name, is_kernel)

    def _skip_declaration(self, start: int, fault: int) -> None:
        """Move after the declaration that began at ``start`` and went wrong at ``fault``."""
        depth = sum(BRACES.get(t.type, 0) for t in self._list[start:fault] if t is not None)
        index = fault
        while (token := self._list[index]) is not None:
            if index > start and token.value in KERNEL_WORDS and self._starts_line(index):
                break
            depth += BRACES.get(token.type, 0)
            index += 1
            if depth <= 0 and token.type in ("SEMI", "RBRACE"):
                following = self._list[index]
                kind = "" if following is None else following.type
                if kind == "LBRACE" or (token.type == "RBRACE" and kind in ("SEMI", "ID")):
                    continue  # the body of what was taken for a declaration, or a declarator
                break
        self._lose_names(start, index)
        self._at = index

    def _lose_names(self, start: int, end: int) -> None:
        """Remember what a declaration with errors may have declared as types."""
        first = self._list[start]
        if first is not None and first.type == "TYPEDEF":
            names = (token for token in self._list[start:end] if token is not None)
            self._lost_names.update(token.value for token in names if token.type == "ID")

    def _parse_external_declaration(self) -> list[c_ast.Node]:
        if self._accept("SEMI"):
            return []
        token = self._peek()
        if not self._starts_declaration(token):
            self._fail_no_declaration()
        spec, saw_type, _ = self._parse_declaration_specifiers()
        if self._peek_declarator_name_info()[0] != "ID":
            decls = self._parse_decl_body_with_spec(spec, saw_type)
            return self._parse_declaration_end(decls)
        start = self._at
        declarator = self._parse_id_declarator()
        attributes = self._take_attributes(start, self._at)
        if self._peek_type() == "LBRACE":
            function = self._parse_function_definition(spec, declarator)
            assert isinstance(function, c_ast.FuncDef)
            self._record_attributes(function.decl, attributes)
            return [function]
        first: DeclInfo = {"decl": declarator, "attributes": attributes}
        if self._accept("EQUALS"):
            first["init"] = self._parse_initializer()
        declarators = self._parse_init_declarator_list(first=first)
        decls = self._build_declarations(spec, declarators, typedef_namespace=True)
        return self._parse_declaration_end(decls)

    def _fail_no_declaration(self) -> NoReturn:
        token = self._peek()
        assert token is not None
        if token.type == "ID":
            self._fail_if_unknown_type(token)
            if self._peek_type(2) == "LPAREN":
                self._fail(
                    f"the type of '{token.value}' is missing",
                    token,
                    code="K212",
                    hint="functions have no implicit type 'int' in OpenCL C",
                )
        if token.type in ("RBRACE", "RPAREN", "RBRACKET"):
            self._fail(f"'{token.value}' closes nothing", token)
        self._fail("expected a declaration", token)
