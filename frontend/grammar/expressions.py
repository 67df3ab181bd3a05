"""Expressions of OpenCL C: C's (C99 6.5), vector literals and ``vec_step``.

Coordinates: assignment, binary, conditional and unary operators carry the operator's token, so
that a caret and a line number show the operation; all others carry their first token.
"""

from __future__ import annotations

from typing import NoReturn

from pycparser import c_ast

from kcc.frontend.grammar.reader import MAX_CHAIN, VECTOR_TYPE, TokenReader
from kcc.frontend.preprocessor.lexer import Token

_ASSIGNMENTS = frozenset(
    {"EQUALS", "XOREQUAL", "TIMESEQUAL", "DIVEQUAL", "MODEQUAL", "PLUSEQUAL", "MINUSEQUAL",
     "LSHIFTEQUAL", "RSHIFTEQUAL", "ANDEQUAL", "OREQUAL"}
)  # fmt: skip

_PRECEDENCE = {
    "LOR": 1, "LAND": 2, "OR": 3, "XOR": 4, "AND": 5, "EQ": 6, "NE": 6, "LT": 7, "GT": 7, "LE": 7,
    "GE": 7, "LSHIFT": 8, "RSHIFT": 8, "PLUS": 9, "MINUS": 9, "TIMES": 10, "DIVIDE": 10, "MOD": 10,
}  # fmt: skip

_PREFIX = frozenset({"PLUSPLUS", "MINUSMINUS", "AND", "TIMES", "PLUS", "MINUS", "NOT", "LNOT"})

_CONSTANTS = frozenset({"INT_CONST_DEC", "INT_CONST_HEX", "FLOAT_CONST", "CHAR_CONST"})


