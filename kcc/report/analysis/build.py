"""Makes the report of a kernel from the kernel, its facts and its launch."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

from kcc.base.launch import Launch, format_extent
from kcc.frontend.ir.instructions import CondBranch, DebugLocation, Phi, Switch
from kcc.frontend.kernel import Kernel
from kcc.frontend.options import OptLevel
from kcc.passes.control.branch_conditions import BranchConditions, Terminal
from kcc.passes.control.divergence import Divergence
from kcc.passes.control.flow_counts import FlowCounts
from kcc.passes.control.trip_counts import TripCount, TripCounts
from kcc.passes.facts import Facts
from kcc.passes.graph.barriers import Barriers
from kcc.passes.graph.branches import Branches
from kcc.passes.graph.control_flow import ControlFlow
from kcc.passes.graph.loops import Loops
from kcc.passes.memory.access_facts import AccessPatterns
from kcc.passes.memory.arrays import Array
from kcc.passes.memory.memory_accesses import MemoryAccesses
from kcc.passes.memory.memory_use import MemoryUse
from kcc.passes.mix.classify import classify
from kcc.passes.mix.counts import ClassCounts
from kcc.passes.mix.instruction_mix import InstructionMix
from kcc.passes.symbolic.build import SymbolicValues
from kcc.passes.unknown import Unknown
from kcc.report.analysis.conditions import condition_text
from kcc.report.analysis.findings import find
from kcc.report.analysis.lane_findings import inactive_lanes
from kcc.report.analysis.launch_findings import launch_findings
from kcc.report.analysis.model import (
    Access,
    Barrier,
    Block,
    Branch,
    Edge,
    IrreducibleRegion,
    KernelReport,
    LaunchView,
    LineFacts,
    Loop,
    Mix,
    Trip,
)
from kcc.report.analysis.resources import Resources

_NO_UNROLLING = Unknown("the loops of the source were not looked at")


def kernel_report(
    kernel: Kernel,
    facts: Facts,
    launch: Launch,
    given_by: str,
    level: OptLevel,
    resources: Resources,
) -> KernelReport:
    """The report of one kernel; ``given_by`` says where given launch sizes come from."""
    mix, use = facts[InstructionMix], facts[MemoryUse]
    return KernelReport(
        name=kernel.name,
        symbol=kernel.symbol,
        language=kernel.language,
        span=kernel.span,
        arguments=kernel.arguments,
        blocks=_blocks(kernel, facts),
        edges=_edges(facts),
        loops=_loops(facts, level),
        irreducible=tuple(
            IrreducibleRegion(_line(region.location), region.blocks)
            for region in facts[Loops].irreducible
        ),
        branches=_branches(kernel, facts),
        accesses=_accesses(facts),
        barriers=tuple(
            Barrier(_line(barrier.location), barrier.block, facts[Loops].innermost[barrier.block])
            for barrier in facts[Barriers].barriers
        ),
        mix=_mix(mix.total),
        unattributed=mix.unattributed.total,
        local_bytes=use.local_bytes,
        dynamic_locals=(*use.dynamic_locals, *use.dynamic_arrays),
        private_bytes=use.private_bytes,
        required_local_size=kernel.required_local_size,
        launch=_launch(kernel, facts, launch, given_by),
        flow=facts[FlowCounts],
        registers=resources.registers,
        block_local_bytes=resources.local_bytes,
        occupancy=resources.occupancy,
        findings=find(
            kernel,
            facts,
            level,
            chain(inactive_lanes(kernel, facts), launch_findings(kernel, launch, resources)),
        ),
        lines=_lines(kernel, facts),
    )


def _line(location: DebugLocation | None) -> int:
    return location.line if location else 0


def _column(location: DebugLocation | None) -> int:
    return location.column if location else 0


def _mix(counts: ClassCounts) -> Mix:
    return dict(counts.items())


def _blocks(kernel: Kernel, facts: Facts) -> tuple[Block, ...]:
    mix, flow = facts[InstructionMix], facts[ControlFlow]
    blocks = list[Block]()
    for block in kernel.function.blocks:
        first = flow.locations[block.index]
        # Inlined functions stand elsewhere: the range covers the lines of the first one's text.
        lines = [
            place.line
            for instruction in block.instructions
            if (place := instruction.location) and not isinstance(instruction, Phi)
            if first and place.function == first.function
        ]
        line = min(lines, default=_line(first))
        blocks.append(
            Block(
                id=block.index,
                label=block.label,
                line=line,
                last_line=max(lines, default=line),
                instructions=mix.blocks[block.index].total,
                mix=_mix(mix.blocks[block.index]),
            )
        )
    return tuple(blocks)


def _edges(facts: Facts) -> tuple[Edge, ...]:
    loops = facts[Loops]
    return tuple(
        Edge(
            edge.source,
            edge.target,
            edge.kind,
            "" if edge.value is None else str(edge.value),
            back=loops.is_back_edge(edge.source, edge.target),
        )
        for edge in facts[ControlFlow].edges
    )


def _loops(facts: Facts, level: OptLevel) -> tuple[Loop, ...]:
    mix, barriers = facts[InstructionMix], facts[Barriers].barriers
    return tuple(
        Loop(
            id=loop.id,
            line=loop.line or 0,
            header=loop.header,
            depth=loop.depth,
            parent=loop.parent,
            blocks=loop.blocks,
            barriers=sum(barrier.block in loop.blocks for barrier in barriers),
            instructions=sum(mix.blocks[block].total for block in loop.blocks),
            unrolled=_NO_UNROLLING if level is OptLevel.O2 else False,
            trip=trip_of(facts[TripCounts].trips[loop.id]),
        )
        for loop in facts[Loops].loops
    )


def trip_of(trip: TripCount) -> Trip:
    """A trip count as reports have it."""
    return Trip(
        kind=trip.kind,
        least=trip.least,
        greatest=trip.greatest,
        total_least=trip.total_least,
        total_greatest=trip.total_greatest,
        total_mean=trip.total_mean,
        text=trip.text,
        reason=trip.reason,
    )


def _branches(kernel: Kernel, facts: Facts) -> tuple[Branch, ...]:
    found = list[Branch]()
    for branch, divided, condition in zip(
        facts[Branches].branches,
        facts[Divergence].branches,
        facts[BranchConditions].conditions,
        strict=True,
    ):
        end = kernel.function.blocks[branch.block].terminator
        assert isinstance(end, CondBranch | Switch)
        found.append(
            Branch(
                id=branch.id,
                line=_line(branch.location),
                column=_column(branch.location),
                block=branch.block,
                condition=condition_text(kernel.function, end),
                divergence=divided.uniformity,
                reconverges_at=divided.reconvergence,
                sides=condition.sides,
                terminals=tuple(t for t in Terminal if t in condition.terminals),
                reason=condition.reason,
            )
        )
    return tuple(found)


def _accesses(facts: Facts) -> tuple[Access, ...]:
    return tuple(
        Access(
            id=access.id,
            line=_line(access.location),
            column=_column(access.location),
            block=access.block,
            op=access.op,
            array=access.array.name if isinstance(access.array, Array) else access.array,
            address_space=access.space,
            element_bytes=access.element_bytes,
            divergence=facts[Divergence].addresses[access.id],
            pattern=facts[AccessPatterns].patterns[access.id],
        )
        for access in facts[MemoryAccesses].accesses
    )


def _launch(kernel: Kernel, facts: Facts, launch: Launch, given_by: str) -> LaunchView:
    known = facts[SymbolicValues].algebra.known
    return LaunchView(
        global_size=tuple(map(format_extent, launch.global_size)),
        local_size=tuple(map(format_extent, launch.local_size)),
        global_origin=launch.global_origin,
        local_origin=launch.local_origin,
        given_by=given_by,
        given=frozenset(kernel.arguments[number].name for number in known.arguments),
    )


def _lines(kernel: Kernel, facts: Facts) -> tuple[LineFacts, ...]:
    """What stands on each line, for lines that have something."""
    loops, depths = facts[Loops], dict[tuple[str, int], int]()
    blocks = dict[tuple[str, int], dict[int, int]]()
    for instruction in kernel.function.instructions:
        if place := instruction.location:
            key = (place.file, place.line)
            if not isinstance(instruction, Phi):
                at = blocks.setdefault(key, {})
                count = sum(number for _, number in classify(instruction))
                at[instruction.block] = at.get(instruction.block, 0) + count
            # A phi carries the line of its variable, which may stand far outside the loop.
            depth = 0 if isinstance(instruction, Phi) else loops.depth(instruction.block)
            depths[key] = max(depths.get(key, 0), depth)
    accesses = _by_place((a.location, a.id) for a in facts[MemoryAccesses].accesses)
    branches = _by_place((b.location, b.id) for b in facts[Branches].branches)
    barriers = _by_place((b.location, b.instruction) for b in facts[Barriers].barriers)
    return tuple(
        LineFacts(
            file=key[0],
            line=key[1],
            mix=_mix(counts),
            accesses=accesses.get(key, ()),
            branches=branches.get(key, ()),
            barriers=len(barriers.get(key, ())),
            loop_depth=depths.get(key, 0),
            blocks=blocks.get(key, {}),
        )
        for key, counts in facts[InstructionMix].lines.items()
    )


def _by_place(
    items: Iterable[tuple[DebugLocation | None, int]],
) -> dict[tuple[str, int], tuple[int, ...]]:
    found = dict[tuple[str, int], tuple[int, ...]]()
    for place, number in items:
        if place:
            key = (place.file, place.line)
            found[key] = (*found.get(key, ()), number)
    return found
