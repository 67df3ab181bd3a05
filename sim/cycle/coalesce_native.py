"""What the addresses of a warp's access mean to memory, compiled by numba. Import it lazily."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from kcc.base.native import inlined, native, ones, quotient
from kcc.sim.machine.atomics_native import operations_of_line
from kcc.sim.machine.banks_native import (
    PIECE,
    WORD,
    active,
    distinct_words,
    local_passes,
    shape,
)
from kcc.sim.machine.port_native import Port, copy_port, global_port, local_port, vector_port

Ints = Any
Masks = Any

GLOBAL, LOCAL, CONSTANT, PRIVATE, ATOMIC, LOCAL_ATOMIC, STORE, LOCAL_STORE, JOINED, COPY = range(10)
"""How an access is taken apart. Where the port does not count, stores go as loads."""

WORDS_OF_LANE = PIECE // WORD + 1
SHARED = False
"""Lanes that want one word get it together."""


class Geometry(NamedTuple):
    """Sizes in bytes of lines and sectors, banks of local memory, the lanes that it serves at
    once, whether pairs of lanes of a wide load count as one, where private memory begins and how
    much a lane has, whether the lines of constants are wanted, too, and the load/store port."""

    line_bytes: int
    sector_bytes: int
    banks: int
    lanes_together: int
    pairs_together: bool
    private_base: int
    private_bytes: int
    constant_lines: bool
    port: Port = Port()
    words: bool = False
    """Whether the words of a line that are stored are wanted."""
    atomics_together: int = -1
    """``several`` of :class:`kcc.sim.machine.atomics.AtomicQueue`."""


@inlined
def add_bytes(
    transactions: Ints, first: int, end: int, low: int, high: int, line_bytes: int,
    sector_bytes: int, words: bool, seen: int,
) -> tuple[int, int]:  # fmt: skip
    """Add the sectors from byte ``low`` to ``high`` to the transactions from ``first`` to ``end``;
    returns the new end, which is never more than one per sector further on. Their weight is 1, or
    with ``words`` those of the line that were asked for, as bits. ``seen`` are bits of the last
    digits of all lines so far, and so is what is returned with the end."""
    per_line = quotient(line_bytes, sector_bytes)
    for sector in range(quotient(low, sector_bytes), quotient(high, sector_bytes) + 1):
        line = quotient(sector, per_line)
        bit = 1 << (sector - line * per_line)
        digit = 1 << (line & 63)
        place = end - 1 if seen & digit else first - 1
        seen |= digit
        while place >= first and transactions[place].line != line:
            place -= 1
        if place >= first:
            transactions[place].sectors |= bit
        else:
            place = end
            transactions[end].line, transactions[end].sectors = line, bit
            transactions[end].weight = 0 if words else 1
            end += 1
        if words:
            begin = max(low, sector * sector_bytes) // WORD
            count = min(high, (sector + 1) * sector_bytes - 1) // WORD - begin + 1
            asked = ((1 << count) - 1) << (begin % (line_bytes // WORD))
            transactions[place].weight |= np.uint32(asked)
    return end, seen


@inlined
def add_private(
    transactions: Ints, first: int, end: int, addresses: Ints, mask: Any, size: int, thread: int,
    g: Geometry,
) -> int:  # fmt: skip
    """Private memory: the lanes' words are contiguous."""
    width = len(addresses)
    own_words = thread * (g.private_bytes // WORD + 1)
    seen = 0
    for lane in range(width):
        if active(mask, lane):
            for piece in range((size + WORD - 1) // WORD):
                offset = (addresses[lane] // WORD + piece) % (1 << 24)
                low = g.private_base + ((own_words + offset) * width + lane) * WORD
                end, seen = add_bytes(
                    transactions, first, end, low, low + WORD - 1, g.line_bytes, g.sector_bytes,
                    words=g.words, seen=seen,
                )  # fmt: skip
    return end


@inlined
def weigh(
    transactions: Ints, first: int, end: int, addresses: Ints, mask: Any, g: Geometry
) -> None:
    """How many operations an atomic access is for each line."""
    for place in range(first, end):
        transactions[place].weight = operations_of_line(
            addresses, mask, transactions[place].line, g.line_bytes, g.sector_bytes,
            g.atomics_together,
        )  # fmt: skip


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
    words = g.words and kind == STORE
    if count > 0 and stride >= 0 and not (words and stride > size):
        last = start + (count - 1) * stride + size - 1
        end, _ = add_bytes(
            transactions, first, end, start, last, g.line_bytes, g.sector_bytes, words, 0
        )
    else:
        seen = 0
        for lane in range(len(addresses)):
            if active(mask, lane):
                low = addresses[lane]
                end, seen = add_bytes(
                    transactions, first, end, low, low + size - 1, g.line_bytes, g.sector_bytes,
                    words, seen,
                )  # fmt: skip
    if kind == ATOMIC:
        weigh(transactions, first, end, addresses, mask, g)
    return end


@inlined
def sectors_of(transactions: Ints, first: int, end: int) -> int:
    """Sectors of the transactions from ``first`` to ``end``."""
    found = 0
    for place in range(first, end):
        found += ones(transactions[place].sectors)
    return found


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
    words = np.empty(width * WORDS_OF_LANE, np.int64)
    per_bank = np.empty(g.banks, np.int64)
    end = used
    for this in range(row, len(masks)):
        mask = masks[this]
        begin = end
        for number in range(starts[this], starts[this + 1]):
            kind, size = kinds[access[number]], sizes[access[number]]
            own = addresses[number]
            accesses[number].first, accesses[number].port = end, 0
            if kind in (LOCAL, LOCAL_ATOMIC, LOCAL_STORE):
                count = local_passes(
                    own, mask, size, kind == LOCAL_ATOMIC, g.banks, g.lanes_together,
                    g.pairs_together, words, per_bank,
                )  # fmt: skip
                accesses[number].count = count
                if g.port.passes > 0:
                    accesses[number].port = local_port(
                        own, mask, size, count, kind == LOCAL, g.port
                    )
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
            wide = g.port.wide_lanes > 0 and kind == GLOBAL
            ruled = g.port.passes > 0 and kind in (GLOBAL, STORE, ATOMIC, JOINED)
            if (wide or ruled) and last > end:
                passes = local_passes(
                    own, mask, size, SHARED, g.banks, g.lanes_together, g.pairs_together, words,
                    per_bank,
                )  # fmt: skip
                lines, sectors = last - end, sectors_of(transactions, end, last)
                if wide:
                    accesses[number].port = vector_port(
                        lines, sectors, width, size, passes, g.sector_bytes, g.port
                    )
                else:
                    accesses[number].port = global_port(
                        lines, sectors, own, mask, size, passes, kind == GLOBAL, g.sector_bytes,
                        g.port,
                    )  # fmt: skip
            if kind == COPY and g.port.passes > 0 and last > end:
                accesses[number].port = copy_port(last - end, size, g.port)
            end = last
    return len(masks), end
