"""Declarations: specifiers, declarators, records; recovery between the members of a record.

pycparser's methods build the nodes; here are the parts that differ: attributes in every position,
no implicit ``int``, no C11 and C23, messages, and continuing after a fault.
"""

from __future__ import annotations

from typing import Any, NoReturn, NotRequired, TypedDict, cast

from pycparser import c_ast

from kcc.frontend.grammar.expressions import ExpressionParser
from kcc.frontend.grammar.reader import (
    MAX_CHAIN,
    MAX_NESTING,
    NOT_A_TYPE,
    VECTOR_TYPE,
    SyntaxFault,
)
from kcc.frontend.keywords import FOREIGN_WORDS
from kcc.frontend.preprocessor.lexer import Token, report_at
from kcc.frontend.preprocessor.token_feed import RawAttribute

_STORAGE = frozenset({"AUTO", "REGISTER", "STATIC", "EXTERN", "TYPEDEF"})
_BASE_TYPES = frozenset(
    {"VOID", "_BOOL", "CHAR", "SHORT", "INT", "LONG", "FLOAT", "DOUBLE", "SIGNED", "UNSIGNED"}
)
_RECORDS = frozenset({"STRUCT", "UNION"})
_NEXT_DECLARATION = frozenset(_STORAGE | _BASE_TYPES | _RECORDS | {"INLINE", "ENUM", "CONST"})
"""What begins a new declaration when it stands on a new line after the body of a record."""

BRACES = {"LBRACE": 1, "RBRACE": -1}
_DECLARATION_START = (
    _STORAGE | _BASE_TYPES | _RECORDS
    | {"INLINE", "CONST", "RESTRICT", "VOLATILE", "ENUM", "TYPEID"}
)  # fmt: skip


class DeclSpec(TypedDict):
    """Declaration specifiers as pycparser keeps them."""

    qual: list[str]
    storage: list[str]
    type: list[c_ast.Node]
    function: list[str]
    alignment: list[c_ast.Node]
    type_attributes: list[RawAttribute]


class DeclInfo(TypedDict):
    """A declarator as pycparser keeps it, and the attributes after it."""

    decl: c_ast.Node | None
    init: NotRequired[c_ast.Node | None]
    bitsize: NotRequired[c_ast.Node | None]
    attributes: NotRequired[list[RawAttribute]]


