"""What caches see of a trace's batch, compiled by numba. Import it lazily.

Most accesses have the pattern of their last execution, shifted: what was found for one then holds
for the other, as long as lines begin at the same lanes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kcc.base.native import native, uncounted
from kcc.sim.interval.events_native import (
    ONE,
    S_EXECUTED,
    S_PASSES,
    S_PORT,
    T_LINE,
    T_SECTORS,
    WEIGHT_SHIFT,
)
from kcc.sim.interval.facts import Kind
from kcc.sim.machine.atomics_native import operations_of_line
from kcc.sim.machine.banks_native import (
    MOST_BANKS,
    PIECE,
    WORD,
    distinct_words,
    local_passes,
)
from kcc.sim.machine.port_native import Port, copy_port, global_port, local_port, vector_port

Ints = Any
Floats = Any
Masks = Any

GLOBAL_LOAD = int(Kind.GLOBAL_LOAD)
ATOMIC, LOCAL, CONSTANT = int(Kind.GLOBAL_ATOMIC), int(Kind.LOCAL), int(Kind.CONSTANT_LOAD)

LOCAL_ATOMIC = LOCAL + 100
"""The kind of an access that is an atomic in local memory."""

WORD_BYTES = WORD
"""What private memory of the lanes is interleaved by."""

WORDS_OF_LANE = PIECE // WORD + 1

PRIVATE_LINES = 1 << 44
"""Where private memory of the lanes lies."""

(K_VERSION, K_FIRST, K_COUNT, K_BASE, K_PORT) = range(5)
"""What is known of an access whose first lane is at a word of a line: for which version of its
pattern; its first transaction and their number; the address of the first lane; what it holds the
load/store port, in 1/64 cycle."""
KNOWN_COLUMNS = 5

UNKNOWN = -1

SHARED = False
"""Lanes that want one word get it together."""


@uncounted
def add_sectors(
    transactions: Ints, first: int, end: int, begin: int, last: int, line_bytes: int,
    sector_bytes: int,
) -> int:  # fmt: skip
    """Add the sectors of bytes ``begin`` to ``last``; the new end."""
    per_line = line_bytes // sector_bytes
    for sector in range(begin // sector_bytes, last // sector_bytes + 1):
        line = sector // per_line
        bit = 1 << (sector - line * per_line)
        place = end - 1
        while place >= first and transactions[place, T_LINE] != line:
            place -= 1
        if place >= first:
            transactions[place, T_SECTORS] |= bit
        else:
            transactions[end, T_LINE], transactions[end, T_SECTORS] = line, bit | ONE
            end += 1
    return end


@uncounted
def global_transactions(
    addresses: Ints, row: int, mask: int, width: int, size: int, private_thread: int,
    private_bytes: int, line_bytes: int, sector_bytes: int, transactions: Ints, end: int,
) -> int:  # fmt: skip
    """Add what one access of a warp asks of L1, line by line; ``private_thread`` is the warp's
    number where the memory is private to lanes, else -1."""
    first = end
    for lane in range(width):
        if not (mask >> lane) & 1:
            continue
        low = addresses[row, lane]
        if private_thread < 0:
            end = add_sectors(
                transactions, first, end, low, low + size - 1, line_bytes, sector_bytes
            )
            continue
        for piece in range((size + WORD_BYTES - 1) // WORD_BYTES):
            word = (low // WORD_BYTES + piece) % (1 << 24)
            own = private_thread * (private_bytes // WORD_BYTES + 1) + word
            begin = PRIVATE_LINES + (own * width + lane) * WORD_BYTES
            end = add_sectors(
                transactions, first, end, begin, begin + WORD_BYTES - 1, line_bytes, sector_bytes
            )
    return end


@uncounted
def weigh_atomics(
    addresses: Ints, mask: Any, line_bytes: int, sector_bytes: int, together: int,
    transactions: Ints, first: int, end: int,
) -> None:  # fmt: skip
    """How many operations an atomic access is for each line."""
    for place in range(first, end):
        line, sectors = transactions[place, T_LINE], transactions[place, T_SECTORS]
        weight = operations_of_line(addresses, mask, line, line_bytes, sector_bytes, together)
        transactions[place, T_SECTORS] = sectors & (ONE - 1) | weight << WEIGHT_SHIFT


@uncounted
def is_same_pattern(
    addresses: Ints, row: int, mask: int, deltas: Ints, masks: Ints, number: int
) -> bool:
    """Whether an access has the lanes of its last execution, at the same distances; else they are
    recorded."""
    base = addresses[row, 0]
    apart: Any = mask ^ masks[number]
    for lane in range(addresses.shape[1]):
        apart |= (addresses[row, lane] - base) ^ deltas[number, lane]
    if apart == 0:
        return True
    masks[number] = mask
    for lane in range(addresses.shape[1]):
        deltas[number, lane] = addresses[row, lane] - base
    return False


@uncounted
def shifted(transactions: Ints, end: int, known: Ints, lines: int) -> int:
    """Add the transactions of an earlier execution, so many lines further; the new end."""
    first, count = known[K_FIRST], known[K_COUNT]
    for place in range(count):
        transactions[end + place, T_LINE] = transactions[first + place, T_LINE] + lines
        transactions[end + place, T_SECTORS] = transactions[first + place, T_SECTORS]
    return end + count


@uncounted
def sectors_of(transactions: Ints, first: int, end: int) -> int:
    """Sectors of the transactions from ``first`` to ``end``."""
    found = 0
    for place in range(first, end):
        left = transactions[place, T_SECTORS] & (ONE - 1)
        while left != 0:
            left &= left - 1
            found += 1
    return found


@native
def make_requests(
    mask: Masks, access_start: Ints, access: Ints, addresses: Ints, warp_of_row: Ints,
    kind_of_access: Ints, operation_of_access: Ints, size_of_access: Ints, is_private: Ints,
    is_store: Ints, is_copy: Ints, private_bytes: int, line_bytes: int, sector_bytes: int,
    banks: int, together: int, pairs: bool, atomics: int, most: int, begin: int, first_free: int,
    counts: Floats, requests: Ints, transactions: Ints, port: Port,
) -> tuple[int, int]:  # fmt: skip
    """Write for each access of a batch, from row ``begin`` on, its first transaction and their
    number (-1 and 0 for local and constant memory, whose passes are counted at once).

    Transactions, of an access at most ``most``, go after the ``first_free`` that are there. Gives
    how many there are then, and the row for whose accesses there may be no room (the number of rows
    where all are done).
    """
    width = addresses.shape[1]
    words = np.empty(width * WORDS_OF_LANE, np.int64)
    per_bank = np.empty(MOST_BANKS, np.int64)
    numbers, places = kind_of_access.shape[0], line_bytes // WORD_BYTES
    deltas, masks = np.zeros((numbers, width), np.int64), np.zeros(numbers, np.int64)
    versions = np.zeros(numbers, np.int64)
    known = np.full((numbers, places, KNOWN_COLUMNS), UNKNOWN)
    end = first_free
    for row in range(begin, mask.shape[0]):
        lanes: Any = np.int64(mask[row])
        if end + most * (access_start[row + 1] - access_start[row]) > transactions.shape[0]:
            return end, row
        for each in range(access_start[row], access_start[row + 1]):
            number = access[each]
            kind, size = kind_of_access[number], size_of_access[number]
            op = operation_of_access[number]
            requests[each, 0], requests[each, 1] = -1, 0
            if not is_same_pattern(addresses, each, lanes, deltas, masks, number):
                versions[number] += 1
            base = addresses[each, 0]
            if kind in (LOCAL, LOCAL_ATOMIC, CONSTANT):
                # shifted by whole words banks turn, and nothing else changes
                own = known[number, base % WORD_BYTES]
                if own[K_VERSION] != versions[number]:
                    own[K_VERSION] = versions[number]
                    own_addresses, active = addresses[each], np.uint64(lanes)
                    if kind == CONSTANT:
                        own[K_COUNT] = distinct_words(own_addresses, active, words)
                    else:
                        own[K_COUNT] = local_passes(
                            own_addresses, active, size, kind == LOCAL_ATOMIC, banks, together,
                            pairs, words, per_bank,
                        )  # fmt: skip
                    own[K_PORT] = 0
                    if kind != CONSTANT and port.passes > 0:
                        is_load = kind == LOCAL and not is_store[number]
                        own[K_PORT] = local_port(
                            own_addresses, active, size, own[K_COUNT], is_load, port
                        )
                counts[op, S_PORT] += own[K_PORT] / 64
                counts[op, S_EXECUTED] += 1
                counts[op, S_PASSES] += own[K_COUNT]
                continue
            own = known[number, base % line_bytes // WORD_BYTES]
            is_known = own[K_VERSION] == versions[number] and not is_private[number]
            if is_known and (base - own[K_BASE]) % line_bytes == 0:
                after = shifted(transactions, end, own, (base - own[K_BASE]) // line_bytes)
            else:
                private: Any = warp_of_row[row] if is_private[number] else np.int64(-1)
                after = global_transactions(
                    addresses, each, lanes, width, size, private, private_bytes, line_bytes,
                    sector_bytes, transactions, end,
                )  # fmt: skip
                if kind == ATOMIC:
                    weigh_atomics(
                        addresses[each], np.uint64(lanes), line_bytes, sector_bytes, atomics,
                        transactions, end, after,
                    )  # fmt: skip
                own[K_VERSION], own[K_BASE] = versions[number], base
                own[K_FIRST], own[K_COUNT] = end, after - end
                own[K_PORT] = 0
                if port.passes > 0 and not is_private[number] and after > end:
                    active = np.uint64(lanes)
                    passes = local_passes(
                        addresses[each], active, size, SHARED, banks, together, pairs, words,
                        per_bank,
                    )  # fmt: skip
                    own[K_PORT] = global_port(
                        after - end, sectors_of(transactions, end, after), addresses[each], active,
                        size, passes, kind == GLOBAL_LOAD, sector_bytes, port,
                    )  # fmt: skip
                    if is_copy[number]:
                        own[K_PORT] = copy_port(after - end, size, port)
                if port.wide_lanes > 0 and kind == GLOBAL_LOAD and not is_private[number]:
                    passes = local_passes(
                        addresses[each], np.uint64(lanes), size, SHARED, banks, together, pairs,
                        words, per_bank,
                    )  # fmt: skip
                    own[K_PORT] = vector_port(
                        after - end, sectors_of(transactions, end, after), width, size, passes,
                        sector_bytes, port,
                    )  # fmt: skip
            counts[op, S_PORT] += own[K_PORT] / 64
            requests[each, 0], requests[each, 1] = end, after - end
            end = after
    return end, mask.shape[0]
