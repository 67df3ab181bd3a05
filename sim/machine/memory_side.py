"""A cache between L2 and DRAM, at the side of the memory (AMD's Infinity Cache).

It has no place of its own in the pipeline: what hits it is taken to wait as long as what hits L2,
and only its bandwidth is a bound. Capacity is looked at as that of an L2 of its size.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from kcc.base.gpu.description import Extra
from kcc.sim.caches.analysis import Traffic


@dataclass(frozen=True, slots=True)
class MemorySide:
    """``bytes_per_cycle`` of the SM clock, of the whole GPU."""

    size_bytes: int
    bytes_per_cycle: float


def memory_side_of(extra: Extra, clock_mhz: float) -> MemorySide | None:
    """That of a GPU whose size and bandwidth are known."""
    size, speed = extra.l3_bytes, extra.l3_bandwidth_gbs
    if size is None or speed is None:
        return None
    return MemorySide(int(size.value), float(speed.value) * 1e3 / clock_mhz)


def beyond_cache(
    traffic: Mapping[int, Traffic], larger: Mapping[int, Traffic]
) -> tuple[dict[int, Traffic], dict[int, float]]:
    """The traffic with what DRAM moves below a memory-side cache, if it moves that of ``larger``
    where L2 is as large as that cache; and the sectors that the cache moves, by access."""
    moved = {a: t.dram_sectors for a, t in traffic.items()}
    found = {
        a: replace(t, dram_sectors=min(t.dram_sectors, larger[a].dram_sectors))
        for a, t in traffic.items()
    }
    return found, moved
