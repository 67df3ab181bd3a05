"""What the addresses of a warp's access mean to memory, compiled by numba. Import it lazily."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from kcc.base.native import inlined, native

Ints = Any
Masks = Any

GLOBAL, LOCAL, CONSTANT, PRIVATE, ATOMIC, LOCAL_ATOMIC = range(6)
"""How an access is taken apart."""

WORD = 4
"""Bytes of a bank, and of what private memory of the lanes is interleaved by."""

MOST_WORDS = 16
"""Words of a lane's access that are looked at."""


class Geometry(NamedTuple):
    """Sizes in bytes of lines and sectors, banks of local memory, the lanes that it serves at
    once, whether pairs of lanes of a wide load count as one, where private memory begins and how
    much a lane has, and whether the lines of constants are wanted, too."""

    line_bytes: int
    sector_bytes: int
    banks: int
    lanes_together: int
    pairs_together: bool
    private_base: int
    private_bytes: int
    constant_lines: bool


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
def lanes_per_pass(size: int, lanes_together: int) -> int:
    """Lanes of one access of local memory: half as many for eight bytes, a quarter for sixteen."""
    if size > 8 and lanes_together > 8:
        return lanes_together // 4
    if size > 4 and lanes_together > 8:
        return lanes_together // 2
    return lanes_together


@inlined
def paired(addresses: Ints, mask: Any, apart: int) -> bool:
    """Whether active lanes whose numbers differ in one bit, 1 or 2, have one address each time."""
    for lane in range(len(addresses)):
        other = lane ^ apart
        if active(mask, lane) and active(mask, other) and addresses[lane] != addresses[other]:
            return False
    return True


@inlined
def lanes_of_pass(addresses: Ints, mask: Any, size: int, g: Geometry) -> int:
    """Lanes of one access of local memory: twice as many of a wide one whose pairs of lanes have
    one address each, as what they get fits into one register (NVIDIA developer forum, "Unexpected
    shared memory bank conflict": LDS.128 takes two passes then instead of four)."""
    step = lanes_per_pass(size, g.lanes_together)
    if step == g.lanes_together or not g.pairs_together:
        return step
    return 2 * step if paired(addresses, mask, 1) or paired(addresses, mask, 2) else step


@inlined
def conflicts(
    addresses: Ints, mask: Any, kind: int, size: int, banks: int, step: int, words: Ints,
    per_bank: Ints,
) -> int:  # fmt: skip
    """Passes through local memory: words of one bank come one after another, lanes that read one
    word together, atomics never so."""
    passes = 0
    for part in range(0, len(addresses), step):
        per_bank[:banks] = 0
        found, most = 0, 0
        for lane in range(part, min(part + step, len(addresses))):
            if not active(mask, lane):
                continue
            low = addresses[lane] // WORD
            high = (addresses[lane] + size - 1) // WORD
            for word in range(low, min(high, low + MOST_WORDS - 1) + 1):
                known = False
                if kind == LOCAL:
                    for place in range(found - 1, -1, -1):
                        if words[place] == word:
                            known = True
                            break
                if not known and found < len(words):
                    words[found] = word
                    found += 1
                    per_bank[word % banks] += 1
                    most = max(most, per_bank[word % banks])
        passes += most
    return max(passes, 1)


@inlined
def simple_passes(mask: Any, width: int, step: int) -> int:
    """Passes without conflicts: one for each group of lanes that has an active one."""
    passes = 0
    group = (np.uint64(1) << np.uint64(step)) - np.uint64(1) if step < 64 else ~np.uint64(0)
    for part in range(0, width, step):
        if (mask >> np.uint64(part)) & group != np.uint64(0):
            passes += 1
    return max(passes, 1)


@inlined
def distinct_words(addresses: Ints, mask: Any, words: Ints) -> int:
    """Different words that the active lanes read."""
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


