"""What pragmas say: unrolling of the loop after them, extensions, contraction of operations."""

from __future__ import annotations

from pycparser import c_ast

from kcc.base.diagnostics import DiagnosticSink, Span
from kcc.base.records import dataclass
from kcc.frontend.preprocessor.condition import ConditionError, evaluate
from kcc.frontend.preprocessor.lexer import PragmaToken, Token
from kcc.frontend.preprocessor.token_feed import TokenFeed

MAX_UNROLL_FACTOR = 2**31 - 1

MAX_DIGITS = 64
"""Of a number that is read: more are larger than any factor."""

_UNIT_PRAGMAS = ("OPENCL", "STDC")
_UNROLL_PRAGMAS = ("unroll", "nounroll", "clang", "GCC")


@dataclass(frozen=True, slots=True)
class Pragma:
    """A pragma for the whole unit, such as ``OPENCL EXTENSION cl_khr_fp64 : enable``."""

    words: tuple[str, ...]
    span: Span


def unit_pragmas(feed: TokenFeed) -> tuple[Pragma, ...]:
    """The ``OPENCL`` and ``STDC`` pragmas of a unit, in order."""
    return tuple(
        Pragma(tuple(t.value for t in pragma.arguments), pragma.span)
        for _, pragmas in sorted(feed.pragmas.items())
        for pragma in pragmas
        if pragma.arguments and pragma.arguments[0].value in _UNIT_PRAGMAS
    )


def left_over(pragma: PragmaToken) -> str | None:
    """Why a pragma that no loop has taken is ignored; None for one that speaks to the unit."""
    name = pragma.arguments[0].value if pragma.arguments else ""
    if name in _UNIT_PRAGMAS:
        return None
    if name in _UNROLL_PRAGMAS:
        return f"#pragma {name} is ignored: it does not stand before a loop"
    return f"#pragma {name} is unknown and ignored".replace("  ", " ")


def unroll_factor(pragma: PragmaToken, sink: DiagnosticSink) -> int | None:
    """The unrolling a pragma before a loop asks for: a factor, 1 for none, 0 without a number;
    None when it is about something else.
    """
    words = [t.value for t in pragma.arguments]
    if words[:1] == ["nounroll"]:
        return 1
    if words[:1] == ["unroll"]:
        return _factor(pragma, list(pragma.arguments[1:]), sink)
    if words[:2] == ["GCC", "unroll"]:
        return _factor(pragma, list(pragma.arguments[2:]), sink)
    if words[:2] == ["clang", "loop"]:
        if words[2:6] == ["unroll", "(", "disable", ")"]:
            return 1
        if words[2:4] == ["unroll", "("]:
            return 0
        if words[2:4] == ["unroll_count", "("]:
            return _factor(pragma, list(pragma.arguments[3:]), sink)
    return None


def _factor(pragma: PragmaToken, tokens: list[Token], sink: DiagnosticSink) -> int:
    if not tokens:
        return 0
    try:
        factor = evaluate(tokens, lambda _: False)
    except ConditionError:
        factor = -1
    if any(t.type == "ID" for t in tokens) or not 0 <= factor <= MAX_UNROLL_FACTOR:
        sink.report(
            "K142",
            "the unroll factor is no positive integer constant and is ignored",
            tokens[0].span,
            notes=pragma.notes,
        )
        return 0
    return max(factor, 1)


def constant_factor(node: c_ast.Node) -> int | None:
    """The value of a positive integer literal."""
    if not isinstance(node, c_ast.Constant) or not node.type.endswith("int"):
        return None
    digits = node.value.rstrip("uUlL")
    base = 10 if digits[0] != "0" else 16 if digits[1:2] in ("x", "X") else 8
    if len(digits) > MAX_DIGITS:
        return None
    factor = int(digits, base)
    return factor if 0 < factor <= MAX_UNROLL_FACTOR else None
