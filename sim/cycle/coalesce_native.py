"""What the addresses of a warp's access mean to memory, compiled by numba. Import it lazily."""

from __future__ import annotations

from typing import Any

import numpy as np

from kcc.native import native

Ints = Any
Masks = Any

GLOBAL, LOCAL, CONSTANT, PRIVATE, ATOMIC, LOCAL_ATOMIC = range(6)
"""How an access is taken apart."""

WORD = 4
"""Bytes of a bank, and of what private memory of the lanes is interleaved by."""


@native
def coalesce(
    addresses: Ints, masks: Masks, kinds: Ints, sizes: Ints, threads: Ints, private_base: int,
    private_bytes: int, line_bytes: int, sector_bytes: int, banks: int, lanes_together: int,
    accesses: Ints, transactions: Ints, start: int,
) -> int:  # fmt: skip
    """Write for each access its first transaction and their number (the passes, for local and
    constant memory) to ``accesses``, and transactions (line, sectors, how often atomics hit the
    same address) from ``start`` on. Returns where they end, or -1 when there is no room.

    ``threads`` is the number of the warp in the launch.
    """
    count, width = addresses.shape
    room = transactions.shape[0]
    words = np.empty(width * 64, np.int64)
    per_bank = np.empty(128, np.int64)
    end = start
    for access in range(count):
        kind, size = kinds[access], sizes[access]
        mask = masks[access]
        if kind in (LOCAL, LOCAL_ATOMIC):
            passes = 0
            for first in range(0, width, lanes_together):
                if size > 8 and lanes_together > 8:
                    step = lanes_together // 4
                elif size > 4 and lanes_together > 8:
                    step = lanes_together // 2
                else:
                    step = lanes_together
                for part in range(first, first + lanes_together, step):
                    per_bank[:banks] = 0
                    found = 0
                    for lane in range(part, part + step):
                        if not (mask >> np.uint64(lane)) & np.uint64(1):
                            continue
                        low = addresses[access, lane] // WORD
                        high = (addresses[access, lane] + size - 1) // WORD
                        for word in range(low, min(high, low + 15) + 1):
                            new = True
                            if kind == LOCAL:
                                for place in range(found):
                                    if words[place] == word:
                                        new = False
                                        break
                            if new and found < words.shape[0]:
                                words[found] = word
                                found += 1
                                per_bank[word % banks] += 1
                    most = 0
                    for bank in range(banks):
                        most = max(most, per_bank[bank])
                    passes += most
            accesses[access, 0], accesses[access, 1] = -1, max(passes, 1)
            continue
        if kind == CONSTANT:
            found = 0
            for lane in range(width):
                if (mask >> np.uint64(lane)) & np.uint64(1):
                    word = addresses[access, lane] // WORD
                    new = True
                    for place in range(found):
                        if words[place] == word:
                            new = False
                            break
                    if new:
                        words[found] = word
                        found += 1
            accesses[access, 0], accesses[access, 1] = -1, max(found, 1)
            continue
        first = end
        for lane in range(width):
            if not (mask >> np.uint64(lane)) & np.uint64(1):
                continue
            low = addresses[access, lane]
            pieces = 1
            if kind == PRIVATE:
                pieces = (size + WORD - 1) // WORD
            for piece in range(pieces):
                if kind == PRIVATE:
                    offset = low // WORD + piece
                    begin = (
                        private_base
                        + (
                            (threads[access] * (private_bytes // WORD + 1) + offset % (1 << 24))
                            * width
                            + lane
                        )
                        * WORD
                    )
                    last = begin + WORD - 1
                else:
                    begin, last = low, low + size - 1
                for sector in range(begin // sector_bytes, last // sector_bytes + 1):
                    line = sector * sector_bytes // line_bytes
                    bit = np.int64(1) << (sector - line * (line_bytes // sector_bytes))
                    place = end - 1
                    while place >= first and transactions[place, 0] != line:
                        place -= 1
                    if place >= first:
                        transactions[place, 1] |= bit
                    else:
                        if end >= room:
                            return -1
                        transactions[end, 0], transactions[end, 1] = line, bit
                        transactions[end, 2] = 1
                        end += 1
                        place = end - 1
        if kind == ATOMIC:
            for lane in range(width):
                if not (mask >> np.uint64(lane)) & np.uint64(1):
                    continue
                same = 0
                for other in range(lane, width):
                    if (mask >> np.uint64(other)) & np.uint64(1):
                        same += addresses[access, lane] == addresses[access, other]
                line = addresses[access, lane] // line_bytes
                for place in range(first, end):
                    if transactions[place, 0] == line:
                        transactions[place, 2] = max(transactions[place, 2], same)
        accesses[access, 0], accesses[access, 1] = first, end - first
    return end
