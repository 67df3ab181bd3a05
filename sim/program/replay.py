"""Batches of a trace as batches of a machine program."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from kcc.base.records import dataclass
from kcc.base.trace.decode import TraceBatch


@dataclass(frozen=True, slots=True, eq=False)
class Idle:
    """Predicated blocks, up to two after a segment: ``sides`` of each segment of the trace are
    those of its ways, -1 for none; ``instead`` of each segment of the program is what a warp issues
    that has no lane in that way."""

    sides: NDArray[np.int32]
    instead: NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Replay:
    """How segments and accesses of a trace become a program's.

    By segment of the trace: ``loop_of`` is the unrolled loop that it is in, -1 for none, ``begins``
    whether an iteration begins there, ``without`` the segment that stands for it in iterations
    that do not pay what ``times[loop]`` of them share, ``together`` the one that is so many of
    them by the same lanes, -1 where there is none. By segment of the
    program: ``bounds`` of its accesses. By access: ``sources[starts[a]:starts[a + 1]]`` are the
    places, among those of the trace's segment, of which it takes the lowest address, else it has
    the ``fixed`` one.
    """

    loop_of: NDArray[np.int32]
    begins: NDArray[np.bool_]
    times: NDArray[np.int64]
    without: NDArray[np.int32]
    together: NDArray[np.int32]
    bounds: NDArray[np.int64]
    starts: NDArray[np.int64]
    sources: NDArray[np.int64]
    fixed: NDArray[np.int64]
    idle: Idle

    def batch(self, batch: TraceBatch, warps: int) -> TraceBatch:
        """A batch of a launch with so many warps in a thread block."""
        from kcc.sim.program.replay_native import chosen_segments, taken_addresses, with_idle

        if (self.without >= 0).any():
            segment, kept = np.empty_like(batch.segment), np.ones(len(batch), np.bool_)
            chosen_segments(
                batch.thread_block, batch.warp, batch.segment, batch.mask, self.loop_of,
                self.begins, self.times, self.without, self.together, warps, segment, kept,
            )  # fmt: skip
        else:
            segment, kept = batch.segment.copy(), np.ones(len(batch), np.bool_)
        if (self.idle.sides >= 0).any():
            with_idle(
                batch.thread_block, batch.warp, batch.segment, self.idle.sides, self.idle.instead,
                warps, segment,
            )  # fmt: skip
        batch = _part(replace(batch, segment=segment), kept)
        segment = batch.segment
        first, end = self.bounds[segment, 0], self.bounds[segment, 1]
        if not batch.addresses.shape[1]:
            return replace(batch, segment=segment)
        access_start = np.append(0, np.cumsum(end - first))
        access = np.empty(access_start[-1], np.int32)
        addresses = np.empty((len(access), batch.addresses.shape[1]), np.int64)
        taken_addresses(
            batch.access_start, batch.addresses, first, self.starts, self.sources, self.fixed,
            access_start, access, addresses,
        )  # fmt: skip
        return replace(
            batch, segment=segment, access_start=access_start, access=access, addresses=addresses
        )


def _part(batch: TraceBatch, kept: NDArray[np.bool_]) -> TraceBatch:
    """Some rows of a batch, with the accesses of all: those of a row that is left out belong to the
    one before."""
    if kept.all():
        return batch
    return TraceBatch(
        batch.thread_block[kept], batch.warp[kept], batch.segment[kept], batch.block[kept],
        batch.continued[kept], batch.mask[kept],
        np.append(batch.access_start[:-1][kept], batch.access_start[-1]),
        batch.access, batch.addresses,
    )  # fmt: skip
