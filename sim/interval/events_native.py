"""What caches see of a trace's batch, compiled by numba. Import it lazily."""

from __future__ import annotations

from typing import Any

import numpy as np

from kcc.native import native, uncounted
from kcc.sim.interval.facts import Kind

Ints = Any
Floats = Any
Masks = Any

ATOMIC, LOCAL, CONSTANT = int(Kind.GLOBAL_ATOMIC), int(Kind.LOCAL), int(Kind.CONSTANT_LOAD)

LOCAL_ATOMIC = LOCAL + 100
"""The kind of an access that is an atomic in local memory."""

WORD_BYTES = 4
"""Of a bank of local memory, and what private memory of the lanes is interleaved by."""

PRIVATE_LINES = 1 << 44
"""Where private memory of the lanes lies."""

(
    S_EXECUTED, S_L1, S_L2, S_DRAM, S_SECTORS, S_L1_HITS, S_L1_PENDING, S_L2_READS, S_L2_HITS,
    S_DRAM_READS, S_ROW_HITS, S_WRITES, S_WRITE_MISSES, S_LATENCY, S_PASSES, S_LINES, S_WORK,
) = range(17)  # fmt: skip
"""Columns of what is counted for each operation; see collect.MissEvents."""
COLUMNS = 17

(
    E_OPERATION, E_FIRST, E_COUNT, E_SLOTS, E_SOLO, E_BACK,
) = range(6)  # fmt: skip
"""Columns of events: operation (-1 a barrier), first transaction, transactions, issue slots since
the event before, cycles since it if the warp ran alone with hits, and how many events back the
load is whose result it waits for (0: none)."""
EVENT_COLUMNS = 6

NO_ROOM = -1


@uncounted
def words_at_banks(
    addresses: Ints, row: int, mask: int, size: int, first: int, end: int, banks: int, words: Ints,
    per_bank: Ints, distinct: bool,
) -> int:  # fmt: skip
    """The most words that lanes ``first`` to ``end`` want of one bank."""
    for bank in range(banks):
        per_bank[bank] = 0
    found = 0
    most = 0
    for lane in range(first, end):
        if not (mask >> lane) & 1:
            continue
        low = addresses[row, lane] // WORD_BYTES
        high = (addresses[row, lane] + size - 1) // WORD_BYTES
        for word in range(low, min(high, low + 15) + 1):
            new = True
            if distinct:
                for place in range(found - 1, -1, -1):
                    if words[place] == word:
                        new = False
                        break
            if new and found < words.shape[0]:
                words[found] = word
                found += 1
                per_bank[word % banks] += 1
                most = max(most, per_bank[word % banks])
    return most


@uncounted
def local_passes(
    addresses: Ints, row: int, mask: int, width: int, size: int, banks: int, together: int,
    words: Ints, per_bank: Ints, distinct: bool,
) -> int:  # fmt: skip
    """How often local memory is accessed for one instruction of a warp."""
    step = together
    if size > 8 and together > 8:
        step = together // 4
    elif size > 4 and together > 8:
        step = together // 2
    passes = 0
    for first in range(0, width, step):
        passes += words_at_banks(
            addresses, row, mask, size, first, first + step, banks, words, per_bank, distinct
        )
    return max(passes, 1)


