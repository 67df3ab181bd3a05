"""Ids and sizes of the grid that a kernel asks for, where a miniature has fewer thread blocks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kcc.base.diagnostics import Diagnostic, DiagnosticError
from kcc.frontend.builtins.demangle import demangle
from kcc.frontend.ir.instructions import Call
from kcc.frontend.ir.model import Function
from kcc.frontend.ir.types import I32
from kcc.frontend.ir.values import ConstantInt
from kcc.synth.assembly.model import Moved, ParameterKind
from kcc.synth.assembly.parameters import CutOf, Parameters
from kcc.synth.reduction.thread_blocks import Cut

ID_QUERIES = ("get_global_id", "get_group_id")
SIZE_QUERIES = ("get_global_size", "get_num_groups")
OTHER_QUERIES = ("get_global_linear_id",)
"""Which move in no one dimension."""


def moved_queries(
    function: Function, cuts: Sequence[Sequence[Cut]], parameters: Parameters
) -> Iterator[Moved]:
    """The queries that thread blocks left out have a part in, of launches with these cuts.

    :raises DiagnosticError: K950 where thread blocks cannot be left out.
    """
    if not any(cut.kept < cut.total for each in cuts for cut in each):
        return
    if not can_leave_out(function):
        message = "a kernel asks for ids of the grid in a way that keeps all thread blocks"
        raise DiagnosticError([Diagnostic("K950", message, hint="leave out --blocks")])
    for query, dimension in sorted({(name, n) for name, n in _queries(function) if n is not None}):
        own = [one[dimension] for one in cuts if dimension < len(one)]
        if all(cut.kept == cut.total for cut in own):
            continue
        source = CutOf(dimension, query in ("get_global_id", "get_global_size"))
        if query in SIZE_QUERIES:
            yield Moved(query, dimension, total=parameters.add(ParameterKind.TOTAL, I32, source))
            continue
        first = shift = skip = -1
        if any(cut.first for cut in own):
            first = parameters.add(ParameterKind.FIRST, I32, source)
        if any(cut.skip for cut in own):
            if any(cut.shift for cut in own):
                shift = parameters.add(ParameterKind.SHIFT, I32, source)
            skip = parameters.add(ParameterKind.SKIP, I32, source)
        if first >= 0 or skip >= 0:
            yield Moved(query, dimension, first, shift, skip)


def can_leave_out(function: Function) -> bool:
    """Whether thread blocks can be left out: all queries of the grid are of known dimensions."""
    return all(dimension is not None for _, dimension in _queries(function))


def _queries(function: Function) -> Iterator[tuple[str, int | None]]:
    """What a kernel asks of the grid, with the dimension where it is one and a constant."""
    for instruction in function.instructions:
        known = demangle(instruction.callee) if isinstance(instruction, Call) else None
        if known is None or known.name not in (*ID_QUERIES, *SIZE_QUERIES, *OTHER_QUERIES):
            continue
        match instruction.operands[:1]:
            case (ConstantInt(value=dimension),) if known.name not in OTHER_QUERIES:
                yield known.name, dimension
            case _:
                yield known.name, None