class DeclarationParser(ExpressionParser):
    """Declarations of all kinds, wherever they stand."""

    def _parse_function_definition(self, spec: DeclSpec, decl: c_ast.Node) -> c_ast.Node:
        if not isinstance(decl, c_ast.FuncDecl):
            self._fail("expected ';' after the declaration")
        return super()._parse_function_definition(spec, decl)

    def _fail_if_unknown_type(self, token: Token) -> None:
        """``token`` is a name: fail if what follows shows that it was meant as a type."""
        following = self._list[self._at + 1]
        kind = "" if following is None else following.type
        if kind not in ("ID", "TYPEID", "TIMES"):
            return
        if token.value in FOREIGN_WORDS:
            dialect = FOREIGN_WORDS[token.value]
            self._fail(f"'{token.value}' is {dialect}, not OpenCL C 1.2", token, code="K230")
        self._fail_unknown_type(token)

    def _fail_unknown_type(self, token: Token) -> NoReturn:
        message = f"unknown type name '{token.value}'"
        fault = SyntaxFault(self._at, "K211", message, token.span, token.notes)
        fault.name = token.value
        raise fault

    def _fail_no_type(self) -> NoReturn:
        token = self._peek()
        if token is not None and token.type == "ID":
            self._fail_if_unknown_type(token)
            following = self._peek_type(2)
            if following in ("COMMA", "RPAREN") and self._peek_type(0) in ("LPAREN", "COMMA"):
                self._fail_unknown_type(token)
            self._fail(f"the type of '{token.value}' is missing", token, code="K212")
        self._fail("expected a type", code="K212")

    # specifiers

    def _starts_declaration(self, tok: Any = None) -> bool:
        token = tok or self._peek()
        return token is not None and token.type in _DECLARATION_START

    def _parse_specifiers(
        self, *, allow_storage_and_function: bool
    ) -> tuple[DeclSpec | None, bool, Any]:
        spec: DeclSpec = {
            "qual": [], "storage": [], "type": [], "function": [], "alignment": [],
            "type_attributes": [],
        }  # fmt: skip
        start = self._at
        saw_type = False
        while (token := self._peek()) is not None:
            kind = token.type
            if saw_type and kind in _NEXT_DECLARATION and self._ends_record(spec):
                break  # its semicolon is missing
            if kind in ("CONST", "RESTRICT", "VOLATILE"):
                spec["qual"].append(token.value)
            elif kind in _BASE_TYPES or (kind == "TYPEID" and not saw_type):
                spec["type"].append(c_ast.IdentifierType([token.value], token))
                saw_type = True
            elif kind in _RECORDS or kind == "ENUM":
                parse = self._parse_enum_specifier
                if kind in _RECORDS:
                    parse = self._parse_struct_or_union_specifier
                spec["type"].append(parse())
                saw_type = True
                continue
            elif kind in _STORAGE or kind == "INLINE":
                self._check_storage(token, allowed=allow_storage_and_function)
                spec["storage" if kind in _STORAGE else "function"].append(token.value)
            else:
                break
            self._at += 1
        if self._at == start:
            return None, False, None
        spec["type_attributes"] = self._take_attributes(start, self._at)
        return spec, saw_type, self._list[start]

    def _ends_record(self, spec: DeclSpec) -> bool:
        """Whether the last specifier has a body and the current token begins another line."""
        last = spec["type"][-1]
        return (
            isinstance(last, (c_ast.Struct, c_ast.Union, c_ast.Enum))
            and self._peek_type(0) == "RBRACE"
            and self._starts_line(self._at)
        )

    def _check_storage(self, token: Token, *, allowed: bool) -> None:
        if not allowed:
            self._fail(f"'{token.value}' cannot stand here", token, code="K213")
        if token.type in ("AUTO", "REGISTER"):
            message = f"OpenCL C has no storage class '{token.value}'"
            report_at(self._sink, token, "K213", message)

    def _parse_declaration_specifiers(
        self,
        allow_no_type: bool = False,  # noqa: ARG002 - pycparser's
    ) -> tuple[DeclSpec, bool, Any]:
        """Implicit ``int`` is not in C99, whatever ``allow_no_type`` says."""
        spec, saw_type, first = self._parse_specifiers(allow_storage_and_function=True)
        if spec is None or not saw_type:
            self._fail_no_type()
        return spec, saw_type, first

    def _parse_specifier_qualifier_list(self) -> DeclSpec:
        spec, saw_type, _ = self._parse_specifiers(allow_storage_and_function=False)
        if spec is None or not saw_type:
            self._fail_no_type()
        return spec

    def _parse_decl_body_with_spec(
        self,
        spec: DeclSpec,
        saw_type: bool,  # noqa: ARG002 - always true here
    ) -> list[c_ast.Node]:
        if self._starts_declarator():
            infos = self._parse_init_declarator_list()
            return self._build_declarations(spec, infos, typedef_namespace=True)
        last = spec["type"][-1]
        if isinstance(last, (c_ast.Struct, c_ast.Union, c_ast.Enum)) and len(spec["type"]) == 1:
            node = c_ast.Decl(
                None,
                spec["qual"],
                [],
                spec["storage"],
                spec["function"],
                last,
                None,
                None,
                last.coord,
            )
            return [self._attach_type_attributes(node, spec)]
        if self._peek_type() != "SEMI":
            self._fail("expected the name of what is declared")
        assert isinstance(last.coord, Token)
        report_at(self._sink, last.coord, "K222", "this declares nothing")
        return []

    def _attach_type_attributes(self, decl: c_ast.Node, spec: DeclSpec) -> c_ast.Node:
        self._record_attributes(decl, spec["type_attributes"])
        return decl

    # declarators

    def _parse_init_declarator(self, id_only: bool = False) -> DeclInfo:
        start = self._at
        declarator = self._parse_id_declarator() if id_only else self._parse_declarator()
        result: DeclInfo = {
            "decl": declarator,
            "attributes": self._take_attributes(start, self._at),
        }
        if self._accept("EQUALS"):
            result["init"] = self._parse_initializer()
        return result

    def _parse_struct_declarator(self) -> DeclInfo:
        start = self._at
        result = super()._parse_struct_declarator()
        result["attributes"] = self._take_attributes(start, self._at)
        width = result.get("bitsize")
        if width is not None:
            report_at(self._sink, width.coord, "K230", "OpenCL C has no bit-fields (section 6.9)")
        return result

    def _build_declarations(
        self, spec: DeclSpec, decls: list[DeclInfo], typedef_namespace: bool = False
    ) -> list[c_ast.Node]:
        result = super()._build_declarations(spec, decls, typedef_namespace)
        for info, node in zip(decls, result, strict=True):
            self._record_attributes(node, info.get("attributes", ()))
            initialiser = info.get("init")
            if initialiser is not None and isinstance(info["decl"], c_ast.FuncDecl):
                self._refuse_initialiser(initialiser, "a function")
            elif initialiser is not None and isinstance(node, c_ast.Typedef):
                self._refuse_initialiser(initialiser, "a typedef")
            made = any(a.name == "ext_vector_type" for a in self.attributes.get(node, ()))
            if isinstance(node, c_ast.Typedef) and (made or self._names_vector(node.type)):
                self._names[node.name] = VECTOR_TYPE
            node.coord = _name_of(node) or node.coord
        return result

    def _refuse_initialiser(self, initialiser: c_ast.Node, what: str) -> None:
        message = f"{what} cannot have a value: only variables can"
        report_at(self._sink, initialiser.coord, "K213", message)

    def _names_vector(self, declarator: c_ast.Node) -> bool:
        if not isinstance(declarator, c_ast.TypeDecl):
            return False
        base = declarator.type
        return (
            isinstance(base, c_ast.IdentifierType)
            and self._names.get(base.names[-1]) == VECTOR_TYPE
        )

    def _parse_declaration_end(self, decls: list[c_ast.Node]) -> list[c_ast.Node]:
        token = self._peek()
        last = decls[-1] if decls else None
        ends_in_head = isinstance(last, c_ast.Decl) and isinstance(last.type, c_ast.FuncDecl)
        if (
            last is not None
            and ends_in_head
            and len(self._shadowed) == 1
            and (token is None or token.type != "SEMI")
        ):
            fault = self._expected("SEMI")
            fault.message = "expected '{' or ';' after the head of the function"
            called = cast("Token", _name_of(last))
            if self._names.get(called.value) == NOT_A_TYPE:  # it shadows one
                fault.message = f"'{called.value}' is the name of a type: a function needs another"
                fault.span = called.span
            fault.loses_body = True
            raise fault
        self._finish_with_semicolon("after the declaration")
        return decls

    def _finish_with_semicolon(self, context: str) -> None:
        """A missing semicolon at a line's end is reported and taken as read."""
        if self._accept("SEMI"):
            return
        fault = self._expected("SEMI", context)
        token = self._peek()
        if token is None or token.type == "LBRACE":
            raise fault
        if not self._starts_line(self._at) and token.type != "RBRACE":
            raise fault
        self._report(fault, self._at - 1)

    def _parse_parameter_declaration(self) -> c_ast.Node:
        start = self._at
        node = super()._parse_parameter_declaration()
        self._record_attributes(node, self._take_attributes(start, self._at))
        return node

    def _parse_parameter_type_list(self) -> c_ast.ParamList:
        result = super()._parse_parameter_type_list()
        last = result.params[-1]
        if isinstance(last, c_ast.EllipsisParam):
            message = "OpenCL C has no functions of variable arguments (section 6.9)"
            report_at(self._sink, last.coord, "K230", message)
        return result

    def _parse_identifier_list(self) -> c_ast.Node:
        self._fail_no_type()

    def _parse_pointer(self) -> c_ast.Node | None:
        start = self._at
        result = super()._parse_pointer()
        if self._at - start > MAX_CHAIN:
            self._too_deep(MAX_CHAIN)
        return result

    def _parse_decl_suffixes(self, decl: c_ast.Node) -> c_ast.Node:
        count = 0
        while (kind := self._peek_type()) in ("LBRACKET", "LPAREN"):
            parse = self._parse_array_decl if kind == "LBRACKET" else self._parse_function_decl
            decl = self._type_modify_decl(decl, parse(decl))
            count += 1
            if count > MAX_NESTING:
                self._too_deep(MAX_NESTING)
        return decl

    def _parse_declarator_kind(self, kind: str, allow_paren: bool) -> c_ast.Node:
        self._enter()
        result = super()._parse_declarator_kind(kind, allow_paren)
        self._nesting -= 1
        return result

    # records and enumerations

    def _parse_struct_declaration_list(self) -> list[c_ast.Node]:
        result: list[c_ast.Node] = []
        while self._peek_type() not in (None, "RBRACE"):
            start = self._at
            try:
                result += self._parse_struct_declaration() or []
            except SyntaxFault as fault:
                if self._list[fault.index] is None:
                    raise
                self._report(fault, start)
                self._skip_member(start, fault.index)
        return result

    def _skip_member(self, start: int, fault: int) -> None:
        """Move after the member that went wrong: past its semicolon, or to the closing brace."""
        depth = sum(BRACES.get(t.type, 0) for t in self._list[start:fault] if t is not None)
        index = fault
        while (token := self._list[index]) is not None:
            depth += BRACES.get(token.type, 0)
            if depth < 0:
                break
            index += 1
            if not depth and token.type == "SEMI":
                break
        self._at = index

    def _parse_struct_or_union_specifier(self) -> c_ast.Node:
        start = self._at
        self._enter()
        node = super()._parse_struct_or_union_specifier()
        self._nesting -= 1
        assert isinstance(node, (c_ast.Struct, c_ast.Union))
        if node.decls is not None:
            self._record_attributes(node, self._take_attributes(start + 1, self._at))
        return node

    def _parse_enum_specifier(self) -> c_ast.Node:
        start = self._at
        node = super()._parse_enum_specifier()
        self._record_attributes(node, self._take_attributes(start + 1, self._at))
        return node


def _name_of(node: c_ast.Node) -> Any:
    """The token of the declared name; pycparser places pointers at their star."""
    inner = node
    while not isinstance(inner, c_ast.TypeDecl):
        inner = getattr(inner, "type", None)
        if inner is None:
            return None
    return inner.coord
