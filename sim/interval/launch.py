"""How a launch is spread over the GPU: the blocks of the SM that has most to do.

Blocks go to SMs in their order, wherever one ends first; what they take is taken to be the issue
slots of their longest warp. All models speak of this SM: the launch ends when it does.
"""

from __future__ import annotations

import heapq

import numpy as np
from numpy.typing import NDArray

from kcc.base.records import dataclass
from kcc.sim.interval.collect import Collection

SEQUENCES = 64
"""Sequences that are walked, where warps differ more: those at as many quantiles of length, and the
longest. The other warps count as the one of the most similar length."""


@dataclass(frozen=True, slots=True, eq=False)
class BusiestSm:
    """The SM with most issue slots of a launch.

    ``kept`` are the sequences (of the collection) that are walked, ``warps`` how many warps of the
    launch each stands for. ``sequence_of_warp`` has for each block of the SM, in order, and each of
    its warps the place in ``kept``, -1 for none. ``resident`` blocks are there at once. ``slots``
    are the issue slots of each of its blocks; ``share`` of all slots is the SM's times the number
    of SMs: 1 where all have the same.
    """

    kept: tuple[int, ...]
    warps: NDArray[np.int64]
    sequence_of_warp: NDArray[np.int64]
    resident: int
    slots: NDArray[np.int64]
    all_slots: int
    sms: int

    @property
    def excess(self) -> float:
        """What this SM has to do over the mean of all."""
        return float(self.slots.sum()) * self.sms / self.all_slots if self.all_slots else 1.0


def busiest_sm(collection: Collection) -> BusiestSm:
    """The SM that ends last, by issue slots."""
    machine = collection.machine
    o = collection.operations
    per_segment = np.array([o.issue_slots[a:b].sum() for a, b, _ in o.segments], np.int64)
    lengths = np.array([per_segment[s.segments].sum() for s in collection.sequences], np.int64)
    warps = np.array([s.warps for s in collection.sequences], np.int64)
    kept, place_of = _sample(lengths, warps)
    of_warp = collection.sequence_of_warp
    there = of_warp >= 0
    length_of = np.append(lengths, 0)  # the last for warps that did nothing
    slots = length_of[of_warp]
    mine = _blocks_of_busiest(slots, machine.sms, machine.blocks)
    places = np.where(there[mine], place_of[np.maximum(of_warp[mine], 0)], -1)
    stands_for = np.bincount(place_of, warps, len(kept)).astype(np.int64)
    resident = min(machine.blocks, max(len(mine), 1))
    return BusiestSm(
        tuple(kept.tolist()), stands_for, places, resident, slots[mine].sum(axis=1),
        int(slots.sum()), machine.sms,
    )  # fmt: skip


def _sample(
    lengths: NDArray[np.int64], warps: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The sequences that are walked, and for each sequence its place among them."""
    if len(lengths) <= SEQUENCES:
        everything = np.arange(len(lengths))
        return everything, everything
    order = np.argsort(lengths, kind="stable")
    below = np.cumsum(warps[order])
    marks = (np.arange(SEQUENCES) + 0.5) / SEQUENCES * below[-1]
    chosen = order[np.searchsorted(below, marks)]
    kept = np.unique(np.append(chosen, order[-1]))
    by_length = kept[np.argsort(lengths[kept], kind="stable")]
    middles = (lengths[by_length][1:] + lengths[by_length][:-1]) / 2
    nearest = by_length[np.searchsorted(middles, lengths)]
    return kept, np.searchsorted(kept, nearest)


def _blocks_of_busiest(slots: NDArray[np.int64], sms: int, places: int) -> NDArray[np.int64]:
    longest = slots.max(axis=1, initial=0).tolist()
    free = [(0, place, sm) for place in range(places) for sm in range(sms)]
    heapq.heapify(free)
    sm_of_block = np.zeros(len(slots), np.int64)
    for block, takes in enumerate(longest):
        time, place, sm = free[0]
        sm_of_block[block] = sm
        heapq.heapreplace(free, (time + takes, place, sm))
    load = np.bincount(sm_of_block, slots.sum(axis=1), sms)
    return np.flatnonzero(sm_of_block == int(np.argmax(load)))
