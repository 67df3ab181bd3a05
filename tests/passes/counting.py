"""Compares counts found without a run with those of an execution."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kcc.frontend.kernel import CompiledUnit, Kernel
from kcc.passes.control.branch_conditions import BranchConditions, BranchConditionsPass, Side
from kcc.passes.control.flow_counts import FlowCount, FlowCounts, FlowCountsPass
from kcc.passes.control.trip_counts import (
    SymbolicValuesPass,
    TripCount,
    TripCounts,
    TripCountsPass,
    TripKind,
)
from kcc.passes.facts import Facts, run_passes
from kcc.passes.graph.branches import Branches
from kcc.passes.symbolic.build import SymbolicValues
from kcc.passes.symbolic.counts import block_total, edge_total, entry_total
from kcc.passes.symbolic.evaluate import Evaluator
from kcc.passes.symbolic.expr import Fold, Node
from kcc.passes.symbolic.lanes import all_work_items
from kcc.passes.symbolic.ranges import Known
from kcc.passes.table import PASSES
from kcc.tracegen.execute import NDRange
from tests.passes.executed import Counts, Executed, known_of, run


@dataclass(frozen=True, slots=True)
class Comparison:
    """``wrong`` says what is; ``trips`` are the counts as reported. ``compared`` is how many
    numbers of work-items were, of ``asked``: the others are not known before a run.
    """

    wrong: list[str]
    trips: list[TripCount]
    compared: int
    asked: int


@dataclass(frozen=True, slots=True)
class Run:
    """A launch and what it did."""

    kernel: Kernel
    known: Known
    executed: Executed


def executed_run(unit: CompiledUnit, kernel: Kernel, launch: NDRange, arguments: list[Any]) -> Run:
    """Executes a launch."""
    loops = _facts(unit, kernel, Known())[SymbolicValues].loops
    known = known_of(kernel, launch, arguments)
    return Run(kernel, known, run(unit, kernel, loops, launch, arguments))


def compared(unit: CompiledUnit, done: Run, given: Known) -> Comparison:
    """What is found with ``given`` known of the launch against a run. Formulas are evaluated for
    the launch that was run, also where ``given`` says less.
    """
    facts = _facts(unit, done.kernel, given)
    values, executed = facts[SymbolicValues], done.executed
    wanted = list(_wanted(facts, executed))
    evaluate = Evaluator(values, all_work_items(done.known))
    evaluate.expect(node for _, node, _ in wanted)
    wrong, sure = list[str](), 0
    for what, node, counts in wanted:
        found, known = evaluate.integers(node)
        sure += int(known.sum())
        bad = np.flatnonzero(known & (found != counts))
        if len(bad):
            item = int(bad[0])
            text = f"{what} of item {item} is {counts[item]}, not {found[item]}"
            wrong.append(f"{text} ({len(bad)} wrong)")
    trips = list(facts[TripCounts].trips)
    for trip in trips:
        wrong += _misreported(trip, executed, values.loops.loops[trip.loop].line)
    wrong += _wrong_flow(facts, executed)
    if given.launched:
        wrong += _wrong_sides(facts, done)
    asked = sum(len(counts) for _, _, counts in wanted)
    return Comparison([f"{done.kernel.name}: {text}" for text in wrong], trips, sure, asked)


def _facts(unit: CompiledUnit, kernel: Kernel, known: Known) -> Facts:
    passes = (SymbolicValuesPass(known), TripCountsPass(), BranchConditionsPass(), FlowCountsPass())
    return run_passes(kernel, unit.module, (*PASSES, *passes))


def _wanted(facts: Facts, executed: Executed) -> Iterator[tuple[str, Node, Counts]]:
    """What is counted, its node, and what it was for each work-item."""
    values = facts[SymbolicValues]
    for loop in values.loops.loops:
        count = values.body_count(loop.id)
        for fold, counts in (
            (Fold.SUM, executed.totals), (Fold.LEAST, executed.least),
            (Fold.GREATEST, executed.greatest),
        ):  # fmt: skip
            node = entry_total(values, loop.id, count, fold)
            assert node is not None
            yield f"loop {loop.line}: {fold.word}", node, counts[loop.id]
    nothing = np.zeros(executed.blocks.shape[1], np.int64)
    for number, block in enumerate(facts[FlowCounts].blocks):
        if block is not None:
            yield f"block {number}", block_total(values, number), executed.blocks[number]
    for edge in facts[FlowCounts].edges:
        way = edge.source, edge.target
        yield f"edge {way}", edge_total(values, *way), executed.edges.get(way, nothing)


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


def _wrong_flow(facts: Facts, executed: Executed) -> list[str]:
    """Blocks and edges with wrong sums over the launch."""
    flow, nothing = facts[FlowCounts], np.zeros(executed.blocks.shape[1], np.int64)
    wrong = list[str]()
    for number, count in enumerate(flow.blocks):
        ran = executed.blocks[number]
        if count is not None:
            wrong += _wrong_count(f"block {number}", count, ran)
        elif ran.any():
            wrong.append(f"block {number} is executed, but was held to be out of reach")
    for edge in flow.edges:
        way = edge.source, edge.target
        wrong += _wrong_count(f"edge {way}", edge.count, executed.edges.get(way, nothing))
    missing = set(executed.edges) - {(edge.source, edge.target) for edge in flow.edges}
    return wrong + [f"edge {way} is not in the graph" for way in missing]


def _wrong_count(what: str, count: FlowCount, ran: Counts) -> list[str]:
    pairs = (("executions", count.executions, int(ran.sum())),
             ("threads", count.threads, int((ran > 0).sum())))  # fmt: skip
    return [
        f"{what}: {name} over the launch are {actual}, not {found}"
        for name, found, actual in pairs
        if found not in (None, actual)
    ]


def _wrong_sides(facts: Facts, done: Run) -> list[str]:
    """Branches of which a side's share, or the work-items that take it, is wrong."""
    executed, wrong = done.executed, list[str]()
    nothing = np.zeros(executed.blocks.shape[1], np.int64)
    for condition in facts[BranchConditions].conditions:
        block = facts[Branches].branches[condition.branch].block
        decided = int(executed.blocks[block].sum())
        for side in condition.sides:
            took = executed.edges.get((block, side.target), nothing)
            name = f"branch {block} to {side.target}"
            if side.share is None:
                continue
            share = int(took.sum()) / decided if decided else None
            if share is None or not np.isclose(side.share, share, rtol=1e-12):
                wrong.append(f"{name}: share is {share}, not {side.share}")
            if not _describes(side, took > 0, done.known):
                wrong.append(f"{name}: taken by {np.flatnonzero(took).tolist()}, not {side.items}")
    return wrong


