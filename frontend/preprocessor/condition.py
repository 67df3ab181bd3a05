"""The value of the expression after ``#if`` and ``#elif`` (C99 6.10.1): 64-bit integers."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from kcc.base.records import dataclass
from kcc.frontend.preprocessor.lexer import CHARACTER, IDENTIFIER, NUMBER, Token

MAX_CONDITION_DEPTH = 200
"""Parentheses and operators within each other; each level costs some stack."""

_INTEGER = re.compile(
    r"(?:0[xX](?P<hex>[0-9a-fA-F]+)|(?P<oct>0[0-7]*)|(?P<dec>[1-9][0-9]*))"
    r"(?P<suffix>[uU]?(?:ll|LL|[lL])?|(?:ll|LL|[lL])[uU])"
)

_PRECEDENCE = {
    "?": 1, "||": 2, "&&": 3, "|": 4, "^": 5, "&": 6, "==": 7, "!=": 7, "<": 8, ">": 8, "<=": 8,
    ">=": 8, "<<": 9, ">>": 9, "+": 10, "-": 10, "*": 11, "/": 11, "%": 11,
}  # fmt: skip

_ESCAPES = {
    "n": 10, "t": 9, "r": 13, "0": 0, "a": 7, "b": 8, "f": 12, "v": 11,
    "\\": 92, "'": 39, '"': 34, "?": 63,
}  # fmt: skip


class ConditionError(Exception):
    """The expression is wrong: ``token`` is where, None for its end."""

    def __init__(self, message: str, token: Token | None) -> None:
        super().__init__(message)
        self.message = message
        self.token = token


@dataclass(frozen=True, slots=True)
class _Value:
    number: int
    unsigned: bool = False

    @staticmethod
    def wrapped(number: int, unsigned: bool) -> _Value:
        number &= (1 << 64) - 1
        if not unsigned and number >> 63:
            number -= 1 << 64
        return _Value(number, unsigned)


def evaluate(tokens: Sequence[Token], is_defined: Callable[[str], bool]) -> int:
    """The value of an expression whose macros are expanded; names left over count as 0.

    Raises :class:`ConditionError`.
    """
    parser = _ConditionParser(tokens, is_defined)
    value = parser.binary(1, evaluated=True)
    if parser.current is not None:
        raise ConditionError("expected an operator", parser.current)
    return value.number


class _ConditionParser:
    def __init__(self, tokens: Sequence[Token], is_defined: Callable[[str], bool]) -> None:
        self._tokens = tokens
        self._index = 0
        self._depth = 0
        self._is_defined = is_defined

    @property
    def current(self) -> Token | None:
        return self._tokens[self._index] if self._index < len(self._tokens) else None

    def _next(self) -> Token | None:
        token = self.current
        self._index += 1
        return token

    def _accept(self, value: str) -> bool:
        token = self.current
        if token is None or token.value != value:
            return False
        self._index += 1
        return True

    def _expect(self, value: str, message: str) -> None:
        if not self._accept(value):
            raise ConditionError(message, self.current)

    def binary(self, least: int, *, evaluated: bool) -> _Value:
        """Operators that bind at least as tightly as ``least``; 1 is the conditional operator."""
        self._depth += 1
        if self._depth > MAX_CONDITION_DEPTH:
            raise ConditionError("the expression is nested too deeply", self.current)
        left = self._unary(evaluated=evaluated)
        while (token := self.current) is not None:
            level = _PRECEDENCE.get(token.value, 0)
            if level < least:
                break
            self._index += 1
            if level == 1:
                left = self._conditional(left, evaluated=evaluated)
                continue
            decided = (token.value == "||" and left.number != 0) or (
                token.value == "&&" and left.number == 0
            )
            right = self.binary(level + 1, evaluated=evaluated and not decided)
            left = _apply(token, left, right, evaluated=evaluated)
        self._depth -= 1
        return left

    def _conditional(self, condition: _Value, *, evaluated: bool) -> _Value:
        taken = condition.number != 0
        first = self.binary(1, evaluated=evaluated and taken)
        self._expect(":", "expected ':' of the conditional operator")
        second = self.binary(1, evaluated=evaluated and not taken)
        chosen = first if taken else second
        return _Value.wrapped(chosen.number, first.unsigned or second.unsigned)

    def _unary(self, *, evaluated: bool) -> _Value:
        operators: list[str] = []
        while (token := self.current) is not None and token.value in ("+", "-", "!", "~"):
            operators.append(token.value)
            self._index += 1
        value = self._primary(evaluated=evaluated)
        for operator in reversed(operators):
            if operator == "-":
                value = _Value.wrapped(-value.number, value.unsigned)
            elif operator == "~":
                value = _Value.wrapped(~value.number, value.unsigned)
            elif operator == "!":
                value = _Value(int(value.number == 0))
        return value

    def _primary(self, *, evaluated: bool) -> _Value:
        token = self._next()
        if token is None:
            raise ConditionError("expected a value", None)
        if token.value == "(":
            value = self.binary(1, evaluated=evaluated)
            self._expect(")", "expected ')'")
            return value
        if token.type == NUMBER:
            return _number(token)
        if token.type == CHARACTER:
            return _character(token)
        if token.type != IDENTIFIER:
            raise ConditionError("expected a value", token)
        if token.value == "defined":
            return self._defined()
        following = self.current
        if following is not None and following.value == "(":
            raise ConditionError(f"'{token.value}' is no macro that takes arguments", token)
        return _Value(0)

    def _defined(self) -> _Value:
        parenthesised = self._accept("(")
        name = self._next()
        if name is None or name.type != IDENTIFIER:
            raise ConditionError("expected a macro name after 'defined'", name)
        if parenthesised:
            self._expect(")", "expected ')' after 'defined('")
        return _Value(int(self._is_defined(name.value)))


def _number(token: Token) -> _Value:
    match = _INTEGER.fullmatch(token.value)
    if match is None:
        what = "a floating constant" if "." in token.value else f"'{token.value}'"
        raise ConditionError(f"{what} is no integer", token)
    digits, base = match["hex"], 16
    if digits is None:
        digits, base = (match["oct"], 8) if match["oct"] else (match["dec"], 10)
    if len(digits) > 64:
        raise ConditionError("the integer is too large", token)
    number = int(digits, base)
    if number >> 64:
        raise ConditionError("the integer is too large", token)
    unsigned = "u" in match["suffix"].lower() or number >> 63 != 0
    return _Value(number, unsigned)


def _character(token: Token) -> _Value:
    body = token.value[1:-1]
    if len(body) == 1 and body != "\\" and body.isascii():
        return _Value(ord(body))
    if len(body) == 2 and body[0] == "\\" and body[1] in _ESCAPES:
        return _Value(_ESCAPES[body[1]])
    if match := re.fullmatch(r"\\(?:x([0-9a-fA-F]{1,2})|([0-7]{1,3}))", body):
        code = int(match[1], 16) if match[1] else int(match[2], 8) & 255
        return _Value(code - 256 if code > 127 else code)  # char is signed (section 6.1.1)
    raise ConditionError(f"{token.value} is no character constant", token)


_COMPARE: dict[str, Callable[[int, int], bool]] = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    ">": lambda a, b: a > b,
    "<=": lambda a, b: a <= b,
    ">=": lambda a, b: a >= b,
    "||": lambda a, b: a != 0 or b != 0,
    "&&": lambda a, b: a != 0 and b != 0,
}

_COMPUTE: dict[str, Callable[[int, int], int]] = {
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "&": lambda a, b: a & b,
    # C says nothing of counts from 64 on; clang shifts everything out.
    "<<": lambda a, b: a << b if 0 <= b < 64 else 0,
    ">>": lambda a, b: a >> (b if 0 <= b < 64 else 63),
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
}


def _apply(operator: Token, left: _Value, right: _Value, *, evaluated: bool) -> _Value:
    name = operator.value
    if name in ("||", "&&"):
        return _Value(int(_COMPARE[name](left.number, right.number)))
    unsigned = left.unsigned or right.unsigned
    if name in ("<<", ">>"):
        return _Value.wrapped(_COMPUTE[name](left.number, right.number), left.unsigned)
    a = _Value.wrapped(left.number, unsigned).number
    b = _Value.wrapped(right.number, unsigned).number
    if name in _COMPARE:
        return _Value(int(_COMPARE[name](a, b)))
    if name in _COMPUTE:
        return _Value.wrapped(_COMPUTE[name](a, b), unsigned)
    if b == 0:
        if evaluated:
            raise ConditionError("division by zero", operator)
        return _Value(0, unsigned)
    quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    return _Value.wrapped(quotient if name == "/" else a - quotient * b, unsigned)
