"""Compares counts found without a run with those of an execution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kcc.frontend.kernel import CompiledUnit, Kernel
from kcc.passes.symbolic.build import SymbolicValues
from kcc.passes.symbolic.counts import block_total, entry_total
from kcc.passes.symbolic.evaluate import Evaluator
from kcc.passes.symbolic.expr import Fold, Node
from kcc.passes.symbolic.lanes import all_work_items
from kcc.passes.table import analyse
from kcc.passes.trip_counts import TripCount, TripKind, trip_count
from kcc.tracegen.execute import NDRange
from tests.passes.executed import Counts, Executed, known_of, run


@dataclass(frozen=True, slots=True)
class Comparison:
    """``wrong`` says what is; ``trips`` are the counts as reported."""

    wrong: list[str]
    trips: list[TripCount]
    values: SymbolicValues


def compare(
    unit: CompiledUnit, kernel: Kernel, launch: NDRange, arguments: list[Any]
) -> Comparison:
    """Every count of a kernel's loops and blocks, per work-item and in sum, against a run."""
    facts = analyse(kernel, unit.module)
    known = known_of(kernel, launch, arguments)
    values = SymbolicValues(kernel, facts, known)
    executed = run(unit, kernel, values.loops, launch, arguments)
    evaluate = Evaluator(values, all_work_items(known))
    evaluate.expect(_totals(values, kernel))
    wrong, trips = list[str](), list[TripCount]()
    for loop in values.loops.loops:
        count = values.body_count(loop.id)
        for fold, wanted in (
            (Fold.SUM, executed.totals), (Fold.LEAST, executed.least),
            (Fold.GREATEST, executed.greatest),
        ):  # fmt: skip
            node = entry_total(values, loop.id, count, fold)
            assert node is not None
            wrong += _different(f"loop {loop.line}: {fold.word}", evaluate, node, wanted[loop.id])
        trips.append(trip_count(values, loop.id))
        wrong += _misreported(trips[-1], executed, loop.line)
    for block in kernel.function.blocks:
        if (
            block.index in values.regions[None].order
            or values.loops.innermost[block.index] is not None
        ):
            node = block_total(values, block.index)
            wrong += _different(
                f"block {block.index}", evaluate, node, executed.blocks[block.index]
            )
    return Comparison([f"{kernel.name}: {text}" for text in wrong], trips, values)


def _totals(values: SymbolicValues, kernel: Kernel) -> list[Node]:
    """All nodes that will be asked for."""
    nodes = list[Node]()
    for loop in values.loops.loops:
        for fold in Fold:
            node = entry_total(values, loop.id, values.body_count(loop.id), fold)
            assert node is not None
            nodes.append(node)
    return [*nodes, *(block_total(values, b) for b in _reachable(values, kernel))]


def _reachable(values: SymbolicValues, kernel: Kernel) -> list[int]:
    outside = values.regions[None].order
    return [
        block.index
        for block in kernel.function.blocks
        if block.index in outside or values.loops.innermost[block.index] is not None
    ]


def _different(what: str, evaluate: Evaluator, node: Node, wanted: Counts) -> list[str]:
    found, known = evaluate.integers(node)
    bad = np.flatnonzero(known & (found != wanted))
    if not len(bad):
        return []
    place = int(bad[0])
    return [f"{what} of item {place} is {wanted[place]}, not {found[place]} ({len(bad)} wrong)"]


def _misreported(trip: TripCount, executed: Executed, line: int | None) -> list[str]:
    """What the report of a loop says that is not so."""
    totals, greatest = executed.totals[trip.loop], executed.greatest[trip.loop]
    least = executed.least[trip.loop]
    wrong = list[str]()
    entered = greatest >= 0
    real = (
        int(least[entered].min()) if entered.any() else None,
        int(greatest.max()) if entered.any() else None,
    )
    bounds_only = trip.kind is TripKind.BOUND or bool(trip.reason)
    for name, found, actual, sign in (
        ("least", trip.least, real[0], 1), ("greatest", trip.greatest, real[1], -1),
        ("total least", trip.total_least, int(totals.min()), 1),
        ("total greatest", trip.total_greatest, int(totals.max()), -1),
    ):  # fmt: skip
        if found is None or actual is None:
            continue
        if found != actual and not (bounds_only and (actual - found) * sign >= 0):
            wrong.append(f"loop {line}: {name} is {actual}, not {found} ({trip.kind.value})")
    sure = trip.kind is TripKind.EXACT and not trip.reason
    if sure and trip.total_mean is not None and not np.isclose(trip.total_mean, totals.mean()):
        wrong.append(f"loop {line}: mean is {totals.mean()}, not {trip.total_mean}")
    return wrong
