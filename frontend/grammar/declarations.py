"""Declarations: specifiers, declarators, records and the top level, with recovery between them.

pycparser's methods build the nodes; here are the parts that differ: attributes in every position,
no implicit ``int``, no C11 and C23, messages, and going on behind a fault.
"""

from __future__ import annotations

from typing import Any

from pycparser import c_ast
from pycparser.c_parser import _DeclInfo, _DeclSpec

from kcc.frontend.grammar.expressions import ExpressionParser
from kcc.frontend.grammar.reader import VECTOR_TYPE, SyntaxFault
from kcc.frontend.keywords import FOREIGN_KEYWORDS, KERNEL_WORDS
from kcc.frontend.lexer import Token

_STORAGE = frozenset({"AUTO", "REGISTER", "STATIC", "EXTERN", "TYPEDEF"})
_BASE_TYPES = frozenset(
    {"VOID", "_BOOL", "CHAR", "SHORT", "INT", "LONG", "FLOAT", "DOUBLE", "SIGNED", "UNSIGNED"}
)
_RECORDS = frozenset({"STRUCT", "UNION"})
_DECLARATION_START = (
    _STORAGE | _BASE_TYPES | _RECORDS
    | {"INLINE", "CONST", "RESTRICT", "VOLATILE", "ENUM", "TYPEID"}
)  # fmt: skip


