"""Words in the values of arguments that nothing knows: mostly slips of the pen."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from kcc.base.arguments import (
    SCALAR_BYTES,
    VECTOR_WIDTHS,
    ArgumentValue,
    Buffer,
    Structure,
    element_bytes,
    expressions,
)
from kcc.base.diagnostics import Diagnostic, DiagnosticError
from kcc.base.expressions import free_names

if TYPE_CHECKING:
    from kcc.base.arguments import Argument
    from kcc.frontend.kernel import CompiledUnit
    from kcc.stages.analyze import AnalysisRequest

_WORD = re.compile(r"[A-Za-z_]\w*")


def unvalued_names(request: AnalysisRequest, lines: Iterable[str]) -> list[Diagnostic]:
    """A warning (K028) for each name without a value in the arguments that are given, with the
    nearest name that has one, or else the nearest word of the source's ``lines``."""
    if not request.arguments:
        return []
    inputs = (*request.launches.values(), request.other_launch)
    known = {name for each in inputs for name in each.names}
    words = _words(lines)
    return [
        Diagnostic(
            "K028",
            f"'{name}' in the value of '{each.name}' has no value: this one counts as not given",
            each.at,
            hint=_near(name, known - {each.name}) or _near(name, words - {name}, cutoff=0.75)
            or f"give it one: --size {name}=...",
        )
        for each in request.arguments
        for name in sorted(_names(each.value) - known)
    ]  # fmt: skip


def check_types(arguments: Iterable[Argument], unit: CompiledUnit) -> None:
    """The types of buffers and of members are known; raises :class:`DiagnosticError` (K026) for one
    that is neither a type of OpenCL C nor a word of the source."""
    wrong = [found for each in arguments for found in _no_types(each, unit)]
    if wrong:
        raise DiagnosticError(wrong)


def _words(lines: Iterable[str]) -> set[str]:
    return {word for line in lines for word in _WORD.findall(line)}


def _names(value: ArgumentValue) -> frozenset[str]:
    return frozenset[str]().union(*(free_names(each) for each in expressions(value)))


def _no_types(argument: Argument, unit: CompiledUnit) -> Iterator[Diagnostic]:
    for element in _elements(argument.value):
        name = element.removeprefix("struct ")
        if element_bytes(name) is not None:
            continue
        words = _words(line for lines in unit.sources.values() for line in lines)
        if name not in words:
            types = {f"{scalar}{width}" for scalar in SCALAR_BYTES for width in VECTOR_WIDTHS}
            hint = _near(name, {*SCALAR_BYTES, *types}) or "a type of OpenCL C, or of the source"
            message = f"there is no type '{element}' for '{argument.name}'"
            yield Diagnostic("K026", message, argument.at, hint=hint)


def _elements(value: ArgumentValue) -> tuple[str, ...]:
    if isinstance(value, Structure):
        return tuple(member.element for member in value.members)
    return (value.element,) if isinstance(value, Buffer) else ()


def _near(name: str, known: set[str], cutoff: float = 0.6) -> str | None:
    from difflib import get_close_matches

    near = get_close_matches(name, sorted(known), n=1, cutoff=cutoff)
    return f"did you mean '{near[0]}'?" if near else None
