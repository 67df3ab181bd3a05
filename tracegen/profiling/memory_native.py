"""The inner loops of :mod:`kcc.tracegen.profiling.memory`, compiled by numba. Import it lazily."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kcc.base.native import native
from kcc.tracegen.profiling.flow_native import popcount
from kcc.tracegen.profiling.layout import (
    CACHED,
    EXECUTIONS,
    FULL_WARPS,
    KNOWN_BANKS_16,
    KNOWN_BANKS_32,
    KNOWN_LINES,
    KNOWN_MASK,
    KNOWN_PLACE,
    KNOWN_SECTORS,
    LANES,
    LINE_REQUESTS,
    LINES,
    LOCAL,
    MEMORY_INSTRUCTIONS,
    MOST,
    OTHER,
    PERIOD,
    SECTOR_REQUESTS,
    SECTORS,
)
from kcc.tracegen.profiling.reuse_native import touch

Ints = NDArray[np.int64]


@native
def touched(addresses: Ints, mask: np.uint64, size_bytes: int, shift: int, found: Ints) -> int:
    """How many distinct aligned pieces of ``1 << shift`` bytes the active lanes touch; the pieces'
    numbers, in order of first touch, are left in ``found``."""
    count = 0
    for lane in range(addresses.shape[0]):
        if not (mask >> np.uint64(lane)) & np.uint64(1):
            continue
        first = addresses[lane] >> shift
        final = (addresses[lane] + size_bytes - 1) >> shift
        for piece in range(first, final + 1):
            known = False
            for index in range(count - 1, -1, -1):
                if found[index] == piece:
                    known = True
                    break
            if not known and count < found.shape[0]:
                found[count] = piece
                count += 1
    return count


@native
def wavefronts(
    addresses: Ints, mask: np.uint64, size_bytes: int, banks: int, lanes_at_once: int
) -> int:  # fmt: skip
    """Passes through local memory of ``banks`` banks of 4 bytes that one access of a warp takes.

    At most ``lanes_at_once`` lanes and 4 bytes per bank move in a pass: wider elements go in
    groups of lanes, and lanes with more than 16 bytes in pieces of 16. In a group the passes are
    the most distinct words that one bank has to give; lanes that want the same word share it
    (NVIDIA, CUDA C++ Programming Guide, "Shared Memory", compute capability 3.x and 5.x).
    """
    total = 0
    words_seen = np.empty((banks, 64), np.int64)
    counts = np.zeros(banks, np.int64)
    for piece in range(0, size_bytes, 16):
        here = min(16, size_bytes - piece)
        group = lanes_at_once
        while group > 1 and group * here > 4 * banks:
            group //= 2
        for start in range(0, addresses.shape[0], group):
            counts[:] = 0
            most = 0
            for lane in range(start, start + group):
                if not (mask >> np.uint64(lane)) & np.uint64(1):
                    continue
                first = (addresses[lane] + piece) >> 2
                final = (addresses[lane] + piece + here - 1) >> 2
                for word in range(first, final + 1):
                    bank = word % banks
                    known = False
                    for index in range(counts[bank]):
                        if words_seen[bank, index] == word:
                            known = True
                            break
                    if not known:
                        words_seen[bank, counts[bank]] = word
                        counts[bank] += 1
                        most = max(most, counts[bank])
            total += most
    return total


@native
def _is_known(addresses: Ints, mask: np.uint64, base: int, deltas: Ints, known: Ints) -> bool:
    """Whether the last access of this instruction had the same lanes at the same distances, and
    its base the same place in an aligned piece of ``PERIOD`` bytes. If not, it is recorded now."""
    same = known[KNOWN_MASK] == np.int64(mask) and known[KNOWN_PLACE] == base % PERIOD
    known[KNOWN_MASK], known[KNOWN_PLACE] = np.int64(mask), base % PERIOD
    for lane in range(addresses.shape[0]):
        if (mask >> np.uint64(lane)) & np.uint64(1):
            delta = addresses[lane] - base
            if delta != deltas[lane]:
                deltas[lane] = delta
                same = False
    return same


@native
def measure(
    blocks: Ints, masks: NDArray[np.uint64], start: Ints, access: NDArray[np.int32],
    addresses: Ints, kind_of: Ints, size_of: Ints, totals: Ints, sectors: Ints, lines: Ints,
    banks32: Ints, banks16: Ints, by_block: Ints, reuse: Ints,
    deltas: Ints, known: Ints, touched_lines: Ints,
    seen_lines: Ints, seen_times: Ints, tree: Ints, state: Ints,
) -> None:  # fmt: skip
    """Account for the accesses of a batch. Row r of ``blocks`` (thread blocks) and ``masks`` made
    the accesses ``start[r]`` to ``start[r + 1]``, whose lanes' addresses are rows of ``addresses``.
    The columns of tables are those of :mod:`kcc.tracegen.profiling.layout`.

    What an access costs is kept for the next one of the instruction (``known``, ``deltas``,
    ``touched_lines``), which mostly looks the same but for a shift.
    """
    width = addresses.shape[1]
    found = np.empty(width * 5, np.int64)
    for row in range(blocks.shape[0]):
        mask = masks[row]
        active = popcount(mask)
        leader = 0
        while not (mask >> np.uint64(leader)) & np.uint64(1):
            leader += 1
        for each in range(start[row], start[row + 1]):
            number = int(access[each])
            kind, size = kind_of[number], int(size_of[number])
            own, base = known[number], addresses[each, leader]
            totals[number, EXECUTIONS] += 1
            totals[number, LANES] += active
            if active == width:
                totals[number, FULL_WARPS] += 1
            if kind != OTHER and not _is_known(addresses[each], mask, base, deltas[number], own):
                if kind == LOCAL:
                    own[KNOWN_BANKS_32] = wavefronts(addresses[each], mask, size, 32, 32)
                    own[KNOWN_BANKS_16] = wavefronts(addresses[each], mask, size, 16, 16)
                else:
                    own[KNOWN_SECTORS] = touched(addresses[each], mask, size, 5, found)
                    own[KNOWN_LINES] = touched(addresses[each], mask, size, 7, found)
                    for index in range(own[KNOWN_LINES]):
                        touched_lines[number, index] = found[index] - (base >> 7)
            if kind == LOCAL:
                banks32[number, min(own[KNOWN_BANKS_32], MOST)] += 1
                banks16[number, min(own[KNOWN_BANKS_16], MOST)] += 1
            elif kind == CACHED:
                totals[number, SECTORS] += own[KNOWN_SECTORS]
                totals[number, LINES] += own[KNOWN_LINES]
                sectors[number, min(own[KNOWN_SECTORS], MOST)] += 1
                lines[number, min(own[KNOWN_LINES], MOST)] += 1
                by_block[blocks[row], MEMORY_INSTRUCTIONS] += 1
                by_block[blocks[row], SECTOR_REQUESTS] += own[KNOWN_SECTORS]
                by_block[blocks[row], LINE_REQUESTS] += own[KNOWN_LINES]
                for index in range(own[KNOWN_LINES]):
                    line = touched_lines[number, index] + (base >> 7)
                    touch(line, seen_lines, seen_times, tree, state, reuse[number])
