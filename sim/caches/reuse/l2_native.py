"""Sets of lines, the least recently used of which gives way, and the L2 of all SMs, compiled by
numba. Import it lazily."""

from __future__ import annotations

from typing import Any

import numpy as np

from kcc.base.native import inlined, scatter, uncounted
from kcc.sim.caches.reuse.layout import EMPTY, RECENT, Code, Gpu, Kind, Lru, Order, Second, SmOrder

Ints = Any
Floats = Any

STORE, LOCAL_STORE, RANDOM = int(Kind.STORE), int(Kind.LOCAL_STORE), int(Order.RANDOM)
READS, READ_HITS = int(Second.READS), int(Second.HITS)
WRITES, DRAM_WRITES = int(Second.WRITES), int(Second.DRAM_WRITES)
PENDING = int(Second.PENDING)

NOTHING = EMPTY
BEFORE = 256


@inlined
def draw(state: Ints) -> int:
    """The next number of 31 bits (Steele et al., "Fast splittable pseudorandom number generators",
    OOPSLA 2014, with the constants of splitmix64)."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    drawn: Any = np.int64((z ^ (z >> np.uint64(31))) >> np.uint64(33))
    return drawn


@inlined
def count_sectors(mask: int) -> int:
    """How many of the four sectors of a line are in a mask."""
    return (mask & 1) + (mask >> 1 & 1) + (mask >> 2 & 1) + (mask >> 3 & 1)


@inlined
def passed(mean: float, key: int, spread: float) -> int:
    """How many lines passed through a set, of ``mean`` through each: where sets are chosen at
    random a Poisson distribution's spread (here of four bytes' sum, 148 their deviation)."""
    drawn = scatter(key)
    four = (drawn & 255) + (drawn >> 8 & 255) + (drawn >> 16 & 255) + (drawn >> 23 & 255)
    some: Any = max(np.int64(mean + spread * np.sqrt(mean) * (four - 510) / 148 + 0.5), 0)
    return some


@inlined
def victim(cache: Lru, at: int, line: int) -> int:
    """The way that a line of local memory is in, else an empty one, else any. Warps go over theirs
    again and again, and those that find them run ahead: of a little more than there is room for a
    part stays, where all would be gone if the least recently used gave way."""
    entries, ways, empty = cache.entries, cache.entries.shape[1], -1
    for way in range(ways):
        if entries[at, way] >> 16 == line:
            return way
        if entries[at, way] == NOTHING:
            empty = way
    if empty >= 0:
        return empty
    cache.drawn[0] += 1
    return scatter(cache.drawn[0]) % ways


@inlined
def touch(cache: Lru, at: int, line: int, is_local: bool) -> int:
    """Valid and dirty sectors that a line had in set ``at`` (and :data:`BEFORE` if it was not used
    since the last loop was left), -1 if it was not there. It becomes the one used last, with these
    bits, or none."""
    entries, ways = cache.entries, cache.entries.shape[1]
    mean = cache.debt[0] * cache.part[0] - cache.aged[at]
    if mean >= 1:
        cache.aged[at] += mean
        debt: Any = np.int64(cache.debt[0])
        lost = passed(mean, at + debt, cache.spread)
        cache.used[at] = min(cache.used[at] + lost, ways)
        for way in range(ways - 1, -1, -1):
            entries[at, way] = entries[at, way - lost] if way >= lost else NOTHING
    entry, epoch = entries[at, 0], cache.epoch[0] << 8
    found = entry >> 16 == line
    last = min(cache.used[at] + 1, ways)
    if is_local and not found:
        last = min(last, 1 + victim(cache, at, line))
    for way in range(1, 0 if found else last):
        entry, entries[at, way] = entries[at, way], entry
        if entry >> 16 == line:
            found = True
            break
    bits = entry & 255 if found else 0
    entries[at, 0] = line << 16 | epoch | bits
    if not found:
        cache.used[at] = max(cache.used[at], last)
        return -1
    return bits if entry & 0xFF00 == epoch else bits | BEFORE


@inlined
def pass_lines(
    cache: Lru, loop: int, traverses: int, bits: int, missing: int, weight: float, own: float
) -> None:
    """A request in a loop fetched the sectors ``missing`` of a line of which ``bits`` were there
    (-1: none, it was new), and stands for ``own`` like it: the others will have passed through the
    cache when the loop is left, as will those that it used for the first time in the loop. Where it
    ``traverses``, a line lasts for several periods."""
    if loop < 0:
        return
    if traverses:
        cache.due[loop] += weight * count_sectors(missing) / 4 * (own - 1)
        cache.carried[loop] += weight * count_sectors(missing) / 4 * own
    elif bits < 0:
        cache.due[loop] += weight * (own - 1)
        cache.carried[loop] += weight * own
    elif bits & BEFORE:
        cache.due[loop] += weight * (own - 1)


@inlined
def leave_loop(cache: Lru, loop: int, parent: int, own: float) -> None:
    """All lines of a loop that were not simulated pass; ``own``: what an iteration of the loop
    around it stands for."""
    cache.debt[0] += cache.due[loop]
    cache.epoch[0] = (cache.epoch[0] + 1) & 255
    if parent >= 0:
        cache.due[parent] += cache.carried[loop] * (own - 1)
        cache.carried[parent] += cache.carried[loop] * own
    cache.due[loop] = 0
    cache.carried[loop] = 0


@inlined
def ask_l2(
    cache: Lru, gpu: Gpu, counts: Floats, access: int, line: int, mask: int, is_store: bool,
    is_local: bool, loop: int, traverses: int, weight: float, own: float, brought: Ints, turn: int,
) -> None:  # fmt: skip
    """Sectors of one line, read or written, in L2, if its set is among those looked at.
    ``counts[half, access]`` as :class:`kcc.sim.caches.reuse.layout.Second` says.
    ``brought[place]``: a line that DRAM brings, and in which ``turn`` it was asked for."""
    at = scatter(line) * gpu.sets >> 31
    if at & (gpu.sampled - 1) != gpu.phase:
        return
    at //= gpu.sampled
    half = at & gpu.halves
    bits = touch(cache, at, line, is_local)
    there = bits & 255 if bits >= 0 else 0
    if is_store:
        cleaned = mask & ~(there >> 4) if gpu.write_back else mask
        counts[half, access, WRITES] += weight * count_sectors(mask)
        counts[half, access, DRAM_WRITES] += weight * count_sectors(cleaned)
        cache.entries[at, 0] |= mask | mask << 4
    else:
        counts[half, access, READS] += weight * count_sectors(mask)
        counts[half, access, READ_HITS] += weight * count_sectors(mask & there)
        place = at & (RECENT - 1)
        if mask & ~there:
            brought[place, 0], brought[place, 1] = line, turn
        elif brought[place, 0] == line and turn - brought[place, 1] < gpu.in_flight:
            counts[half, access, PENDING] += weight * count_sectors(mask)
        cache.entries[at, 0] |= mask
    if not is_local:
        pass_lines(cache, loop, traverses, bits, mask & ~there, 1.0 * gpu.sampled, own)


@uncounted
def run_l2(
    code: Code, gpu: Gpu, cache: Lru, requests: Ints, weights: Floats, bounds: Ints, places: Ints,
    order: SmOrder, state: Ints, counts: Floats,
) -> int:  # fmt: skip
    """The requests of all SMs through L2. Those of SM s in the first round are
    ``requests[bounds[s, 0]:bounds[s, 1]]``, in later ones, again and again, up to ``bounds[s, 2]``;
    they are those of SM ``bounds[s, 3]``, moved. ``places[b]`` are the numbers in x, y and z of
    thread block b. ``counts[half, round, access]`` as in :func:`ask_l2`; the number of lookups."""
    looked, left, sm, now, asked = 0, 0, -1, 0, 0
    for each in range(gpu.sms):
        order.left[each] = order.late[each] + bounds[each, 1] - bounds[each, 0]
        order.left[each] += gpu.repeats * (bounds[each, 2] - bounds[each, 1])
        order.at[each] = bounds[each, 0] - order.late[each]
        left += order.left[each] > 0
    while left > 0:
        sm = draw(state) % gpu.sms if gpu.order == RANDOM else sm + 1
        sm = 0 if sm >= gpu.sms else sm
        while order.left[sm] <= 0:
            sm = sm + 1 if sm + 1 < gpu.sms else 0
        at, again = order.at[sm], order.again[sm]
        order.at[sm] += 1
        if order.at[sm] == bounds[sm, 2]:
            order.at[sm] = bounds[sm, 1]
            order.again[sm] += 1
        order.left[sm] -= 1
        left -= order.left[sm] == 0
        turn = now
        asked += 1
        if asked == gpu.sms:
            now, asked = now + 1, 0
        if at < bounds[sm, 0]:
            continue
        access = requests[at, 0]
        if access < 0:
            _leave(code, gpu, cache, order.exits, requests[at, 1], weights[at, 1])
            continue
        place, round_ = requests[at, 3], requests[at, 4]
        block = ((round_ + again) * gpu.resident + place) * gpu.sms + sm
        if block >= gpu.blocks or block % gpu.dies:
            continue
        source = (round_ * gpu.resident + place) * gpu.sms + bounds[sm, 3]
        shift = code.groups[access, 4] * (sm - bounds[sm, 3])
        for d in range(3):
            shift += code.groups[access, d] * (places[block, d] - places[source, d])
        sector = 4 * requests[at, 1] + (shift >> 5)
        line, mask = sector >> 2, requests[at, 2] << (sector & 3)
        how, loop = code.accesses[access, 2], requests[at, 5]
        is_store = how in (STORE, LOCAL_STORE)
        looked += 1
        for part in range(2):
            wanted = mask >> (4 * part) & 15
            if wanted:
                ask_l2(
                    cache, gpu, counts[:, round_ + again], access, line + part, wanted, is_store,
                    code.groups[access, 4] != 0, loop, code.accesses[access, 5], weights[at, 0],
                    weights[at, 1], order.brought, turn,
                )  # fmt: skip
    return looked


@inlined
def _leave(code: Code, gpu: Gpu, cache: Lru, exits: Ints, loop: int, own: float) -> None:
    """An SM leaves a loop; once all have, the lines that were not simulated pass."""
    exits[loop] += 1
    if exits[loop] >= gpu.sms:
        exits[loop] = 0
        leave_loop(cache, loop, code.loops[loop, 2], own)
