"""The lowest layer of the parser: tokens by index, names in scope, faults, attributes and pragmas.

It replaces pycparser's token stream and scope tables by ones that are faster and that keep, beside
whether a name is a type, whether it is a vector type: ``(float4)(a, b).x`` needs to know.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Any, NoReturn

from pycparser import c_ast
from pycparser.c_lexer import CLexer
from pycparser.c_parser import CParser

from kcc.base.diagnostics import DiagnosticSink, Note, Span
from kcc.frontend.attributes import FOREIGN_ATTRIBUTES, Attribute, is_known
from kcc.frontend.keywords import (
    BUILTIN_TYPES,
    FOREIGN,
    FOREIGN_KEYWORDS,
    SPELLING,
    VECTOR_TYPES,
)
from kcc.frontend.preprocessor.lexer import Token, report_at, tidy
from kcc.frontend.preprocessor.token_feed import RawAttribute, TokenFeed, too_deep
from kcc.frontend.source_file import SourceFile

NOT_A_TYPE, TYPE, VECTOR_TYPE = 0, 1, 2
"""What a name in scope stands for."""

MAX_NESTING = 256
"""Levels of statements, expressions and declarators within each other."""

MAX_CHAIN = 1000
"""Operators, suffixes or ``else if`` in a row: each makes the tree one level deeper."""

_BUILTIN_SCOPE = {name: VECTOR_TYPE if name in VECTOR_TYPES else TYPE for name in BUILTIN_TYPES}

_CLOSERS = {"RPAREN": ("LPAREN", "("), "RBRACKET": ("LBRACKET", "["), "RBRACE": ("LBRACE", "{")}
_OPENERS = {opener: closer for closer, (opener, _) in _CLOSERS.items()}


class SyntaxFault(Exception):
    """One syntax error, not reported yet. Recovery starts at the token ``index``;
    ``ends_function`` says that this token begins something outside of the current function.
    ``culprit``: the token to blame, if it is another; ``name``: the unknown type it is about;
    ``loses_body``: what follows may be the body of a function without its brace.
    """

    def __init__(
        self,
        index: int,
        code: str,
        message: str,
        span: Span,
        notes: Sequence[Note] = (),
        hint: str | None = None,
    ) -> None:
        super().__init__(message)
        self.index = index
        self.code = code
        self.message = message
        self.span = span
        self.notes = tuple(notes)
        self.hint = hint
        self.ends_function = False
        self.loses_body = False
        self.culprit: Token | None = None
        self.name = ""


class _NoLexer(CLexer):
    """The tokens come as a list: there is nothing to lex."""

    filename = ""


class TokenReader(CParser):
    """Access to the tokens of a :class:`TokenFeed`, and what is known of names."""

    def __init__(self, feed: TokenFeed, sink: DiagnosticSink) -> None:
        super().__init__(lexer=_NoLexer)
        self._sink = sink
        self._feed = feed
        self._list: list[Token | None] = [*feed.tokens, None, None, None]
        self._at = 0
        self._names: dict[str, int] = dict(_BUILTIN_SCOPE)
        self._shadowed: list[list[tuple[str, int | None]]] = [[]]
        self._attribute_places = sorted(feed.attributes)
        self._nesting: int = 0
        self._bad_lines = {(d.span.file, d.span.line) for d in sink.errors if d.span}
        """Lines with errors already: more there are nearly always consequences."""
        self._bad_macros: set[tuple[SourceFile, int]] = set()
        """Places in macro definitions of which errors tell already, at another use."""
        self._lost_names: set[str] = set()
        """Names that declarations with errors may have declared as types."""
        self.attributes: dict[c_ast.Node, tuple[Attribute, ...]] = {}

    # tokens

    def _peek(self, k: int = 1) -> Token | None:
        token = self._list[self._at + k - 1]
        if token is not None and token.type in ("ID", "TYPEID"):
            token.type = "TYPEID" if self._names.get(token.value) else "ID"
        return token

    def _peek_type(self, k: int = 1) -> str | None:
        token = self._peek(k)
        return None if token is None else token.type

    def _advance(self) -> Token:
        token = self._peek()
        if token is None:
            self._fail("the source ends in the middle of something", code="K214")
        self._at += 1
        return token

    def _accept(self, token_type: str) -> Token | None:
        token = self._peek()
        if token is None or token.type != token_type:
            return None
        self._at += 1
        return token

    def _expect(self, token_type: str, context: str = "") -> Token:
        token = self._peek()
        if token is None or token.type != token_type:
            self._fail_expected(token_type, context)
        self._at += 1
        return token

    def _mark(self) -> int:
        return self._at

    def _reset(self, mark: int) -> None:
        self._at = mark

    def _tok_coord(self, tok: Token) -> Token:
        return tok

    # names

    def _push_scope(self) -> None:
        self._shadowed.append([])

    def _pop_scope(self) -> None:
        for name, meaning in reversed(self._shadowed.pop()):
            if meaning is None:
                del self._names[name]
            else:
                self._names[name] = meaning

    def _leave_scopes(self, kept: int) -> None:
        while len(self._shadowed) > kept:
            self._pop_scope()

    def _bind(self, name: str, meaning: int) -> None:
        self._shadowed[-1].append((name, self._names.get(name)))
        self._names[name] = meaning

    def _add_typedef_name(self, name: str, coord: Any) -> None:  # noqa: ARG002 - pycparser's
        self._bind(name, TYPE)

    def _add_identifier(self, name: str | None, coord: Any) -> None:  # noqa: ARG002 - pycparser's
        if name is not None and self._names.get(name):
            self._bind(name, NOT_A_TYPE)  # shadows a type; other names need no record

    def _is_type_in_scope(self, name: str) -> bool:
        return bool(self._names.get(name))

    # faults

    def _parse_error(self, msg: str, coord: Any) -> NoReturn:
        """What pycparser's own methods call; ``coord`` is a token or nothing of use."""
        text = _PYCPARSER_MESSAGES.get(msg, msg[:1].lower() + msg[1:])
        self._fail(text, coord if isinstance(coord, Token) else None)

    def _fail(
        self,
        message: str,
        token: Token | None = None,
        *,
        code: str = "K210",
        notes: Sequence[Note] = (),
        hint: str | None = None,
    ) -> NoReturn:
        """Raise a fault at ``token``, by default the current one."""
        token = token or self._peek()
        if token is not None:
            if token.type == FOREIGN:
                dialect = FOREIGN_KEYWORDS[token.value]
                message, code = f"'{token.value}' is {dialect}, not OpenCL C 1.2", "K230"
                notes, hint = (), None
            span, more = token.span, token.notes
        else:
            (span, more), code = self._end_of_previous(), "K214"
        raise SyntaxFault(self._at, code, message, span, (*notes, *more), hint)

    def _fail_expected(self, token_type: str, context: str = "") -> NoReturn:
        raise self._expected(token_type, context)

    def _expected(self, token_type: str, context: str = "") -> SyntaxFault:
        """The fault of a missing token: after the previous one, or before what stands there."""
        message = f"expected {SPELLING.get(token_type, token_type.lower())}"
        if context:
            message = f"{message} {context}"
        opener = self._unmatched(token_type) if token_type in _CLOSERS else None
        notes: tuple[Note, ...] = ()
        if opener is not None:
            notes = (Note(f"to match this '{opener.value}'", opener.span), *opener.notes)
        token = self._peek()
        if token is not None and token.type == FOREIGN:
            self._fail("", token)
        if token is None or token_type == "SEMI" or self._starts_line(self._at):
            span, more = self._end_of_previous()
        else:
            span, more = token.span, token.notes
        code = "K214" if token is None else "K210"
        notes = (*notes, *(note for note in more if note not in notes))
        fault = SyntaxFault(self._at, code, message, span, notes)
        if opener is not None and opener.origin is not None:
            fault.culprit = opener
        return fault

    def _starts_line(self, index: int) -> bool:
        """Whether the token at ``index`` stands on another line than the one before it."""
        token, previous = self._list[index], self._list[index - 1] if index else None
        if token is None or previous is None:
            return True
        a, b = token.span, previous.span
        return (a.file, a.line) != (b.file, b.line)

    def _end_of_previous(self) -> tuple[Span, tuple[Note, ...]]:
        previous = self._list[self._at - 1] if self._at else None
        if previous is None:
            first = self._list[0]
            return (first.span, first.notes) if first is not None else (Span("", 0), ())
        return previous.end_span, previous.notes

    def _unmatched(self, closer: str) -> Token | None:
        """The opening bracket before here that ``closer`` would close."""
        wanted = _CLOSERS[closer][0]
        depth = 0
        for index in range(self._at - 1, -1, -1):
            token = self._list[index]
            assert token is not None
            if token.type in _CLOSERS:
                depth += 1
            elif token.type in _OPENERS:
                if not depth:
                    return token if token.type == wanted else None
                depth -= 1
        return None

    def _after_parentheses(self, opening: int) -> int | None:
        """The index after the ``)`` of the ``(`` at ``opening``; None if a brace comes first."""
        depth = 0
        for index in range(opening, len(self._list)):
            token = self._list[index]
            if token is None or token.type in ("LBRACE", "RBRACE"):
                return None
            depth += (token.type == "LPAREN") - (token.type == "RPAREN")
            if not depth:
                return index + 1
        return None

    def _report(self, fault: SyntaxFault, start: int) -> None:
        """Report the fault of what began at the token ``start``, unless it is a consequence."""
        if self._bad_lines and self._follows_bad_line(fault.span, start):
            return
        if fault.name in self._lost_names:
            return
        token = fault.culprit or self._list[fault.index]
        if token is not None and token.origin is not None:
            place = token.file, token.offset
            if place in self._bad_macros:
                return
            self._bad_macros.add(place)
        message = tidy(fault.message)
        self._sink.report(fault.code, message, fault.span, notes=fault.notes, hint=fault.hint)

    def _follows_bad_line(self, span: Span, start: int) -> bool:
        first = self._list[start]
        line = span.line if first is None else first.span.line
        if line > span.line or (first is not None and first.span.file != span.file):
            line = span.line
        return any((span.file, n) in self._bad_lines for n in range(line, span.line + 1))

    def _enter(self) -> None:
        """One level deeper; the caller lowers ``_nesting`` again when it is through."""
        self._nesting += 1
        if self._nesting > MAX_NESTING:
            self._too_deep()

    def _too_deep(self, limit: int = MAX_NESTING) -> NoReturn:
        token = self._peek() or self._list[self._at - 1]
        assert token is not None
        raise too_deep(token, self._sink, limit)

    # attributes

    def _take_attributes(self, first: int, last: int) -> list[RawAttribute]:
        """Attributes before the tokens ``first`` to ``last`` that nothing has taken yet."""
        places = self._attribute_places
        if not places:
            return []
        low, high = bisect_left(places, first), bisect_right(places, last)
        taken = [raw for place in places[low:high] for raw in self._feed.attributes[place]]
        del places[low:high]
        return taken

    def _record_attributes(self, node: c_ast.Node, raw: Sequence[RawAttribute]) -> None:
        """Keep attributes for a node, after those it has."""
        if raw:
            resolved = tuple(self._resolve_attribute(one) for one in raw)
            self.attributes[node] = (*self.attributes.get(node, ()), *resolved)

    def _resolve_attribute(self, raw: RawAttribute) -> Attribute:
        name = raw.name.value
        if name.startswith("__") and name.endswith("__") and len(name) > 4:
            name = name[2:-2]
        if name in FOREIGN_ATTRIBUTES:
            message = f"the attribute '{name}' makes types that OpenCL C 1.2 does not have"
            report_at(self._sink, raw.name, "K230", message)
        elif not is_known(name):
            report_at(self._sink, raw.name, "K221", f"attribute '{name}' is unknown and ignored")
            return Attribute(name, (), raw.name.span)
        arguments = [self._parse_attribute_argument(tokens) for tokens in raw.arguments]
        return Attribute(name, tuple(a for a in arguments if a is not None), raw.name.span)

    def _parse_attribute_argument(self, tokens: Sequence[Token]) -> c_ast.Node | None:
        """An argument is a type or a constant expression; it is read like a source of its own."""
        saved = self._list, self._at
        self._list, self._at = [*tokens, None, None, None], 0
        try:
            if self._starts_declaration():
                node: c_ast.Node = self._parse_type_name()
            else:
                node = self._parse_constant_expression()
            if self._peek() is not None:
                self._fail("expected ',' or ')' in the attribute")
        except SyntaxFault as fault:
            self._report(fault, 0)
            return None
        finally:
            self._list, self._at = saved
        return node

    def _parse_attribute_specifier_sequence(self) -> list[Any]:
        return []  # C23's [[...]] has no place in OpenCL C

    def _parse_pppragma_directive_list(self) -> list[c_ast.Node]:
        return []  # the feed has taken pragmas out


_PYCPARSER_MESSAGES = {
    "Invalid declarator": "expected the name of what is declared",
    "Invalid declaration": "this declares nothing",
    "Missing type in declaration": "the type is missing",
    "Invalid multiple types specified": "two types stand where there can be one",
    "Invalid struct/union declaration": "expected a name or '{'",
    "Invalid abstract declarator": "this is no type",
    "Invalid storage class for a parameter": "a parameter cannot be a typedef",
    "Ellipsis-only parameter lists require C23": "expected the type of a parameter, or ')'",
    "Invalid typedef": "a function definition cannot be a typedef",
    "Expected identifier": "expected a name",
}
