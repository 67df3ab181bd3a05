"""Values and types of literals (C99 6.4.4, 6.4.5; OpenCL C 1.2, section 6.1.1)."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import cache

from pycparser import c_ast

from kcc.base.diagnostics import Span
from kcc.frontend.sema.context import Context
from kcc.frontend.sema.numbers import in_range, round_float, round_fraction
from kcc.frontend.sema.values import SCALARS, array_of, value_type
from kcc.frontend.tree import Constant, Expr, StringLiteral
from kcc.frontend.types import CHAR, INT, AddressSpace, QualType, ScalarKind

_ESCAPES = {
    "a": 7, "b": 8, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11, "e": 27,
}  # fmt: skip

_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]+)|([0-7]{1,3})|(.))", re.DOTALL)

_PIECE = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)


def literal(context: Context, node: c_ast.Constant) -> Expr | None:
    """A number, a character or a string."""
    text = node.value
    if node.type == "string":
        return string_literal(context, node)
    if node.type == "char":
        return Constant(value_type(INT), context.span(node), _character(text))
    if node.type == "bool":
        return Constant(value_type(INT), context.span(node), int(text == "true"))
    if node.type in ("float", "double", "half"):
        return _floating(context, node)
    return _integer(context, node)


def _integer(context: Context, node: c_ast.Constant) -> Constant | None:
    found = _parse_integer(node.value)
    if found is None:
        shown = node.value if len(node.value) <= MAX_DIGITS else f"{node.value[:20]}..."
        context.report("K385", f"{shown} does not fit in 64 bits", node)
        return None
    type_, value = found
    return Constant(type_, context.span(node), value)


MAX_DIGITS = 64
"""More digits than 64 bits have in any base; Python itself reads 4,300 decimal ones at most."""


@cache
def _parse_integer(text: str) -> tuple[QualType, int] | None:
    """The first type of the list of C99 6.4.4.1 that holds the value."""
    digits = text.rstrip("uUlL")
    suffix = text[len(digits) :].lower()
    decimal = not digits.startswith("0")
    if len(digits.lstrip("0xX")) > MAX_DIGITS:
        return None
    value = int(digits, 10 if decimal else 16 if digits[:2].lower() == "0x" else 8)
    kinds = [ScalarKind.INT, ScalarKind.UINT, ScalarKind.LONG, ScalarKind.ULONG]
    if "l" in suffix:
        kinds = kinds[2:]
    if "u" in suffix:
        kinds = [kind for kind in kinds if not kind.signed]
    elif decimal:
        kinds = [kind for kind in kinds if kind.signed]
    for kind in (*kinds, ScalarKind.ULONG):
        if in_range(kind, value):
            return value_type(SCALARS[kind]), value
    return None


def _floating(context: Context, node: c_ast.Constant) -> Constant | None:
    """Rounded once, from the digits as written."""
    kind = _floating_kind(context, node)
    if kind is None:
        return None
    value = parse_float(
        node.value.rstrip("fFhHlL") if _is_decimal(node.value) else node.value, kind
    )
    return Constant(value_type(SCALARS[kind]), context.span(node), value)


def _floating_kind(context: Context, node: c_ast.Constant) -> ScalarKind | None:
    if node.type == "half":
        if not context.half_arithmetic:
            context.report("K317", "a half literal needs the extension cl_khr_fp16", node)
            return None
        return ScalarKind.HALF
    if node.type == "float" or context.options.single_precision_constant:
        return ScalarKind.FLOAT
    return ScalarKind.DOUBLE


def _is_decimal(text: str) -> bool:
    return text[:2].lower() != "0x"


def parse_float(text: str, kind: ScalarKind) -> float:
    """The number a floating literal (without suffix) stands for, correctly rounded to ``kind``."""
    if not _is_decimal(text):
        return _parse_hexadecimal(text.rstrip("fFhH"), kind)
    value = float(text)
    if kind is ScalarKind.DOUBLE or value in (0.0, float("inf")):
        return value
    rounded = round_float(kind, value)
    if rounded == value:
        return rounded
    return round_fraction(kind, Fraction(text)) if 1e-60 < value < 1e60 else rounded


def _parse_hexadecimal(text: str, kind: ScalarKind) -> float:
    mantissa, _, exponent = text.lower().partition("p")
    whole, _, fraction = mantissa[2:].partition(".")
    power = max(min(int(exponent or "0"), 5000), -5000) - 4 * len(fraction)
    digits = int((whole + fraction) or "0", 16)
    if digits == 0:
        return 0.0
    if digits.bit_length() + power > 1100:
        return float("inf")
    if digits.bit_length() + power < -1200:
        return 0.0
    return round_fraction(kind, Fraction(digits) * Fraction(2) ** power)


def _character(text: str) -> int:
    """A character constant is an int; a char is signed (C99 6.4.4.4)."""
    body = text[1:-1]
    code = _unescape(body)[0] if body else 0
    return code - 256 if code > 127 else code


def _unescape(body: str) -> bytes:
    """The bytes of a character or string body."""
    data, end = bytearray(), 0
    for match in _ESCAPE.finditer(body):
        data += body[end : match.start()].encode("utf-8", "surrogateescape")
        end = match.end()
        if match[1] is not None:
            data.append(int(match[1], 16) & 255)
        elif match[2] is not None:
            data.append(int(match[2], 8) & 255)
        elif match[3] in _ESCAPES:
            data.append(_ESCAPES[match[3]])
        else:
            data += match[3].encode("utf-8", "surrogateescape")
    data += body[end:].encode("utf-8", "surrogateescape")
    return bytes(data)


def string_bytes(node: c_ast.Constant) -> bytes:
    """The bytes of a string literal, adjacent pieces joined, the final zero included."""
    return b"".join(_unescape(piece) for piece in _PIECE.findall(node.value)) + b"\0"


def string_literal(context: Context, node: c_ast.Constant) -> StringLiteral:
    """An array of char in the constant address space (section 6.1.1, as clang types it)."""
    return string_object(string_bytes(node), context.span(node))


def string_object(data: bytes, span: Span) -> StringLiteral:
    """An unnamed string; ``data`` includes the final zero."""
    return StringLiteral(array_of(QualType(CHAR, AddressSpace.CONSTANT), len(data)), span, data)