@uncounted
def add_sectors(
    transactions: Ints, first: int, end: int, begin: int, last: int, line_bytes: int,
    sector_bytes: int,
) -> int:  # fmt: skip
    """Add the sectors of bytes ``begin`` to ``last``; the new end, or NO_ROOM."""
    per_line = line_bytes // sector_bytes
    for sector in range(begin // sector_bytes, last // sector_bytes + 1):
        line = sector // per_line
        bit = 1 << (sector - line * per_line)
        place = end - 1
        while place >= first and transactions[place, 0] != line:
            place -= 1
        if place >= first:
            transactions[place, 1] |= bit
        else:
            if end >= transactions.shape[0]:
                return NO_ROOM
            transactions[end, 0], transactions[end, 1], transactions[end, 2] = line, bit, 1
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
            if end == NO_ROOM:
                return NO_ROOM
            continue
        for piece in range((size + WORD_BYTES - 1) // WORD_BYTES):
            word = (low // WORD_BYTES + piece) % (1 << 24)
            own = private_thread * (private_bytes // WORD_BYTES + 1) + word
            begin = PRIVATE_LINES + (own * width + lane) * WORD_BYTES
            end = add_sectors(
                transactions, first, end, begin, begin + WORD_BYTES - 1, line_bytes, sector_bytes
            )
            if end == NO_ROOM:
                return NO_ROOM
    return end


@uncounted
def weigh_atomics(
    addresses: Ints, row: int, mask: int, width: int, line_bytes: int, transactions: Ints,
    first: int, end: int,
) -> None:  # fmt: skip
    """How often L2 works on a line for an atomic: once for each lane at one address."""
    for lane in range(width):
        if not (mask >> lane) & 1:
            continue
        same = 0
        for other in range(lane, width):
            same += (mask >> other) & 1 and addresses[row, lane] == addresses[row, other]
        line = addresses[row, lane] // line_bytes
        for place in range(first, end):
            if transactions[place, 0] == line:
                transactions[place, 2] = max(transactions[place, 2], same)


@uncounted
def distinct_words(addresses: Ints, row: int, mask: int, width: int, words: Ints) -> int:
    """Words of constant memory that lanes want, one after another."""
    found = 0
    for lane in range(width):
        if (mask >> lane) & 1:
            word = addresses[row, lane] // WORD_BYTES
            new = True
            for place in range(found):
                if words[place] == word:
                    new = False
                    break
            if new:
                words[found] = word
                found += 1
    return max(found, 1)


@native
def make_requests(
    mask: Masks, access_start: Ints, access: Ints, addresses: Ints, warp_of_row: Ints,
    kind_of_access: Ints, operation_of_access: Ints, size_of_access: Ints, is_private: Ints,
    private_bytes: int, line_bytes: int, sector_bytes: int, banks: int, together: int,
    counts: Floats, requests: Ints, transactions: Ints,
) -> int:  # fmt: skip
    """Write for each access of a batch its first transaction and their number (-1 and 0 for local
    and constant memory, whose passes are counted at once). Gives how many transactions there are,
    NO_ROOM where there are too many."""
    width = addresses.shape[1]
    words = np.empty(width * 16, np.int64)
    per_bank = np.empty(128, np.int64)
    end = 0
    for row in range(mask.shape[0]):
        lanes: Any = np.int64(mask[row])
        for each in range(access_start[row], access_start[row + 1]):
            number = access[each]
            kind, size, op = kind_of_access[number], size_of_access[number], 0
            op = operation_of_access[number]
            requests[each, 0], requests[each, 1] = -1, 0
            if kind in (LOCAL, LOCAL_ATOMIC):
                counts[op, S_EXECUTED] += 1
                counts[op, S_PASSES] += local_passes(
                    addresses, each, lanes, width, size, banks, together, words, per_bank,
                    kind == LOCAL,
                )  # fmt: skip
                continue
            if kind == CONSTANT:
                counts[op, S_EXECUTED] += 1
                counts[op, S_PASSES] += distinct_words(addresses, each, lanes, width, words)
                continue
            private: Any = warp_of_row[row] if is_private[number] else np.int64(-1)
            after = global_transactions(
                addresses, each, lanes, width, size, private, private_bytes, line_bytes,
                sector_bytes, transactions, end,
            )  # fmt: skip
            if after == NO_ROOM:
                return NO_ROOM
            if kind == ATOMIC:
                weigh_atomics(addresses, each, lanes, width, line_bytes, transactions, end, after)
            requests[each, 0], requests[each, 1] = end, after - end
            end = after
    return end


@native
def make_events(
    order: Ints, segment: Ints, access_start: Ints, access: Ints, requests: Ints,
    warp_of_row: Ints, operation_of_access: Ints, slots_of_access: Ints, solo_of_access: Ints,
    needs_of_access: Ints, slots_of_segment: Ints, solo_of_segment: Ints, barrier_of_segment: Ints,
    events: Ints, bounds: Ints, hashes: Masks,
) -> int:  # fmt: skip
    """Write the events of each warp, one warp behind another; the rows of a warp follow one another
    in ``order``. ``bounds[w]`` becomes the first and the end event of the w-th warp there is,
    ``hashes[w]`` a hash of its segments. Gives how many events there are."""
    count = 0
    warp = -1
    before = np.int64(-1)
    slots, solo = 0, 0
    last_of_access = np.zeros(operation_of_access.shape[0], np.int64)
    for at in range(order.shape[0]):
        row = order[at]
        if warp_of_row[row] != before:
            if warp >= 0:
                bounds[warp, 1] = count
            before = warp_of_row[row]
            warp += 1
            bounds[warp, 0] = count
            hashes[warp] = np.uint64(1469598103934665603)
            slots, solo = 0, 0
        own = segment[row]
        hashes[warp] = (hashes[warp] ^ np.uint64(own + 1)) * np.uint64(1099511628211)
        hashes[warp] ^= hashes[warp] >> np.uint64(29)
        slots_before, solo_before = 0, 0
        segment_first = count
        for each in range(access_start[row], access_start[row + 1]):
            if requests[each, 0] < 0:
                continue
            number = access[each]
            events[count, E_OPERATION] = operation_of_access[number]
            events[count, E_FIRST], events[count, E_COUNT] = requests[each, 0], requests[each, 1]
            events[count, E_SLOTS] = slots + slots_of_access[number] - slots_before
            events[count, E_SOLO] = solo + solo_of_access[number] - solo_before
            needed = needs_of_access[number]
            if count == bounds[warp, 0]:
                events[count, E_BACK] = 0
            elif needed >= 0 and last_of_access[needed] >= segment_first:
                events[count, E_BACK] = count - last_of_access[needed]
            elif segment_first > bounds[warp, 0]:
                events[count, E_BACK] = count - segment_first + 1
            else:
                events[count, E_BACK] = 0
            slots, solo = 0, 0
            slots_before, solo_before = slots_of_access[number], solo_of_access[number]
            last_of_access[number] = count
            count += 1
        slots += slots_of_segment[own] - slots_before
        solo += solo_of_segment[own] - solo_before
        if barrier_of_segment[own]:
            events[count, E_OPERATION] = -1
            events[count, E_FIRST], events[count, E_COUNT] = 0, 0
            events[count, E_SLOTS], events[count, E_SOLO] = slots, solo
            events[count, E_BACK] = min(count - bounds[warp, 0], 1)
            slots, solo = 0, 0
            count += 1
    if warp >= 0:
        bounds[warp, 1] = count
    return count
