"""In how many iterations a warp misses: lanes that walk along rows of their own come to new sectors
all at one time, or each at a time of its own.

A lane whose address moves by 4 bytes finds seven of eight elements in the sector that it has. Where
all lanes stand at the same place of their sectors (rows a multiple of 32 bytes long), the warp
waits for memory in one iteration of eight, for all sectors at once; where they stand at eight
different places, some lane waits in every iteration, and so does the warp.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from kcc.passes.facts import Facts
from kcc.passes.graph.loops import Loops
from kcc.sim.caches.streams import SECTOR, Stream
from kcc.sim.flow.launch_flow import Flow


def miss_shares(streams: Sequence[Stream], facts: Facts, flow: Flow) -> Mapping[int, float]:
    """By access, the share of its executions in which a warp comes to sectors that it has not had:
    of those that move along a sector with the innermost loop; all others miss as it falls."""
    innermost, found = facts[Loops].innermost, dict[int, float]()
    for stream in streams:
        loop = innermost[flow.block_of[stream.access]]
        step = abs(stream.loops.get(loop, 0)) if loop is not None else 0
        if stream.is_load and not stream.is_local and 0 < step < SECTOR and SECTOR % step == 0:
            share = miss_share(stream, step)
            if share < 1.0:
                found[stream.access] = share
    return found


def miss_share(stream: Stream, step: int) -> float:
    """The same of one access that moves ``step`` bytes per iteration."""
    if stream.rows is None:
        return 1.0
    places = (stream.rows % SECTOR) // step
    different = np.array([len(np.unique(warp)) for warp in places])
    return min(1.0, float(different.mean()) * step / SECTOR)
