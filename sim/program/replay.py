"""Batches of a trace as batches of a machine program."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from kcc.base.trace.decode import TraceBatch


@dataclass(frozen=True, slots=True, eq=False)
class Replay:
    """How segments and accesses of a trace become a program's.

    By segment of the trace: ``loop_of`` is the unrolled loop that it is in, -1 for none, ``begins``
    whether an iteration begins there, ``without`` the segment that stands for it in iterations
    that do not pay what ``times[loop]`` of them share, -1 where it is the same. By segment of the
    program: ``bounds`` of its accesses. By access: ``sources[starts[a]:starts[a + 1]]`` are the
    places, among those of the trace's segment, of which it takes the lowest address, else it has
    the ``fixed`` one.
    """

    loop_of: NDArray[np.int32]
    begins: NDArray[np.bool_]
    times: NDArray[np.int64]
    without: NDArray[np.int32]
    bounds: NDArray[np.int64]
    starts: NDArray[np.int64]
    sources: NDArray[np.int64]
    fixed: NDArray[np.int64]

    def batch(self, batch: TraceBatch, warps: int) -> TraceBatch:
        """A batch of a launch with so many warps in a thread block."""
        from kcc.sim.program.replay_native import chosen_segments, taken_addresses

        segment = batch.segment
        if (self.without >= 0).any():
            segment = np.empty_like(segment)
            chosen_segments(
                batch.thread_block, batch.warp, batch.segment, self.loop_of, self.begins,
                self.times, self.without, warps, segment,
            )  # fmt: skip
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
