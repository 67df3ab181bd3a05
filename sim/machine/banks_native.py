"""Passes of a warp's access through the banks of local memory, compiled by numba. Import it lazily.

In a pass every bank gives one word, to any number of lanes. Distinct words beyond the
banks go in phases of half the lanes, a quarter ...; more than 16 bytes a lane in pieces of 16
(NVIDIA, CUDA C++ Programming Guide, "Shared Memory"). :mod:`kcc.passes.memory.warp_cost` has the
same of many accesses at a time.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kcc.base.native import inlined, remainder

Ints = Any

WORD = 4
"""Bytes of a bank."""

PIECE = 16
"""Bytes that a lane moves at a time: the widest load of PTX."""

MOST_BANKS = 128

PLACE_BITS = 12
"""Of a place in ``words``, five of each of 64 lanes at most."""
PLACES = (1 << PLACE_BITS) - 1


@inlined
def active(mask: Any, lane: int) -> bool:
    """Whether a lane is in the mask."""
    return (mask >> np.uint64(lane)) & np.uint64(1) != np.uint64(0)


@inlined
def shape(addresses: Ints, mask: Any, size: int) -> tuple[int, int, int]:
    """The address of the first active lane, the number of active lanes, and the bytes from one to
    the next: 0 if all are at one address, ``size`` if they follow one another, else -1."""
    if mask == (np.uint64(1) << np.uint64(len(addresses))) - np.uint64(1):  # of 64 lanes: never
        start, differs, breaks = addresses[0], 0, 0
        for lane in range(len(addresses)):
            differs |= addresses[lane] ^ start
            breaks |= addresses[lane] ^ (start + lane * size)
        return start, len(addresses), 0 if differs == 0 else size if breaks == 0 else -1
    start, count, same, row = -1, 0, True, True
    for lane in range(len(addresses)):
        if active(mask, lane):
            address = addresses[lane]
            if count == 0:
                start = address
            same = same and address == start
            row = row and address == start + count * size
            count += 1
    return start, count, 0 if same else size if row else -1


@inlined
def _paired(addresses: Ints, mask: Any, apart: int) -> bool:
    """Whether active lanes whose numbers differ in one bit, 1 or 2, have one address each time."""
    for lane in range(len(addresses)):
        other = lane ^ apart
        if active(mask, lane) and active(mask, other) and addresses[lane] != addresses[other]:
            return False
    return True


@inlined
def _lanes_of_phase(addresses: Ints, mask: Any, size: int, together: int, pairs: bool) -> int:
    """Lanes that go together: half as many for eight bytes, a quarter for sixteen; twice as many of
    a wide access whose pairs of lanes have one address each, where a GPU lets ``pairs`` go as one,
    as what they get fits into one register (NVIDIA developer forum, "Unexpected shared memory bank
    conflict": LDS.128 takes two passes then instead of four)."""
    if size <= WORD or together <= 8:
        return together
    step = together // 4 if size > 2 * WORD else together // 2
    if pairs and (_paired(addresses, mask, 1) or _paired(addresses, mask, 2)):
        return 2 * step
    return step


@inlined
def _conflicts(
    addresses: Ints, mask: Any, place: int, size: int, lone: bool, banks: int, step: int,
    words: Ints, per_bank: Ints,
) -> int:  # fmt: skip
    """Passes for bytes ``place`` and following of each lane: words of one bank come one after
    another, lanes that read one word together, but not those that go ``lone``. The words of a bank
    are a list: ``per_bank`` has their number and the last one's place and 1, ``words`` each word
    and the same of the one before it."""
    passes = 0
    for part in range(0, len(addresses), step):
        for bank in range(banks):
            per_bank[bank] = 0
        found, most = 0, 0
        for lane in range(part, min(part + step, len(addresses))):
            if not active(mask, lane):
                continue
            low = (addresses[lane] + place) // WORD
            high = (addresses[lane] + place + size - 1) // WORD
            for word in range(low, high + 1):
                bank = np.uint64(remainder(word, banks))
                last = per_bank[bank] & PLACES
                other = 0 if lone else last
                while other != 0 and words[other - 1] >> PLACE_BITS != word:
                    other = words[other - 1] & PLACES
                if other == 0 and found < len(words):
                    words[found] = word << PLACE_BITS | last
                    found += 1
                    count = (per_bank[bank] >> PLACE_BITS) + 1
                    per_bank[bank] = count << PLACE_BITS | found
                    most = max(most, count)
        passes += most
    return passes


@inlined
def _without_conflicts(mask: Any, width: int, step: int) -> int:
    """Passes without conflicts: one for each group of lanes that has an active one."""
    passes = 0
    group = (np.uint64(1) << np.uint64(step)) - np.uint64(1) if step < 64 else ~np.uint64(0)
    for part in range(0, width, step):
        if (mask >> np.uint64(part)) & group != np.uint64(0):
            passes += 1
    return passes


@inlined
def local_passes(
    addresses: Ints, mask: Any, size: int, lone: bool, banks: int, together: int, pairs: bool,
    words: Ints, per_bank: Ints,
) -> int:  # fmt: skip
    """Passes of an access of ``size`` bytes a lane, at least one. Of words of one size ``together``
    lanes go at a time; ``lone``: atomics, whose lanes never share a word. ``words`` has room for
    five of each lane."""
    passes = 0
    start, _, stride = shape(addresses, mask, size)
    for place in range(0, size, PIECE):
        here = min(size - place, PIECE)
        step = _lanes_of_phase(addresses, mask, here, together, pairs)
        side_by_side = stride == size == here and here >= WORD and step * here <= banks * WORD
        # What begins within a word may reach into one more.
        side_by_side = side_by_side and start % WORD == 0 and here % WORD == 0
        one_word = stride == 0 and not lone and here <= banks * WORD
        if side_by_side or one_word:
            passes += _without_conflicts(mask, len(addresses), step)
        else:
            passes += _conflicts(addresses, mask, place, here, lone, banks, step, words, per_bank)
    return max(passes, 1)


@inlined
def distinct_words(addresses: Ints, mask: Any, words: Ints) -> int:
    """Different words that the active lanes read of constant memory, one after another."""
    found = 0
    for lane in range(len(addresses)):
        if active(mask, lane):
            word = addresses[lane] // WORD
            known = False
            for place in range(found):
                if words[place] == word:
                    known = True
                    break
            if not known:
                words[found] = word
                found += 1
    return max(found, 1)