class DeclarationParser(ExpressionParser):
    """Everything but statements."""

    # the top level

    def _parse_translation_unit(self) -> list[c_ast.Node]:
        result: list[c_ast.Node] = []
        while self._peek() is not None:
            start = self._at
            try:
                result += self._parse_external_declaration()
            except SyntaxFault as fault:
                self._report(fault)
                self._leave_scopes()
                self._skip_declaration(start, fault.index)
        return result

    def _leave_scopes(self) -> None:
        self._nesting = 0
        while len(self._shadowed) > 1:
            self._pop_scope()

    def _skip_declaration(self, start: int, fault: int) -> None:
        """Move behind the declaration that began at ``start`` and went wrong at ``fault``."""
        depth = 0
        index = start
        while (token := self._list[index]) is not None:
            kind = token.type
            if index > fault and token.value in KERNEL_WORDS and index > start:
                break
            index += 1
            if kind == "LBRACE":
                depth += 1
            elif kind == "RBRACE":
                depth -= 1
            if index > fault and depth <= 0 and kind in ("SEMI", "RBRACE"):
                following = self._list[index]
                if kind == "RBRACE" and following is not None and following.type == "SEMI":
                    index += 1
                break
        self._at = index

    def _parse_external_declaration(self) -> list[c_ast.Node]:
        if self._accept("SEMI"):
            return []
        token = self._peek()
        if not self._starts_declaration(token):
            self._fail_no_declaration()
        spec, saw_type, _ = self._parse_declaration_specifiers(allow_no_type=True)
        if not saw_type:
            self._fail_no_type(spec)
        name_type, _ = self._peek_declarator_name_info()
        if name_type != "ID":
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
        first: _DeclInfo = {"decl": declarator, "attributes": attributes}
        if self._accept("EQUALS"):
            first["init"] = self._parse_initializer()
        declarators = self._parse_init_declarator_list(first=first)
        decls = self._build_declarations(spec, declarators, typedef_namespace=True)
        return self._parse_declaration_end(decls)

    def _parse_function_definition(self, spec: _DeclSpec, decl: c_ast.Node) -> c_ast.Node:
        if not isinstance(decl, c_ast.FuncDecl):
            self._fail("expected ';' after the declaration")
        return super()._parse_function_definition(spec, decl)

    def _fail_no_declaration(self) -> None:
        token = self._peek()
        assert token is not None
        following = self._peek_type(2)
        if token.type == "ID":
            if token.value in FOREIGN_KEYWORDS:
                self._fail_foreign(token)
            if following in ("ID", "TIMES"):
                self._fail_unknown_type(token)
            if following == "LPAREN":
                self._fail(
                    f"the type of '{token.value}' is missing", token, code="K212",
                    hint="functions have no implicit type 'int' in OpenCL C",
                )
        if token.type in ("RBRACE", "RPAREN", "RBRACKET"):
            self._fail(f"'{token.value}' closes nothing", token)
        self._fail("expected a declaration", token)

    def _fail_foreign(self, token: Token) -> None:
        dialect = FOREIGN_KEYWORDS[token.value]
        self._fail(f"'{token.value}' is {dialect}, not OpenCL C 1.2", token, code="K230")

    def _fail_unknown_type(self, token: Token) -> None:
        if token.value in FOREIGN_KEYWORDS:
            self._fail_foreign(token)
        self._fail(f"unknown type name '{token.value}'", token, code="K211")

    def _fail_no_type(self, spec: _DeclSpec) -> None:
        token = self._peek()
        if token is not None and token.type == "ID" and self._peek_type(2) in ("ID", "TIMES"):
            self._fail_unknown_type(token)
        del spec
        self._fail("the type is missing in this declaration", code="K212")

    # specifiers

    def _starts_declaration(self, tok: Any = None) -> bool:
        token = tok or self._peek()
        return token is not None and token.type in _DECLARATION_START

    def _parse_specifiers(
        self, *, allow_storage_and_function: bool
    ) -> tuple[_DeclSpec | None, bool, Any]:
        spec: _DeclSpec = {
            "qual": [], "storage": [], "type": [], "function": [], "alignment": [],
            "type_attributes": [],
        }  # fmt: skip
        start = self._at
        saw_type = False
        while (token := self._peek()) is not None:
            kind = token.type
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
                if not allow_storage_and_function:
                    self._fail(f"'{token.value}' cannot stand here", token, code="K213")
                spec["storage" if kind in _STORAGE else "function"].append(token.value)
            else:
                break
            self._at += 1
        if self._at == start:
            return None, False, None
        spec["type_attributes"] = self._take_attributes(start, self._at)
        return spec, saw_type, self._list[start]

    def _parse_declaration_specifiers(
        self, allow_no_type: bool = False
    ) -> tuple[_DeclSpec, bool, Any]:
        spec, saw_type, first = self._parse_specifiers(allow_storage_and_function=True)
        if spec is None:
            token = self._peek()
            if token is not None and token.type == "ID":
                self._fail_unknown_type(token)
            self._fail("expected a type", code="K212")
        if not saw_type and not allow_no_type:
            self._fail_no_type(spec)
        return spec, saw_type, first

    def _parse_specifier_qualifier_list(self) -> _DeclSpec:
        spec, saw_type, _ = self._parse_specifiers(allow_storage_and_function=False)
        if spec is None or not saw_type:
            token = self._peek()
            if token is not None and token.type == "ID":
                self._fail_unknown_type(token)
            self._fail("expected a type", code="K212")
        return spec

    def _attach_type_attributes(self, decl: c_ast.Node, spec: _DeclSpec) -> c_ast.Node:
        self._record_attributes(decl, spec["type_attributes"])
        return decl

    # declarators

    def _parse_init_declarator(self, id_only: bool = False) -> _DeclInfo:
        start = self._at
        declarator = self._parse_id_declarator() if id_only else self._parse_declarator()
        result: _DeclInfo = {
            "decl": declarator,
            "attributes": self._take_attributes(start, self._at),
        }
        if self._accept("EQUALS"):
            result["init"] = self._parse_initializer()
        return result

    def _parse_struct_declarator(self) -> _DeclInfo:
        start = self._at
        result = super()._parse_struct_declarator()
        result["attributes"] = self._take_attributes(start, self._at)
        return result

    def _build_declarations(
        self, spec: _DeclSpec, decls: list[_DeclInfo], typedef_namespace: bool = False
    ) -> list[c_ast.Node]:
        result = super()._build_declarations(spec, decls, typedef_namespace)
        for info, node in zip(decls, result, strict=True):
            self._record_attributes(node, info.get("attributes", ()))
            if isinstance(node, c_ast.Typedef) and self._names_vector(node.type):
                self._names[node.name] = VECTOR_TYPE
        return result

    def _names_vector(self, declarator: c_ast.Node) -> bool:
        if not isinstance(declarator, c_ast.TypeDecl):
            return False
        base = declarator.type
        return (
            isinstance(base, c_ast.IdentifierType)
            and self._names.get(base.names[-1]) == VECTOR_TYPE
        )

    def _parse_declaration_end(self, decls: list[c_ast.Node]) -> list[c_ast.Node]:
        self._finish_with_semicolon("after the declaration")
        return decls

    def _finish_with_semicolon(self, context: str) -> None:
        """A missing semicolon at a line's end is reported and taken as read."""
        if self._accept("SEMI"):
            return
        fault = self._expected("SEMI", context)
        token = self._peek()
        if token is None or not (self._starts_line(self._at) or token.type == "RBRACE"):
            raise fault
        self._report(fault)

    def _parse_parameter_declaration(self) -> c_ast.Node:
        start = self._at
        node = super()._parse_parameter_declaration()
        self._record_attributes(node, self._take_attributes(start, self._at))
        return node

    def _parse_identifier_list(self) -> c_ast.Node:
        token = self._peek()
        if token is not None and token.type == "ID":
            self._fail_unknown_type(token)
        self._fail("expected the type of a parameter, or ')'")

    def _parse_declarator_kind(self, kind: str, allow_paren: bool) -> c_ast.Node:
        self._enter()
        result = super()._parse_declarator_kind(kind, allow_paren)
        self._nesting -= 1
        return result

    # records and enumerations

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
