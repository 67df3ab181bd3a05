"""A cache between L2 and DRAM, at the side of the memory (AMD's Infinity Cache).

It has no place of its own in the pipeline: what hits it waits longer than what hits L2, and its
bandwidth is a bound. Capacity is looked at as that of an L2 of its size.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from kcc.base.gpu.description import Extra
from kcc.base.records import dataclass
from kcc.sim.caches.footprint import Traffic


@dataclass(frozen=True, slots=True)
class MemorySide:
    """``bytes_per_cycle`` of the SM clock, of the whole GPU; a load that hits takes
    ``latency_cycles``, None where that is not known and taken to be L2's."""

    size_bytes: int
    bytes_per_cycle: float
    latency_cycles: float | None = None

    def waits(self, share: float, l2_cycles: float, dram_cycles: float) -> float:
        """How much of DRAM's latency beyond L2's a load waits of which a ``share`` hits."""
        if self.latency_cycles is None or dram_cycles <= l2_cycles:
            return 0.0
        longer = min(self.latency_cycles, dram_cycles) - l2_cycles
        return share * max(longer, 0.0) / (dram_cycles - l2_cycles)


def memory_side_of(extra: Extra, clock_mhz: float) -> MemorySide | None:
    """That of a GPU whose size and bandwidth are known."""
    size, speed = extra.l3_bytes, extra.l3_bandwidth_gbs
    if size is None or speed is None:
        return None
    latency = extra.infinity_cache_latency_ns
    cycles = None if latency is None else float(latency.value) * clock_mhz / 1e3
    return MemorySide(int(size.value), float(speed.value) * 1e3 / clock_mhz, cycles)


def beyond_cache(
    traffic: Mapping[int, Traffic], larger: Mapping[int, Traffic], scratch: Mapping[int, float]
) -> tuple[dict[int, Traffic], dict[int, float]]:
    """The traffic with what DRAM moves below a memory-side cache, if it moves that of ``larger``
    where L2 is as large as that cache; and the sectors that the cache moves, by access.
    ``scratch``: of the accesses to work-items' own memory the share that the cache keeps."""
    moved, found = dict[int, float](), dict[int, Traffic]()
    for access, own in traffic.items():
        kept = scratch.get(access, 1.0)
        moved[access] = kept * own.dram_sectors
        spared = kept * max(own.dram_sectors - larger[access].dram_sectors, 0.0)
        found[access] = replace(own, dram_sectors=own.dram_sectors - spared)
    return found, moved


def scratch_kept(
    traffic: Mapping[int, Traffic], loads: Mapping[int, float], stores: Mapping[int, float]
) -> dict[int, float]:
    """What the cache keeps of work-items' own memory, by access: nothing that is stored; what is
    loaded once it was loaded before. ``loads`` and ``stores``: how often warps execute each.

    Nothing is published. Of 17 convolutions on a Radeon PRO W6600 whose sums are spilled, DRAM
    would move what is so counted at 134 to 404 GB/s in the times measured, 166 in the median; its
    peak is 224.
    """
    read, written = (
        sum(times * traffic[access].dram_sectors for access, times in part.items())
        for part in (loads, stores)
    )
    again = max(0.0, 1.0 - written / read) if read else 0.0
    return dict.fromkeys(stores, 0.0) | dict.fromkeys(loads, again)
