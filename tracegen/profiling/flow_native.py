"""The inner loops of :mod:`kcc.tracegen.profiling.flow`, compiled by numba. Import it lazily."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kcc.base.native import native
from kcc.tracegen.profiling.layout import EXACT_TRIPS

Ints = NDArray[np.int64]
Masks = NDArray[np.uint64]


@native
def popcount(mask: np.uint64) -> int:
    """The number of bits set."""
    mask = mask - ((mask >> np.uint64(1)) & np.uint64(0x5555555555555555))
    mask = (mask & np.uint64(0x3333333333333333)) + (
        (mask >> np.uint64(2)) & np.uint64(0x3333333333333333)
    )
    mask = (mask + (mask >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return int((mask * np.uint64(0x0101010101010101)) >> np.uint64(56))


@native
def popcounts(masks: Masks) -> Ints:
    """The number of bits set in each."""
    counts = np.empty(masks.shape[0], np.int64)
    for row in range(masks.shape[0]):
        counts[row] = popcount(masks[row])
    return counts


@native
def trip_bucket(trips: int) -> int:
    """The bucket of a trip count; bucket ``EXACT_TRIPS + k`` starts at ``EXACT_TRIPS << k``."""
    if trips < EXACT_TRIPS:
        return trips
    bucket = EXACT_TRIPS
    trips //= 2 * EXACT_TRIPS
    while trips:
        bucket += 1
        trips //= 2
    return bucket


@native
def _finish_trips(lanes: np.uint64, trips: Ints, totals: Ints, histogram: Ints) -> None:
    """Record the trip counts of the ``lanes`` that have left a loop, and start them anew.
    ``totals`` is entries, trips in all, least, most."""
    lane = 0
    while lanes:
        if lanes & np.uint64(1):
            count = trips[lane]
            totals[0] += 1
            totals[1] += count
            totals[2] = min(totals[2], count)
            totals[3] = max(totals[3], count)
            histogram[trip_bucket(count)] += 1
            trips[lane] = 0
        lanes >>= np.uint64(1)
        lane += 1


@native
def finish_block(
    last: Masks, visited: Masks, crossed: Masks, inside: Masks, trips: Ints,
    threads: Ints, crossing: Ints, totals: Ints, histogram: Ints,
) -> None:  # fmt: skip
    """Account for a thread block that has ended and forget its warps."""
    for warp in range(last.shape[0]):
        for block in range(last.shape[1]):
            if visited[warp, block]:
                threads[block] += popcount(visited[warp, block])
                visited[warp, block] = 0
            last[warp, block] = 0
        for edge in range(crossed.shape[1]):
            if crossed[warp, edge]:
                crossing[edge] += popcount(crossed[warp, edge])
                crossed[warp, edge] = 0
        for loop in range(inside.shape[1]):
            _finish_trips(inside[warp, loop], trips[warp, loop], totals[loop], histogram[loop])
            inside[warp, loop] = 0


@native
def follow(
    thread_blocks: Ints, warps: NDArray[np.int32], blocks: NDArray[np.int32],
    continued: NDArray[np.bool_], masks: Masks, current: int,
    pred_start: Ints, pred_block: Ints, header_of: Ints, edge_inside: NDArray[np.bool_],
    last: Masks, visited: Masks, crossed: Masks, inside: Masks, trips: Ints,
    counts: Ints, threads: Ints, taken: Ints, crossing: Ints, totals: Ints, histogram: Ints,
) -> int:  # fmt: skip
    """Follow the lanes through the executed blocks, in their order; gives the thread block that
    came last, to be handed in as ``current`` with the next batch.

    ``last[warp, block]`` are the lanes whose last block that was. Edge e leads from
    ``pred_block[e]`` to the block whose range in ``pred_start`` holds e; ``edge_inside[e]`` says
    that it goes on in the loop of its target, a header. ``header_of`` gives the loop that a block
    heads, or -1. A trip is one execution of the header.
    """
    for row in range(blocks.shape[0]):
        if thread_blocks[row] != current:
            finish_block(
                last, visited, crossed, inside, trips, threads, crossing, totals, histogram
            )
            current = thread_blocks[row]
        if continued[row]:
            continue
        warp, block, mask = warps[row], blocks[row], masks[row]
        counts[block, 0] += 1
        counts[block, 1] += popcount(mask)
        loop = header_of[block]
        entered = mask
        for edge in range(pred_start[block], pred_start[block + 1]):
            came = last[warp, pred_block[edge]] & mask
            if came:
                taken[edge, 0] += 1
                taken[edge, 1] += popcount(came)
                crossed[warp, edge] |= came
                last[warp, pred_block[edge]] &= ~came
                if edge_inside[edge]:
                    entered &= ~came
        last[warp, block] |= mask
        visited[warp, block] |= mask
        if loop >= 0:
            again = inside[warp, loop] & entered
            if again:
                _finish_trips(again, trips[warp, loop], totals[loop], histogram[loop])
            inside[warp, loop] |= entered
            rest, lane = mask, 0
            while rest:
                if rest & np.uint64(1):
                    trips[warp, loop, lane] += 1
                rest >>= np.uint64(1)
                lane += 1
    return current