def _describes(side: Side, took: NDArray[np.bool_], known: Known) -> bool:
    """Whether the words for a side's work-items are those for ``took``."""
    if side.items in ("all", "none"):
        return bool(took.all()) if side.items == "all" else not took.any()
    if side.items.endswith("% of the work-items"):
        share = float(side.items.removeprefix("about ").split()[0])
        return side.sampled or bool(np.isclose(share, 100 * float(took.mean()), rtol=0.01))
    kind, _, words = side.items.partition(" ")
    numbers = _numbers_of(kind, known)
    wanted = np.zeros(len(took), np.bool_)
    for part in words.split(", "):
        first, _, last = part.partition("..")
        wanted |= (numbers >= int(first)) & (numbers <= int(last or first))
    return bool((wanted == took).all())


def _numbers_of(kind: str, known: Known) -> NDArray[np.int64]:
    """What the words number, of every work-item."""
    lanes = all_work_items(known)
    symbols = {
        (kind.value, index): np.broadcast_to(column, lanes.shape).ravel()
        for (kind, index), column in lanes.symbols.items()
    }
    if kind == "lanes":
        return symbols["lane", 0]
    if kind == "warps":
        return symbols["get_local_id", 0] // 32
    found = re.fullmatch(r"(\w+)\((\d)\)", kind)
    assert found is not None, kind
    return symbols[found[1], int(found[2])]
