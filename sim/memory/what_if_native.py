"""Streams with altered accesses, compiled by numba. Import it lazily."""

from __future__ import annotations

from typing import Any

import numpy as np

from kcc.base.native import inlined, native, ones
from kcc.sim.memory.cache_native import SECTOR_MASK
from kcc.sim.memory.facts import Op
from kcc.sim.memory.sequences_native import (
    ACCESS_SHIFT,
    BEGINS,
    FIRST,
    OP_MASK,
    OP_SHIFT,
)

Ints = Any

BARRIER = int(Op.BARRIER)
IS_BARRIER = BARRIER << OP_SHIFT


@inlined
def is_of(word: int, access: int) -> bool:
    """Whether an entry is of an access."""
    return word >> ACCESS_SHIFT == access and word & (OP_MASK << OP_SHIFT) != IS_BARRIER


@native
def vectorised(
    lines: Ints, info: Ints, bounds: Ints, access: int, width: int, new_lines: Ints,
    new_info: Ints, new_bounds: Ints,
) -> tuple[int, int, int]:  # fmt: skip
    """Each ``width`` executions of an access by a warp become one, where the first of them is, for
    all sectors that they want. Gives the entries, the sectors of the access before and after."""
    end = before = after = 0
    for block in range(bounds.shape[0]):
        for warp in range(bounds.shape[1]):
            first, last = bounds[block, warp, 0], bounds[block, warp, 1]
            new_bounds[block, warp, 0] = end
            executed, group, begins = 0, end, np.int64(0)
            for place in range(first, last):
                line, word = lines[place], info[place]
                if not is_of(word, access):
                    new_lines[end], new_info[end] = line, word | begins
                    begins = np.int64(0)
                    end += 1
                    continue
                before += ones(word & SECTOR_MASK)
                if word & FIRST:
                    if executed % width == 0:
                        group = end
                    executed += 1
                is_first = (executed - 1) % width == 0
                if not is_first:  # with the first of its group
                    begins |= word & BEGINS
                found = -1
                for at in range(group, end):
                    if new_lines[at] == line and is_of(new_info[at], access):
                        found = at
                        break
                if found >= 0:
                    after -= ones(new_info[found] & SECTOR_MASK)
                    new_info[found] |= word & SECTOR_MASK
                    after += ones(new_info[found] & SECTOR_MASK)
                elif is_first:
                    new_lines[end], new_info[end] = line, word | begins
                    begins = np.int64(0)
                    after += ones(word & SECTOR_MASK)
                    end += 1
                else:  # a further line of the group: after its first entries
                    for at in range(end, group + 1, -1):
                        new_lines[at], new_info[at] = new_lines[at - 1], new_info[at - 1]
                    new_lines[group + 1] = line
                    new_info[group + 1] = word & ~(FIRST | BEGINS)
                    after += ones(word & SECTOR_MASK)
                    end += 1
            new_bounds[block, warp, 1] = end
    return end, before, after


@native
def staged(
    lines: Ints, info: Ints, bounds: Ints, is_staged: Ints, new_lines: Ints, new_info: Ints,
    new_bounds: Ints, dropped: Ints, seen_lines: Ints, seen: Ints,
) -> tuple[int, int]:  # fmt: skip
    """Of the accesses in ``is_staged``, only what no warp of the block had wanted before. Gives the
    entries, and the most sectors that a block keeps; ``dropped`` gets the executions without any.
    ``seen_lines`` and ``seen`` are a hash table of a power of two of places."""
    end = most = 0
    size = len(seen_lines)
    for block in range(bounds.shape[0]):
        seen_lines[:] = -1
        kept = 0
        for warp in range(bounds.shape[1]):
            first, last = bounds[block, warp, 0], bounds[block, warp, 1]
            new_bounds[block, warp, 0] = end
            flags, left = np.int64(0), True
            for place in range(first, last):
                line, word = lines[place], info[place]
                access = word >> ACCESS_SHIFT
                barrier = word & (OP_MASK << OP_SHIFT) == IS_BARRIER
                if barrier or is_staged[access] == 0:
                    new_lines[end], new_info[end] = line, word | (flags & BEGINS)
                    flags = np.int64(0)
                    end += 1
                    continue
                if word & FIRST:
                    flags &= BEGINS
                    left = False
                flags |= word & (FIRST | BEGINS)
                at = (line * 0x9E3779B1 >> 8) & (size - 1)
                while seen_lines[at] >= 0 and seen_lines[at] != line:
                    at = (at + 1) & (size - 1)
                if seen_lines[at] < 0:
                    seen_lines[at], seen[at] = line, 0
                fresh = word & SECTOR_MASK & ~seen[at]
                if fresh != 0:
                    seen[at] |= fresh
                    kept += ones(fresh)
                    new_lines[end] = line
                    new_info[end] = (word & ~(SECTOR_MASK | FIRST | BEGINS)) | fresh | flags
                    flags = np.int64(0)
                    left = True
                    end += 1
                is_last = place + 1 == last or info[place + 1] & FIRST != 0
                if is_last and not left:
                    dropped[access] += 1
            new_bounds[block, warp, 1] = end
        most = max(most, kept)
    return end, most
