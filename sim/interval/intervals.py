"""Interval profiles of warps (dissertation, section 4.3.2, equations 11 and 13)."""

from __future__ import annotations

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from kcc.base.records import dataclass
from kcc.sim.interval.facts import RESOURCES, Kind, Operations, Resource


class Feature(IntEnum):
    """What is added up over the operations of an interval; cycles and requests of one warp."""

    MEMORY_INSTRUCTIONS = 0
    """Global loads."""
    MSHR_REQUESTS = 1
    """Sectors that loads do not find in L1: each takes a miss entry."""
    DRAM_REQUESTS = 2
    """Sectors that are not in L2, of loads and of stores (section 4.4.2.2)."""
    LOAD_STORE_CYCLES = 3
    """Of the SM's load/store unit."""
    OUT_CYCLES = 4
    """Of the SM's way to L2."""
    IN_CYCLES = 5
    """Of the SM's way from L2."""
    L2_REQUESTS = 6
    """Sectors that L2 is asked for."""
    DRAM_TRANSFERS = 7
    """Sectors that DRAM reads, and writes when L2 gives them up."""
    MSHR_CYCLES = 8
    """Miss entries times the cycles for which each is taken."""
    WRITES = 9
    """Sectors that stores and atomics are for: these wait for room in queues."""
    UNITS = 10
    """From here on busy cycles of each resource."""


FEATURES = int(Feature.UNITS) + RESOURCES


@dataclass(frozen=True, slots=True, eq=False)
class IntervalProfile:
    """Equation 11: instructions and the stall cycles after them, per interval.

    ``cause`` is the operation that a stall waits for, or ``-1 - resource`` where a pipeline was
    taken; it was issued ``since_cycles`` before the stall. The last interval has no stall.
    ``first`` is the operation that an interval begins with.
    ``barrier`` marks intervals that end at one. ``features`` has the columns of :class:`Feature`.
    """

    instructions: NDArray[np.float64]
    stall_cycles: NDArray[np.float64]
    since_cycles: NDArray[np.float64]
    cause: NDArray[np.int64]
    barrier: NDArray[np.bool_]
    features: NDArray[np.float64]
    first: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.instructions)

    def of(self, feature: Feature) -> NDArray[np.float64]:
        """A feature of each interval."""
        return self.features[:, feature]

    def of_resource(self, resource: Resource) -> NDArray[np.float64]:
        """Busy cycles of a resource in each interval."""
        return self.features[:, Feature.UNITS + resource]

    @property
    def total_instructions(self) -> float:
        return float(self.instructions.sum())

    @property
    def total_cycles(self) -> float:
        """Of the warp alone: the denominator of equations 14 and 18, at one issue per cycle."""
        return float(self.instructions.sum() + self.stall_cycles.sum())

    @property
    def warp_perf(self) -> float:
        """Equation 14: instructions per cycle of the warp alone."""
        return self.total_instructions / self.total_cycles if len(self) else 0.0


def profile_of(instructions: list[float], stall_cycles: list[float]) -> IntervalProfile:
    """A profile of numbers alone, as the text's figures have them."""
    count = len(instructions)
    return IntervalProfile(
        np.array(instructions, np.float64), np.array(stall_cycles, np.float64),
        np.ones(count), np.full(count, -1, np.int64), np.zeros(count, np.bool_),
        np.zeros((count, FEATURES)), np.zeros(count, np.int64),
    )  # fmt: skip


def takes_pipeline(operations: Operations) -> NDArray[np.bool_]:
    """The operations that take a pipeline for longer than they issue, so that other warps find it
    taken."""
    o = operations
    return (o.kind == Kind.ARITHMETIC) & (o.busy_cycles > o.issue_slots)


def interval_profile(
    operations: Operations,
    sequence: NDArray[np.int32],
    latency_cycles: NDArray[np.float64],
    features: NDArray[np.float64],
    *,
    structural: bool,
    scheduled: bool = False,
    at_code_lines: bool = False,
) -> IntervalProfile:
    """The profile of a warp that executes the segments ``sequence``, each operation with its
    latency. With ``structural`` pipelines that are busy stall the warp too, and operations that
    take theirs for longer than they issue begin an interval. As they are ``scheduled``, those of
    the load/store unit do, too, and intervals end at barriers; ``at_code_lines`` also where a warp
    comes to another line of code."""
    from kcc.sim.interval.intervals_native import find_intervals

    o = operations
    begin = takes_pipeline(o) & structural
    begin |= (o.resource == Resource.MEMORY) & (o.kind > Kind.PHI) & scheduled
    busy = np.maximum(o.busy_cycles, 1).astype(np.float64)
    room = 1024 + 4 * len(sequence)
    while True:
        insts, stalls = np.empty(room), np.empty(room)
        since, sums = np.empty(room), np.empty((room, features.shape[1]))
        cause, barrier = np.empty(room, np.int64), np.zeros(room if scheduled else 0, np.int64)
        begins = np.empty(room, np.int64)
        count = find_intervals(
            sequence, o.kind, o.resource, o.issue_slots, busy, latency_cycles, o.result,
            o.first_source, o.end_source, o.sources, o.incoming, o.segments, o.registers,
            o.code if at_code_lines else np.zeros_like(o.code),
            begin, features, structural, insts, stalls, since, cause, barrier, sums, begins,
        )  # fmt: skip
        if count >= 0:
            ends = barrier[:count] > 0 if scheduled else np.zeros(count, np.bool_)
            return IntervalProfile(
                insts[:count],
                stalls[:count],
                since[:count],
                cause[:count],
                ends,
                sums[:count],
                begins[:count],
            )
        room *= 4