class ExpressionParser(TokenReader):
    """From the comma operator down to primary expressions."""

    def _parse_expression(self) -> c_ast.Node:
        expr = self._parse_assignment_expression()
        if self._peek_type() != "COMMA":
            return expr
        exprs = [expr]
        while self._accept("COMMA"):
            exprs.append(self._parse_assignment_expression())
        return c_ast.ExprList(exprs, expr.coord)

    def _parse_assignment_expression(self) -> c_ast.Node:
        left = self._parse_conditional_expression()
        token = self._list[self._at]
        if token is None or token.type not in _ASSIGNMENTS:
            return left
        self._at += 1
        self._enter()
        right = self._parse_assignment_expression()
        self._nesting -= 1
        return c_ast.Assignment(token.value, left, right, token)

    def _parse_conditional_expression(self) -> c_ast.Node:
        condition = self._parse_binary_expression()
        token = self._list[self._at]
        if token is None or token.type != "CONDOP":
            return condition
        self._at += 1
        if self._peek_type() == "COLON":
            self._fail(
                "'a ?: b' is GNU C: OpenCL C needs a value between '?' and ':'",
                token,
                code="K230",
                hint="write a ? a : b",
            )
        self._enter()
        first = self._parse_expression()
        self._expect("COLON", "of the conditional operator")
        second = self._parse_conditional_expression()
        self._nesting -= 1
        return c_ast.TernaryOp(condition, first, second, token)

    def _parse_binary_expression(
        self, min_prec: int = 0, lhs: c_ast.Node | None = None
    ) -> c_ast.Node:
        left = self._parse_cast_expression() if lhs is None else lhs
        count = 0
        while True:
            operator = self._list[self._at]
            level = _PRECEDENCE.get(operator.type, 0) if operator is not None else 0
            if operator is None or not level or level < min_prec:
                return left
            self._at += 1
            right = self._parse_cast_expression()
            following = self._list[self._at]
            if following is not None and _PRECEDENCE.get(following.type, 0) > level:
                right = self._parse_binary_expression(level + 1, right)
            left = c_ast.BinaryOp(operator.value, left, right, operator)
            count += 1
            if count > MAX_CHAIN:
                self._too_deep(MAX_CHAIN)

    def _parse_cast_expression(self) -> c_ast.Node:
        token = self._peek()
        if token is None:
            self._fail("expected an expression", code="K214")
        kind = token.type
        if kind == "ID" or kind in _CONSTANTS:
            return self._parse_suffixes(self._parse_primary_expression())
        self._enter()
        if kind == "LPAREN" and self._starts_declaration(self._peek(2)):
            result = self._parse_after_type(token)
        elif kind in _PREFIX:
            self._at += 1
            result = c_ast.UnaryOp(token.value, self._parse_cast_expression(), token)
        elif kind == "SIZEOF":
            self._at += 1
            result = self._parse_size_operator(token)
        else:
            result = self._parse_suffixes(self._parse_primary_expression())
        self._nesting -= 1
        return result

    def _parse_unary_expression(self) -> c_ast.Node:
        return self._parse_cast_expression()

    def _parse_after_type(self, opening: Token) -> c_ast.Node:
        """``(type)`` and what it belongs to: a cast, a compound literal or a vector literal."""
        self._at += 1
        type_name = self._parse_type_name()
        self._expect("RPAREN", "after the type")
        following = self._peek_type()
        if following == "LBRACE":
            init = self._parse_initializer()
            return self._parse_suffixes(c_ast.CompoundLiteral(type_name, init, [], opening))
        if (
            following == "LPAREN"
            and self._is_vector(type_name)
            and not self._starts_declaration(self._peek(2))
        ):
            return self._parse_suffixes(self._parse_vector_literal(type_name, opening))
        return c_ast.Cast(type_name, self._parse_cast_expression(), opening)

    def _is_vector(self, type_name: c_ast.Typename) -> bool:
        declarator = type_name.type
        if not isinstance(declarator, c_ast.TypeDecl):
            return False
        base = declarator.type
        return (
            isinstance(base, c_ast.IdentifierType)
            and self._names.get(base.names[-1]) == VECTOR_TYPE
        )

    def _parse_vector_literal(self, type_name: c_ast.Typename, opening: Token) -> c_ast.Node:
        """``(float4)(a, b)``: suffixes after it belong to the literal, not to its last part."""
        self._at += 1
        first = self._parse_assignment_expression()
        parts = [first]
        while self._accept("COMMA"):
            parts.append(self._parse_assignment_expression())
        self._expect("RPAREN")
        if len(parts) == 1 and not isinstance(first, c_ast.ExprList):
            return c_ast.Cast(type_name, first, opening)
        return c_ast.Cast(type_name, c_ast.ExprList(parts, first.coord), opening)

    def _parse_size_operator(self, operator: Token) -> c_ast.Node:
        """The operand of ``sizeof`` or ``vec_step``: a type in parentheses or an expression."""
        opening = self._peek()
        if (
            opening is None
            or opening.type != "LPAREN"
            or not self._starts_declaration(self._peek(2))
        ):
            return c_ast.UnaryOp(operator.value, self._parse_cast_expression(), operator)
        self._at += 1
        operand: c_ast.Node = self._parse_type_name()
        self._expect("RPAREN", "after the type")
        if self._peek_type() == "LBRACE":
            literal = c_ast.CompoundLiteral(operand, self._parse_initializer(), [], opening)
            operand = self._parse_suffixes(literal)
        return c_ast.UnaryOp(operator.value, operand, operator)

    def _parse_postfix_expression(self) -> c_ast.Node:
        return self._parse_suffixes(self._parse_primary_expression())

    def _parse_suffixes(self, expr: c_ast.Node) -> c_ast.Node:
        """Subscripts, calls, members and postfix operators after an operand."""
        count = 0
        while True:
            token = self._list[self._at]
            kind = "" if token is None else token.type
            if token is None or kind not in _SUFFIXES:
                return expr
            self._at += 1
            if kind == "LBRACKET":
                subscript = self._parse_expression()
                self._expect("RBRACKET")
                expr = c_ast.ArrayRef(expr, subscript, expr.coord)
            elif kind == "LPAREN":
                expr = c_ast.FuncCall(expr, self._parse_arguments(), expr.coord)
            elif kind in ("PERIOD", "ARROW"):
                expr = c_ast.StructRef(expr, token.value, self._parse_member(), expr.coord)
            else:
                expr = c_ast.UnaryOp("p" + token.value, expr, token)
            count += 1
            if count > MAX_CHAIN:
                self._too_deep(MAX_CHAIN)

    def _parse_arguments(self) -> c_ast.ExprList | None:
        """The arguments of a call, after its ``(``."""
        if self._accept("RPAREN"):
            return None
        first = self._parse_assignment_expression()
        arguments = [first]
        while self._accept("COMMA"):
            arguments.append(self._parse_assignment_expression())
        self._expect("RPAREN")
        return c_ast.ExprList(arguments, first.coord)

    def _parse_member(self) -> c_ast.ID:
        token = self._peek()
        if token is None or token.type not in ("ID", "TYPEID"):
            self._fail("expected the name of a member or vector component")
        self._at += 1
        return c_ast.ID(token.value, token)

    def _parse_primary_expression(self) -> c_ast.Node:
        token = self._peek()
        kind = None if token is None else token.type
        if token is None:
            self._fail("expected an expression", code="K214")
        if kind == "ID":
            self._at += 1
            if token.value == "vec_step" and self._peek_type() == "LPAREN":
                return self._parse_size_operator(token)
            return c_ast.ID(token.value, token)
        if kind in _CONSTANTS:
            self._at += 1
            return c_ast.Constant(self._feed.constants[token.value], token.value, token)
        if kind == "STRING_LITERAL":
            return self._parse_unified_string_literal()
        if kind == "BOOL_CONST":
            self._at += 1
            return c_ast.Constant("bool", token.value, token)
        if kind == "LPAREN":
            self._at += 1
            if self._peek_type() == "LBRACE":
                self._fail("statements in an expression are GNU C", token, code="K230")
            expr = self._parse_expression()
            self._expect("RPAREN")
            return expr
        return self._fail_expression(token)

    def _fail_expression(self, token: Token) -> NoReturn:
        """Say why ``token`` cannot begin an expression."""
        if token.type == "TYPEID":
            self._fail(
                f"expected an expression, but '{token.value}' is a type",
                token,
                hint=f"a conversion or vector is written ({token.value})(...)",
            )
        self._fail("expected an expression", token)


_SUFFIXES = frozenset({"LBRACKET", "LPAREN", "PERIOD", "ARROW", "PLUSPLUS", "MINUSMINUS"})
