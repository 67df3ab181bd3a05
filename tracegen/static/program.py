"""A kernel as the walk sees it: blocks, what they touch, and where they lead."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from kcc.base.assumptions import Assumptions
from kcc.base.profile.model import Profile
from kcc.base.records import dataclass
from kcc.base.trace.tables import TraceTables
from kcc.frontend.ir.instructions import (
    AtomicRmw,
    Branch,
    CompareExchange,
    CondBranch,
    Load,
    Store,
    Switch,
)
from kcc.frontend.ir.model import Block
from kcc.frontend.kernel import CompiledUnit, Kernel
from kcc.passes.facts import run_passes
from kcc.passes.graph.branch_sense import true_way
from kcc.passes.graph.control_flow import ControlFlowPass
from kcc.passes.graph.dominance import DominatorsPass, PostDominators, PostDominatorsPass
from kcc.passes.graph.loops import LoopsPass
from kcc.passes.symbolic.build import SymbolicValues
from kcc.passes.symbolic.evaluate import Evaluator
from kcc.passes.symbolic.expr import Node, SymbolKind
from kcc.passes.symbolic.lanes import Key, Lanes, launch_symbols
from kcc.passes.symbolic.reasons import needs_a_run
from kcc.tracegen.simt.analysis import EXIT
from kcc.tracegen.simt.explicit import explicit_memory
from kcc.tracegen.simt.inlined import inlined
from kcc.tracegen.simt.plan import Object, Plan, is_barrier
from kcc.tracegen.simt.program import make_plan
from kcc.tracegen.static.geometry import Geometry, geometry_of, told_apart
from kcc.tracegen.static.growths import Growths
from kcc.tracegen.static.launch import StaticLaunch, place_arguments
from kcc.tracegen.static.limits import Ints
from kcc.tracegen.static.observed import Observed, observe
from kcc.tracegen.static.radices import choose_radices
from kcc.tracegen.static.scatter import Loose, loose_parts
from kcc.tracegen.static.windows import Variables
from kcc.tracegen.trace_tables import tables_of

MIN_KINDS, MAX_KINDS = 8, 64
"""Warps that a profile is dealt out to: shares come out right to a sixty-fourth, at least to an
eighth."""

PROFILED_SEGMENTS = 1 << 17
"""Of all these warps together: some seconds of work."""


@dataclass(frozen=True, slots=True)
class Touch:
    """A memory instruction: its number among the accesses, its address, the object it is known to
    lie in, and what its address is made of where memory has a part in it."""

    number: int
    address: Node
    element_bytes: int
    inside: Object | None
    loose: Loose | None


@dataclass(frozen=True, slots=True)
class Ways:
    """Where a block leads: without a condition to ``targets[0]``; on a condition to the first
    target or the second; by a number to the target of the first case that it is, else to the last.
    ``true`` is the place of the target that the source calls true, or of its first case.
    """

    condition: Node | None
    cases: tuple[tuple[int, int], ...]
    targets: tuple[int, ...]
    line: int
    true: int = 0


@dataclass(frozen=True, slots=True)
class Stop:
    """One block: its segments with their accesses, the loops around it (outermost first), where it
    leads, and where the lanes that part here reconverge.
    """

    segments: tuple[tuple[int, tuple[Touch, ...]], ...]
    chain: tuple[int, ...]
    ways: Ways
    reconvergence: int
    divergent: bool


@dataclass(frozen=True, slots=True)
class StaticProgram:
    """A kernel with a launch, ready to be walked."""

    kernel: Kernel
    plan: Plan
    tables: TraceTables
    values: SymbolicValues
    growths: Growths
    variables: Variables
    template: Evaluator
    symbols: Mapping[Key, Ints]
    stops: Sequence[Stop]
    assumptions: Assumptions
    observed: Observed | None = None

    @property
    def geometry(self) -> Geometry:
        return self.growths.geometry

    @property
    def decisions(self) -> frozenset[str]:
        """What may be assumed of the kernel: ``loop@LINE`` and ``branch@LINE`` of all there are."""
        loops = {f"loop@{loop.line}" for loop in self.values.loops.loops}
        ways = [stop.ways for stop in self.stops if stop.ways.condition is not None]
        return frozenset(loops | {f"branch@{each.line}" for each in ways})


def prepare_static(
    unit: CompiledUnit,
    kernel: Kernel,
    launch: StaticLaunch,
    assumptions: Assumptions | None = None,
    width: int = 32,
    profile: Profile | None = None,
) -> StaticProgram:
    """Analyse a kernel for a launch, as the engine would lay it out for one with data.

    :raises DiagnosticError: K783 for a profile that is not of this code.
    """
    assumptions = assumptions or Assumptions()
    unit, kernel = explicit_memory(*inlined(unit, kernel))
    plan = make_plan(kernel, unit.module, width, launch.shape.dynamic_local_bytes)
    placed = place_arguments(plan, kernel, launch.arguments)
    passes = [ControlFlowPass(), DominatorsPass(), PostDominatorsPass(), LoopsPass()]
    own = replace(kernel, function=plan.function)
    facts = run_passes(own, unit.module, passes)
    known = launch.known(plan.private_arguments)
    values = SymbolicValues(own, facts, known, assumptions.loops)
    tables = tables_of(plan, kernel, unit)
    stops = [
        _stop(values, plan, tables, facts[PostDominators], placed, block)
        for block in plan.function.blocks
    ]
    roots = [node for stop in stops for node in _roots(stop)]
    symbols = {**launch_symbols(known), **_addresses(plan, placed)}
    template = Evaluator(values, Lanes(1, symbols), alone=True)
    template.expect(roots)
    observed = observe(profile, tables) if profile is not None else None
    geometry = geometry_of(launch.shape, width)
    if observed is not None and any(_is_open(values, stop) for stop in stops):
        geometry = told_apart(geometry, _kinds(observed))
    geometry = choose_radices(geometry, roots, template)
    growths = Growths(values, geometry)
    return StaticProgram(
        kernel, plan, tables, values, growths, Variables(values, roots), template, symbols,
        stops, assumptions, observed,
    )  # fmt: skip


def _is_open(values: SymbolicValues, stop: Stop) -> bool:
    """Whether memory has a part in where a block leads."""
    return stop.ways.condition is not None and needs_a_run(values, stop.ways.condition)


def _kinds(observed: Observed) -> int:
    """How many warps are walked where a profile is dealt out: many short ones, some long ones."""
    return min(max(int(PROFILED_SEGMENTS / observed.segments_per_warp), MIN_KINDS), MAX_KINDS)


def _roots(stop: Stop) -> list[Node]:
    found = [touch.address for _, touches in stop.segments for touch in touches]
    return [*found, stop.ways.condition] if stop.ways.condition is not None else found


def _addresses(plan: Plan, placed: Mapping[int, Object]) -> dict[Key, Ints]:
    """What the symbols of addresses stand for."""
    found = dict[Key, Ints]()
    for index, item in placed.items():
        found[SymbolKind.POINTER, index] = np.array([item.address])
    for index, item in plan.private_arguments.items():
        found[SymbolKind.POINTER, index] = np.array([item.address])
    for index, item in plan.allocas.items():
        found[SymbolKind.PRIVATE, index] = np.array([item.address])
    for name, item in {**plan.constants, **plan.locals}.items():
        found[SymbolKind.GLOBAL, name] = np.array([item.address])
    return found


def _stop(
    values: SymbolicValues,
    plan: Plan,
    tables: TraceTables,
    after: PostDominators,
    placed: Mapping[int, Object],
    block: Block,
) -> Stop:
    numbers = {index: number for number, index in enumerate(plan.accesses)}
    segments = [(plan.first_segment[block.index], list[Touch]())]
    for instruction in block.instructions:
        if isinstance(instruction, Load | Store | AtomicRmw | CompareExchange):
            number = numbers[instruction.index]
            row = tables.accesses[number]
            address = values.address(instruction, instruction.pointer)
            inside = placed.get(row.argument) or _named(plan, row.array)
            loose = loose_parts(values, address)
            segments[-1][1].append(Touch(number, address, row.element_bytes, inside, loose))
        elif is_barrier(instruction):
            segments.append((plan.segment_of[instruction.index] + 1, []))
    reconvergence = plan.flow.reconvergence.get(block.index)
    divergent = reconvergence is not None
    if reconvergence is None:
        reconvergence = after.immediate(block.index)
    chain = tuple(loop.id for loop in values.loops.around(block.index))[::-1]
    return Stop(
        tuple((number, tuple(touches)) for number, touches in segments),
        chain,
        _ways(values, block),
        EXIT if reconvergence is None else reconvergence,
        divergent,
    )


def _named(plan: Plan, name: str) -> Object | None:
    objects = (*plan.locals.values(), *plan.constants.values(), *plan.allocas.values())
    return next((item for item in objects if item.name == name), None)


def _ways(values: SymbolicValues, block: Block) -> Ways:
    end = block.terminator
    line = end.line or 0
    match end:
        case Branch():
            return Ways(None, (), (end.target,), line)
        case CondBranch() if end.then == end.otherwise:
            return Ways(None, (), (end.then,), line)
        case CondBranch():
            condition = values.scalar(end.condition, block.index)
            true = true_way(values.function, end)
            return Ways(condition, (), (end.then, end.otherwise), line, true)
        case Switch():
            targets = tuple(dict.fromkeys((*(b for _, b in end.cases), end.default)))
            value = values.scalar(end.value, block.index)
            if len(targets) == 1:
                return Ways(None, (), targets, line)
            cases = tuple((number, targets.index(b)) for number, b in end.cases)
            cases = (*cases, (-1, targets.index(end.default)))
            return Ways(value, cases, targets, line)
        case _:
            return Ways(None, (), (), line)
