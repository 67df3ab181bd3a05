"""L2 with what the launch before left in it, where launches follow each other on the same data.

What fits stays, and nothing of it goes to DRAM. What does not fit is gone over in a circle: of
least recently used lines none would be left when they are used again, with random replacement some
would up to many times the size. GPUs are between the two: nothing is left from 1.6 times the size
on.

Where L2 has two halves, what an SM reads from the far one is kept in both: half of all lines.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from kcc.sim.caches.footprint import Traffic
from kcc.sim.caches.overflow import missing_share
from kcc.sim.caches.streams import SECTOR, Stream

COPIES = 1.5
"""Of a line in an L2 of two halves, in the mean: the same on A100 and H200, where DRAM is first
asked from 0.6 and 0.7 of the size on."""


def warmed(
    traffic: Mapping[int, Traffic], streams: Sequence[Stream], l2_bytes: float
) -> Mapping[int, Traffic]:
    """The traffic of a launch that finds L2 as a launch of its own kind left it."""
    share = missing_share(_footprint(traffic, streams), l2_bytes)
    return {
        a: replace(t, dram_sectors=t.dram_sectors * share, pending=t.pending * share)
        for a, t in traffic.items()
    }


def _footprint(traffic: Mapping[int, Traffic], streams: Sequence[Stream]) -> float:
    """Bytes that a cold launch moves from and to DRAM; what is read and written counts once."""
    moved = dict[str, list[float]]()
    for stream in streams:
        if not stream.is_local and stream.access in traffic:
            ways = moved.setdefault(stream.array, [0.0, 0.0])
            ways[stream.is_load] += stream.executions * traffic[stream.access].dram_sectors
    return SECTOR * sum(max(ways) for ways in moved.values())
