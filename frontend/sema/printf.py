"""The format of printf (OpenCL C 1.2, section 6.12.13)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kcc.frontend.sema.context import Context, Node
from kcc.frontend.tree import ArrayDecay, Expr, StringLiteral
from kcc.frontend.types import PointerType, Type, VectorType, element_kind

_CONVERSION = re.compile(
    r"%(?:%|[-+ #0]*\d*(?:\.\d*)?(?:v(?P<lanes>2|3|4|8|16))?(?P<length>hh|hl|h|l)?"
    r"(?P<kind>[diouxXfFeEgGaAcsp]))"
)


def check_printf(
    context: Context, arguments: Sequence[Expr], nodes: Sequence[Node], node: Node
) -> None:
    """Warn where conversions and arguments do not go together."""
    text = _format_text(arguments[0])
    if text is None:
        hint = "write the string where it is used"
        context.report("K387", "the format of printf must be a string literal", nodes[0], hint=hint)
        return
    conversions = list(_CONVERSION.finditer(text))
    if len(conversions) != text.replace("%%", "\0").count("%") + text.count("%%"):
        context.report("K388", "the format of printf has a conversion that is not valid", nodes[0])
        return
    wanted = [c for c in conversions if c["kind"]]
    given = arguments[1:]
    if len(wanted) != len(given):
        message = f"the format has {len(wanted)} conversions for {len(given)} arguments"
        context.report("K388", message, node)
    for conversion, argument, part in zip(wanted, given, nodes[1:], strict=False):
        if not _fits(conversion, argument.type.type):
            message = f"'{conversion[0]}' does not print a '{argument.type.type}'"
            context.report("K388", message, part)


def _format_text(expression: Expr) -> str | None:
    while not isinstance(expression, ArrayDecay):
        inner = getattr(expression, "operand", None)
        if inner is None:
            return None
        expression = inner
    literal = expression.operand
    return literal.data[:-1].decode("latin-1") if isinstance(literal, StringLiteral) else None


def _fits(conversion: re.Match[str], type_: Type) -> bool:
    kind, lanes = conversion["kind"], conversion["lanes"]
    if kind in "sp":
        return isinstance(type_, PointerType)
    element = element_kind(type_)
    if element is None or element.floating != (kind in "fFeEgGaA"):
        return False
    given = type_.lanes if isinstance(type_, VectorType) else 1
    return given == int(lanes or 1)