@inlined
def add_bytes(
    transactions: Ints, first: int, end: int, low: int, high: int, line_bytes: int,
    sector_bytes: int,
) -> int:  # fmt: skip
    """Add the sectors from byte ``low`` to ``high`` to the transactions from ``first`` to ``end``;
    returns the new end, which is never more than one per sector further on."""
    per_line = line_bytes // sector_bytes
    for sector in range(low // sector_bytes, high // sector_bytes + 1):
        line = sector // per_line
        bit = 1 << (sector - line * per_line)
        place = end - 1
        while place >= first and transactions[place].line != line:
            place -= 1
        if place >= first:
            transactions[place].sectors |= bit
        else:
            transactions[end].line, transactions[end].sectors = line, bit
            transactions[end].weight = 1
            end += 1
    return end


@inlined
def add_private(
    transactions: Ints, first: int, end: int, addresses: Ints, mask: Any, size: int, thread: int,
    g: Geometry,
) -> int:  # fmt: skip
    """Private memory: the lanes' words lie side by side."""
    width = len(addresses)
    own_words = thread * (g.private_bytes // WORD + 1)
    for lane in range(width):
        if active(mask, lane):
            for piece in range((size + WORD - 1) // WORD):
                offset = (addresses[lane] // WORD + piece) % (1 << 24)
                low = g.private_base + ((own_words + offset) * width + lane) * WORD
                end = add_bytes(
                    transactions, first, end, low, low + WORD - 1, g.line_bytes, g.sector_bytes
                )
    return end


@inlined
def weigh(
    transactions: Ints, first: int, end: int, addresses: Ints, mask: Any, line_bytes: int
) -> None:
    """How often the lanes of an atomic hit the same address, at most, in each line."""
    for lane in range(len(addresses)):
        if active(mask, lane):
            same = 0
            for other in range(lane, len(addresses)):
                if active(mask, other):
                    same += addresses[lane] == addresses[other]
            line = addresses[lane] // line_bytes
            for place in range(first, end):
                if transactions[place].line == line:
                    transactions[place].weight = max(transactions[place].weight, same)


@inlined
def add_access(
    transactions: Ints, end: int, addresses: Ints, mask: Any, kind: int, size: int, thread: int,
    g: Geometry,
) -> int:  # fmt: skip
    """Add the transactions of an access to global memory; returns their end."""
    first = end
    if kind == PRIVATE:
        return add_private(transactions, first, end, addresses, mask, size, thread, g)
    start, count, stride = shape(addresses, mask, size)
    if count > 0 and stride >= 0:
        last = start + (count - 1) * stride + size - 1
        end = add_bytes(transactions, first, end, start, last, g.line_bytes, g.sector_bytes)
    else:
        for lane in range(len(addresses)):
            if active(mask, lane):
                low = addresses[lane]
                end = add_bytes(
                    transactions, first, end, low, low + size - 1, g.line_bytes, g.sector_bytes
                )
    if kind == ATOMIC:
        weigh(transactions, first, end, addresses, mask, g.line_bytes)
    return end


@inlined
def most_sectors(width: int, size: int, sector_bytes: int) -> int:
    """Sectors that an access can touch."""
    return width * max(2 + size // sector_bytes, (size + WORD - 1) // WORD)


@native
def coalesce(
    starts: Ints, masks: Masks, threads: Ints, access: Ints, addresses: Ints, kinds: Ints,
    sizes: Ints, g: Geometry, accesses: Ints, transactions: Ints, row: int, used: int,
) -> tuple[int, int]:  # fmt: skip
    """Write for each access, from row ``row`` of the batch on, its first transaction and their
    number (the passes, for local memory and for constants without lines; those of constants with
    lines are the weight of the first) to ``accesses``, and transactions from ``used`` on. Returns
    the row and the transaction to go on with: less than all rows when there is no more room.

    ``threads`` is the number of each row's warp in the launch; ``kinds`` and ``sizes`` are those
    of the kernel's accesses.
    """
    width, room = addresses.shape[1], len(transactions)
    words = np.empty(width * MOST_WORDS, np.int64)
    per_bank = np.empty(g.banks, np.int64)
    end = used
    for this in range(row, len(masks)):
        mask = masks[this]
        begin = end
        for number in range(starts[this], starts[this + 1]):
            kind, size = kinds[access[number]], sizes[access[number]]
            own = addresses[number]
            accesses[number].first = end
            if kind in (LOCAL, LOCAL_ATOMIC):
                step = lanes_of_pass(own, mask, size, g)
                _, _, stride = shape(own, mask, size)
                side_by_side = stride == size and size >= WORD and step * size <= g.banks * WORD
                one_word = stride == 0 and kind == LOCAL and size <= g.banks * WORD
                if side_by_side or one_word:
                    count = simple_passes(mask, width, step)
                else:
                    count = conflicts(
                        own, mask, kind, size, g.banks, step, words, per_bank
                    )  # fmt: skip
                accesses[number].count = count
                continue
            if kind == CONSTANT and not g.constant_lines:
                accesses[number].count = distinct_words(own, mask, words)
                continue
            if end + most_sectors(width, size, g.sector_bytes) > room:
                return this, begin
            last = add_access(transactions, end, own, mask, kind, size, threads[this], g)
            if kind == CONSTANT and last > end:
                transactions[end].weight = distinct_words(own, mask, words)
            accesses[number].count = last - end
            end = last
    return len(masks), end
