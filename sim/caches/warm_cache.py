"""L2 with what the launch before left in it, where launches follow each other on the same data; and
what a launch leaves there.

What fits stays, and nothing of it goes to DRAM. What does not fit is gone over in a circle: of
least recently used lines none would be left when they are used again, with random replacement some
would up to many times the size. GPUs are between the two: nothing is left from 1.2 to 1.6 times
the size on (:mod:`kcc.sim.caches.overflow`).

Where L2 has two halves, what an SM reads from the far one is kept in both: half of all lines.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from kcc.sim.caches.footprint import Traffic
from kcc.sim.caches.overflow import missing_share
from kcc.sim.caches.streams import SECTOR, Stream

COPIES = 1.5
"""Of a line in an L2 of two halves, in the mean: the same on A100 and H200, where DRAM is first
asked from 0.6 and 0.7 of the size on."""


DIRTY_SHARE = 0.5
"""Of the lines of L2, how many are written and not yet in DRAM when a launch ends, at most: 0.33 to
0.53 of those of seven kernels on a GV100 (rodinia_parboil_sdk_gv100_counters.csv; 0.04 of
histogram64Kernel, which hardly writes), 0.43 to 0.50 on an RTX 2080 Ti (nine tenths of the 2,351
configurations of convolution and Coulomb sums that write each sector once)."""


def warmed(
    traffic: Mapping[int, Traffic],
    streams: Sequence[Stream],
    l2_bytes: float,
    gone: float | None = None,
) -> Mapping[int, Traffic]:
    """The traffic of a launch that finds L2 as a launch of its own kind left it: with as much to
    write to DRAM as it leaves; ``gone`` as of :func:`kcc.sim.caches.overflow.missing_share`."""
    share = missing_share(_moved(traffic, streams).footprint, l2_bytes, gone)
    return {
        a: replace(t, dram_sectors=t.dram_sectors * share, pending=t.pending * share)
        for a, t in traffic.items()
    }


def cooled(
    traffic: Mapping[int, Traffic], streams: Sequence[Stream], l2_bytes: float
) -> Mapping[int, Traffic]:
    """The traffic of a launch that finds nothing in L2: what is written last has not come to DRAM
    at its end. Lines that are read and lines that are written leave L2 alike. Atomic operations
    read theirs, which are not less."""
    moved = _moved(traffic, streams)
    if not moved.written:
        return traffic
    share = 1.0 - min(l2_bytes / moved.footprint, DIRTY_SHARE * l2_bytes / moved.written, 1.0)
    stores = {each.access for each in streams if not (each.is_load or each.is_atomic)}
    return {
        a: replace(t, dram_sectors=t.dram_sectors * share) if a in stores else t
        for a, t in traffic.items()
    }


class _Moved(NamedTuple):
    """Bytes that a launch with nothing in L2 moves from and to DRAM, where what is read and written
    counts once; and those of them that are ``written``."""

    footprint: float
    written: float


def _moved(traffic: Mapping[int, Traffic], streams: Sequence[Stream]) -> _Moved:
    moved = dict[str, list[float]]()
    for stream in streams:
        if not stream.is_local and stream.access in traffic:
            ways = moved.setdefault(stream.array, [0.0, 0.0])
            ways[stream.is_load] += stream.executions * traffic[stream.access].dram_sectors
    found = moved.values()
    return _Moved(SECTOR * sum(max(ways) for ways in found), SECTOR * sum(w for w, _ in found))
