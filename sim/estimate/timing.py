"""An estimate of a launch that ran, as the result that all timing models give."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping

from kcc.base.profile.model import LaunchProfile
from kcc.base.records import dataclass
from kcc.frontend.ir.instructions import Phi
from kcc.passes.memory.memory_accesses import AccessOp, MemoryAccesses
from kcc.sim.caches.reuse.traffic import AccessCaches
from kcc.sim.estimate.result import Estimate
from kcc.sim.estimate.subject import Subject
from kcc.sim.machine.pipeline_columns import Machine
from kcc.sim.result import CacheStatistics, LineTiming, StackPart, Timing

Place = tuple[str, int]
"""A file and a line."""


def timing_of(
    subject: Subject, estimate: Estimate, machine: Machine, seen: LaunchProfile,
    launch_cycles: float,
) -> Timing:  # fmt: skip
    """The result of a launch whose flow was counted; the launch itself takes ``launch_cycles``."""
    sectors = _sectors(subject, estimate)
    stack = _stack(estimate, machine, launch_cycles)
    schedulers = machine.sms * machine.schedulers
    cycles = math.fsum(part.cycles for part in stack) / schedulers
    return Timing(
        model="pipeline",
        kernel=subject.kernel.name,
        launch=seen.number,
        gpu=estimate.gpu,
        cycles=cycles,
        time_us=cycles / machine.clock_mhz,
        clock_mhz=machine.clock_mhz,
        sms=machine.sms,
        schedulers=schedulers,
        thread_blocks=subject.thread_blocks,
        instructions=seen.warp_instructions,
        thread_instructions=seen.thread_instructions,
        issued=estimate.counts.warp_instructions,
        stack=stack,
        occupancy=estimate.occupancy,
        caches=tuple(_caches(sectors.values())),
        statistics=_statistics(estimate),
        lines=tuple(_lines(subject, estimate, sectors, stack)),
        assumptions=estimate.assumptions,
        confidence=tuple(_confidence(estimate)),
    )


def _stack(estimate: Estimate, machine: Machine, launch: float) -> tuple[StackPart, ...]:
    """The scheduler cycles of the kernel by cause, and those of the launch."""
    of_estimate = estimate.cycles * machine.sms * machine.schedulers / estimate.cpi
    parts = {name: cpi * of_estimate for name, cpi in estimate.cpi_stack.items()}
    parts["launch"] = launch * machine.sms * machine.schedulers
    return tuple(StackPart(name, cycles) for name, cycles in parts.items())


@dataclass(slots=True)
class _Sectors:
    """Of loads and stores of global memory, over the launch; hits are those of loads."""

    loaded: float = 0.0
    l1_hits: float = 0.0
    l2_hits: float = 0.0
    dram: float = 0.0
    all: float = 0.0

    def add(self, row: AccessCaches, executions: float) -> None:
        asked = row.sectors * executions
        self.all += asked
        if row.op == AccessOp.LOAD.value and row.first == "l1":
            missed = asked * (1.0 - row.first_hits.mean)
            self.loaded, self.l1_hits = self.loaded + asked, self.l1_hits + asked - missed
            self.l2_hits += missed * row.l2_hits.mean
            self.dram += asked * row.dram.mean


def _sectors(subject: Subject, estimate: Estimate) -> dict[Place, _Sectors]:
    """By line of the source."""
    accesses, found = subject.facts[MemoryAccesses].accesses, dict[Place, _Sectors]()
    for row in estimate.caches:
        access = accesses[row.access]
        at = access.location
        place = (at.file, at.line) if at else ("", 0)
        found.setdefault(place, _Sectors()).add(row, subject.flow.executions[access.block])
    return found


def _caches(sectors: Iterable[_Sectors]) -> Iterator[CacheStatistics]:
    """Of loads, as the other models count them."""
    each = list(sectors)
    loaded, hits = math.fsum(s.loaded for s in each), math.fsum(s.l1_hits for s in each)
    yield CacheStatistics("L1", loaded, hits)
    yield CacheStatistics("L2", loaded - hits, math.fsum(s.l2_hits for s in each))


def _statistics(estimate: Estimate) -> dict[str, float]:
    counts = estimate.counts
    return {
        "L2 reads": counts.l2_read_sectors,
        "L2 writes": counts.l2_write_sectors,
        "DRAM sectors read": counts.dram_read_sectors,
        "DRAM sectors written": counts.dram_write_sectors,
        "local passes": counts.shared_load_wavefronts + counts.shared_store_wavefronts,
    }


def _lines(
    subject: Subject, estimate: Estimate, sectors: Mapping[Place, _Sectors],
    stack: tuple[StackPart, ...],
) -> Iterator[LineTiming]:  # fmt: skip
    """Each line of the source, the ones with the most cycles first; what the launch itself takes
    belongs to none."""
    executed = _executed(subject)
    launch = tuple(part for part in stack if part.name == "launch")
    spent = math.fsum(part.cycles for part in stack if part.name != "launch")
    for line in estimate.lines:
        place = line.file, line.line
        own = sectors.get(place, _Sectors())
        yield LineTiming(
            line.file, line.line, line.share * spent, (), executed.get(place, 0.0), own.all,
            own.l1_hits, own.l2_hits, own.dram,
        )  # fmt: skip
    yield LineTiming("", 0, math.fsum(part.cycles for part in launch), launch, 0.0)


def _executed(subject: Subject) -> dict[Place, float]:
    """Instructions by line of the source, by warps over the launch."""
    found = dict[Place, float]()
    for block, times in zip(subject.kernel.function.blocks, subject.flow.executions, strict=True):
        for each in block.instructions:
            if each.location is not None and not isinstance(each, Phi):
                place = each.location.file, each.location.line
                found[place] = found.get(place, 0.0) + times
    return found


def _confidence(estimate: Estimate) -> Iterator[str]:
    yield "branches, loops and sectors are those of the run; what caches keep is the analysis's"
    if estimate.unknown_accesses:
        yield (
            f"the caches' share of {estimate.unknown_accesses} accesses whose addresses memory "
            "decides is a guess"
        )
    if estimate.assumptions:
        yield f"{len(estimate.assumptions)} values of the GPU are assumed"
