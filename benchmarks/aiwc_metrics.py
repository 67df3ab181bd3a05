"""AIWC's metrics of a launch, from kcc's trace.

AIWC (Johnston and Milthorpe, "AIWC: OpenCL-Based Architecture-Independent Workload
Characterization", LLVM-HPC 2018) is a plugin of oclgrind, which interprets work-item by work-item:
those of a work-group one after another, each up to the next barrier. The version of 2017 that made
the figures compared here

- knows addresses by their low 32 bits, where oclgrind has the place in the buffer: accesses to the
  same place in different buffers are one to it;
- moves the accesses of a work-group to those of the launch in a loop that ends when half of them
  are moved (it counts up to the length of the list it takes them from): the later half is kept,
  rounded up, and the earlier is lost.

:class:`MemoryReplay` does the same on purpose.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kcc.base.trace.decode import TraceBatch
from kcc.base.trace.launches import TraceLaunch
from kcc.base.trace.tables import TraceTables

SKIPPED_BITS = range(11)
"""AIWC's entropies: global (0 low bits left out) and local (1 to 10)."""

Words = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class MemoryMetrics:
    """What AIWC says of memory: addresses touched, addresses that 90 % of the accesses go to,
    entropy in bits of the addresses without their 0 to 10 low bits. ``accesses`` are all, those
    that AIWC loses too, and ``whole_footprint`` the addresses they touch, buffers told apart."""

    accesses: int
    whole_footprint: int
    footprint: int
    ninety_percent: int
    entropies: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class _Rows:
    """Accesses of work-items, one row for each."""

    group: Words
    turn: Words
    """Barriers the work-item has passed, and after that its number in the work-group."""
    place: Words
    buffer: Words


class MemoryReplay:
    """Collects the accesses of one launch, batch by batch in order."""

    def __init__(self, tables: TraceTables, launch: TraceLaunch) -> None:
        self.width = tables.width
        starts = {b.argument: b.address for b in launch.buffers}
        self.buffer = np.array([a.argument for a in tables.accesses], np.int64)
        if any(argument not in starts for argument in self.buffer.tolist()):
            raise ValueError("an access that is not to one buffer alone")
        self.start = np.array([starts[argument] for argument in self.buffer.tolist()], np.int64)
        self.ends_in_barrier = np.array([s.barrier >= 0 for s in tables.segments])
        self.passed: dict[tuple[int, int], int] = {}
        self.rows = list[_Rows]()

    def add(self, batch: TraceBatch) -> None:
        """Account for a batch of the trace."""
        accesses = np.diff(batch.access_start)
        segment = np.repeat(np.arange(len(batch)), accesses)
        lanes = np.arange(self.width, dtype=np.uint64)
        active = (batch.mask[segment, None] >> lanes) & np.uint64(1)
        row, lane = np.nonzero(active)
        segment, access = segment[row], batch.access[row]
        passed = self._barriers_passed(batch)[segment]
        item = batch.warp[segment] * self.width + lane
        place = batch.addresses[row, lane] - self.start[access]
        turn = (passed << 32) + item
        self.rows.append(_Rows(batch.thread_block[segment], turn, place, self.buffer[access]))

    def _barriers_passed(self, batch: TraceBatch) -> Words:
        """By the warp that executes each segment."""
        result = np.zeros(len(batch), np.int64)
        if self.ends_in_barrier.any():
            ends = self.ends_in_barrier[batch.segment]
            warps = zip(
                batch.thread_block.tolist(), batch.warp.tolist(), ends.tolist(), strict=True
            )
            for number, (block, warp, barrier) in enumerate(warps):
                result[number] = self.passed.get((block, warp), 0)
                if barrier:
                    self.passed[block, warp] = int(result[number]) + 1
        return result

    def finish(self) -> MemoryMetrics:
        """The metrics, once all has been added."""
        group, turn, place, buffer = (
            np.concatenate([getattr(r, name) for r in self.rows])
            for name in ("group", "turn", "place", "buffer")
        )
        kept = place[_later_half(group, turn)]
        counts = np.sort(np.unique(kept, return_counts=True)[1])[::-1]
        enough = -(-9 * len(kept) // 10)
        return MemoryMetrics(
            accesses=len(place),
            whole_footprint=len(np.unique((buffer << 40) + place)),
            footprint=len(counts),
            ninety_percent=int(np.searchsorted(np.cumsum(counts), enough)) + 1,
            entropies=tuple(_entropy(kept >> bits) for bits in SKIPPED_BITS),
        )


def _later_half(group: Words, turn: Words) -> Words:
    """The rows AIWC keeps. In the trace a work-item's accesses are in order, so sorting by group
    and turn alone gives AIWC's order."""
    order = np.lexsort((turn, group))
    ordered = group[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    sizes = np.diff(np.r_[starts, len(ordered)])
    position = np.arange(len(ordered)) - np.repeat(starts, sizes)
    return order[position >= np.repeat(sizes // 2, sizes)]


def _entropy(values: Words) -> float:
    shares = np.unique(values, return_counts=True)[1] / len(values)
    return float(-(shares * np.log2(shares)).sum())
