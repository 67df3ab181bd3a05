"""From the arrays of a finished simulation to the result type."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from kcc.base.records import dataclass
from kcc.base.trace.launches import TraceLaunch
from kcc.base.trace.tables import TraceTables
from kcc.sim.cycle.layout import CAUSES, NAMES, Cause, Conf, LineStat, Run, Stat
from kcc.sim.cycle.machine import Machine
from kcc.sim.cycle.program import Program
from kcc.sim.program.ideal_accesses import ideal_accesses
from kcc.sim.program.issued import code_of, lowering_notes
from kcc.sim.result import (
    BlockTiming,
    CacheStatistics,
    Interval,
    LineTiming,
    StackPart,
    Timing,
)

COUNTS = {
    "L1 sectors": Stat.L1_SECTORS, "L1 hits": Stat.L1_HITS, "L1 pending": Stat.L1_PENDING,
    "L2 reads": Stat.L2_READS, "L2 read hits": Stat.L2_READ_HITS, "L2 writes": Stat.L2_WRITES,
    "DRAM sectors read": Stat.DRAM_READS, "DRAM sectors written": Stat.DRAM_WRITES,
    "DRAM row hits": Stat.ROW_HITS, "local accesses": Stat.LOCAL_ACCESSES,
    "local passes": Stat.LOCAL_PASSES, "loads": Stat.LOADS, "stores": Stat.STORES,
    "atomics": Stat.ATOMICS, "store sectors": Stat.STORE_SECTORS,
    "MSHR stall cycles": Stat.MSHR_CYCLES, "MSHR merge stalls": Stat.MERGE_STALLS,
    "resident warp cycles": Stat.WARP_CYCLES, "code lines fetched": Stat.FETCHES,
    "code sectors missed": Stat.FETCH_MISSES, "constant lines read": Stat.CONSTANT_LINES,
    "constant sectors missed": Stat.CONSTANT_MISSES, "sectors asked again": Stat.ASKED_AGAIN,
    "L2 write hits": Stat.L2_WRITE_HITS, "memory-side reads": Stat.SIDE_READS,
    "memory-side hits": Stat.SIDE_HITS,
}  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """What a simulation left."""

    tables: TraceTables
    launch: TraceLaunch
    machine: Machine
    program: Program
    run: NDArray[np.int64]
    stats: NDArray[np.int64]
    line_stats: NDArray[np.int64]
    intervals: NDArray[np.int64]
    stacks: NDArray[np.int64]
    line_stacks: NDArray[np.int64]
    log: NDArray[np.int64]
    thread_instructions: int


def timing_of(done: Outcome) -> Timing:
    """The result of a launch."""
    machine, stats = done.machine, done.stats
    cycles = int(done.run[Run.END]) + machine[Conf.OVERHEAD] + machine[Conf.CODE_CYCLES]
    return Timing(
        model="cycle",
        kernel=done.tables.kernel,
        launch=done.launch.number,
        gpu=machine.gpu.stem,
        cycles=cycles,
        time_us=cycles / machine.clock_mhz,
        clock_mhz=machine.clock_mhz,
        sms=machine[Conf.SMS],
        schedulers=machine[Conf.SMS] * machine[Conf.SCHEDULERS],
        thread_blocks=done.launch.thread_blocks,
        instructions=int(stats[Stat.WARP_INSTRUCTIONS]),
        thread_instructions=done.thread_instructions,
        issued=int(stats[Stat.ISSUED]),
        stack=_parts(done.stacks.sum(axis=0).tolist()),
        occupancy=machine.occupancy,
        caches=_caches(done),
        statistics={name: int(stats[place]) for name, place in COUNTS.items()},
        lines=tuple(_lines(done)),
        intervals=tuple(_intervals(done)),
        blocks=tuple(
            BlockTiming(number, *(int(v) for v in (row[0], row[3], row[1], row[2])))
            for number, row in enumerate(done.log)
        ),
        scheduler_stacks=tuple(map(tuple, done.stacks.tolist())),
        assumptions=machine.assumptions,
        confidence=_confidence(done),
        code=code_of(done.tables),
    )


def _parts(row: Sequence[int]) -> tuple[StackPart, ...]:
    return tuple(StackPart(NAMES[cause], row[cause]) for cause in Cause)


def _caches(done: Outcome) -> tuple[CacheStatistics, ...]:
    stats, found = done.stats, list[CacheStatistics]()
    if done.machine[Conf.L1_SETS]:
        l1 = (int(stats[s]) for s in (Stat.L1_SECTORS, Stat.L1_HITS, Stat.L1_PENDING))
        found.append(CacheStatistics("L1", *l1))
    if done.machine[Conf.L2_SETS]:
        l2 = (int(stats[s]) for s in (Stat.L2_READS, Stat.L2_READ_HITS))
        found.append(CacheStatistics("L2", *l2))
    return tuple(found)


def _lines(done: Outcome) -> Iterator[LineTiming]:
    """Each line of the source, the ones with the most cycles first; equal ones by place."""
    numbers = dict[tuple[int, int], int]()
    for place in ((-1, 0), *done.program.lines):
        numbers.setdefault(place, len(numbers))
    line_of = [numbers[place] for place in done.program.lines]
    stacks = np.zeros((len(numbers), CAUSES), np.int64)
    np.add.at(stacks, [0, *line_of], done.line_stacks)
    counts = np.zeros((len(numbers), len(LineStat)), np.int64)
    np.add.at(counts, line_of, done.line_stats)
    ideal = ideal_accesses(done.tables, done.machine.occupancy.block_threads)
    each = done.line_stats.T.astype(np.float64)
    excess = ideal.excess(
        line_of, len(numbers), each[LineStat.EXECUTED], each[LineStat.SECTORS],
        each[LineStat.PASSES],
    )  # fmt: skip
    cycles = stacks.sum(axis=1).tolist()
    for place, number in sorted(numbers.items(), key=lambda item: (-cycles[item[1]], item[0])):
        stack, seen = stacks[number], counts[number].tolist()
        if not stack.any() and not any(seen):
            continue
        yield LineTiming(
            done.tables.files[place[0]] if place[0] >= 0 else "",
            place[1],
            cycles[number],
            tuple(StackPart(NAMES[Cause(c)], int(stack[c])) for c in np.flatnonzero(stack)),
            *(seen[s] for s in LineStat),
            requests=float(excess.requests[number]),
            local_requests=float(excess.local_requests[number]),
            excess_sectors=float(excess.sectors[number]),
            excess_passes=float(excess.passes[number]),
        )


def _intervals(done: Outcome) -> Iterator[Interval]:
    length, end = 1 << int(done.run[Run.INTERVAL_SHIFT]), int(done.run[Run.END])
    for number, row in enumerate(done.intervals):
        start = number * length
        if start >= end:
            return
        yield Interval(start, min(start + length, end), int(row[0]), int(row[1]))


def _confidence(done: Outcome) -> tuple[str, ...]:
    notes = list(lowering_notes(done.tables))
    if done.machine.occupancy.registers is None:
        notes.append("registers are not known and do not limit occupancy")
    if any(name == "image" for i in done.tables.instructions for name, _ in i.classes):
        notes.append("images are not traced: each access counts as a hit of the texture cache")
    if done.machine.assumptions:
        notes.append(f"{len(done.machine.assumptions)} values of the GPU are assumed")
    return tuple(notes)
