"""A launch of which only chosen thread blocks are left: what other simulators get."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from kcc.base.records import dataclass
from kcc.base.trace.decode import TraceBatch
from kcc.base.trace.launches import TraceLaunch
from kcc.base.trace.reader import LaunchTrace
from kcc.sim.sampling.block_profile import LaunchProfile
from kcc.sim.sampling.estimate import BlockRange, LaunchEstimate
from kcc.sim.sampling.feeding import BlockReader


@dataclass(frozen=True, slots=True, eq=False)
class ReducedLaunch(LaunchTrace):
    """The thread blocks of ``ranges``, numbered anew from 0 in one dimension."""

    ranges: tuple[BlockRange, ...]
    whole: LaunchTrace

    def batches(self, first: int = 0, blocks: int | None = None) -> Iterator[TraceBatch]:
        """What their warps did, as of any launch."""
        last = self.launch.thread_blocks if blocks is None else first + blocks
        reader, start = BlockReader(self.whole), 0
        for own in self.ranges:
            low = max(own.first, own.first + first - start)
            high = min(own.end, own.first + last - start)
            if low < high:
                for batch in reader.read(low, high):
                    number = batch.thread_block - own.first + start
                    yield TraceBatch(
                        number.astype(np.int64), batch.warp, batch.segment, batch.block,
                        batch.continued, batch.mask, batch.access_start, batch.access,
                        batch.addresses,
                    )  # fmt: skip
            start += own.end - own.first


def first_blocks(launch: TraceLaunch, count: int) -> TraceLaunch:
    """A launch of so many thread blocks in one dimension."""
    local = (*launch.local_size, 1, 1)[:3]
    whole = (count * local[0], local[1], local[2])
    return replace(launch, global_size=whole, local_size=local, offset=(0, 0, 0))


def reduced(
    trace: LaunchTrace, profile: LaunchProfile, ranges: Sequence[BlockRange]
) -> ReducedLaunch:
    """The launch with these thread blocks alone; its counts by basic block are scaled."""
    count = sum(own.end - own.first for own in ranges)
    launch = first_blocks(trace.launch, count)
    work = sum(int(profile.warp_instructions[own.first : own.end].sum()) for own in ranges)
    share = work / max(trace.totals.warp_instructions, 1)
    totals = replace(
        trace.totals,
        segments=round(trace.totals.segments * share),
        accesses=round(trace.totals.accesses * share),
        warp_instructions=work,
        thread_instructions=sum(
            int(profile.thread_instructions[own.first : own.end].sum()) for own in ranges
        ),
        counts=tuple((round(runs * share), round(lanes * share))
                     for runs, lanes in trace.totals.counts),
    )  # fmt: skip
    return ReducedLaunch(
        trace.file, trace.number, launch, trace.tables, totals, (), trace.end, tuple(ranges), trace
    )


def reduced_launches(
    traces: Sequence[LaunchTrace],
    profiles: Sequence[LaunchProfile],
    simulated: Sequence[LaunchEstimate],
) -> list[LaunchTrace]:
    """The launches that were simulated, with the thread blocks that were, in order."""
    ordered = sorted(simulated, key=lambda one: one.place)
    return [reduced(traces[n.place], profiles[n.place], n.simulated) for n in ordered]
