"""The load/store unit and L1 of the cycle-level model, compiled by numba. Import it lazily."""

from __future__ import annotations

from typing import Any

import numpy as np

from kcc.base.native import inlined, prefetch, quotient, remainder, trailing_zeros
from kcc.sim.cycle.layout import (
    ABSENT,
    FORESEEN,
    WAY_BITS,
    Cache,
    Cause,
    Conf,
    Counts,
    Dram,
    Kind,
    LineStat,
    Run,
    Sms,
    Stat,
)
from kcc.sim.cycle.memory_native import (
    LINE_WORDS,
    find_line,
    home_of,
    place_of,
    queue_has_room,
    read_level2,
    request,
    set_dirty,
    take_line,
    write_level2,
)
from kcc.sim.machine.l1_sets_native import set_of

Ints = Any

SECTORS, L1_LATENCY, L1_SETS, L1_WAYS = (
    int(Conf.SECTORS), int(Conf.L1_LATENCY), int(Conf.L1_SETS), int(Conf.L1_WAYS),
)  # fmt: skip
L1_MSHR, L1_MERGE, L1_BANKS = int(Conf.L1_MSHR), int(Conf.L1_MERGE), int(Conf.L1_BANKS)
MERGE_LINES, FILL_LINE = int(Conf.MERGE_LINES), int(Conf.FILL_LINE)
BANK_SECTORS = int(Conf.L1_BANK_SECTORS)
L2_WAYS, PART_WRITTEN, STORED_WORDS = (
    int(Conf.L2_WAYS), int(Conf.PART_WRITTEN), int(Conf.STORED_WORDS),
)  # fmt: skip
LSU_INTERVAL, L2_SETS, WRITE_BACK, STORES_STAY = (
    int(Conf.LSU_INTERVAL), int(Conf.L2_SETS), int(Conf.L2_WRITE_BACK), int(Conf.STORES_STAY),
)  # fmt: skip
ATOMIC_LATENCY, L2_LATENCY = int(Conf.ATOMIC_LATENCY), int(Conf.L2_LATENCY)
ATOMIC_OPERATION = int(Conf.ATOMIC_OPERATION)
REQUEST_CYCLES, REQUEST_MORE = int(Conf.REQUEST_CYCLES), int(Conf.REQUEST_MORE)
STORE_CYCLES, STORE_MORE = int(Conf.STORE_CYCLES), int(Conf.STORE_MORE)
K_LOAD, K_STORE = int(Kind.GLOBAL_LOAD), int(Kind.GLOBAL_STORE)
C_LOAD_STORE, C_MSHR, C_L1, C_DRAM, C_ATOMIC, C_QUEUE = (
    int(Cause.LOAD_STORE), int(Cause.MSHR), int(Cause.L1), int(Cause.DRAM), int(Cause.ATOMIC),
    int(Cause.QUEUE),
)  # fmt: skip
S_L1, S_L1_HITS, S_L1_PENDING, S_MSHR, S_MERGE, S_STORE_SECTORS, S_AGAIN = (
    int(Stat.L1_SECTORS), int(Stat.L1_HITS), int(Stat.L1_PENDING), int(Stat.MSHR_CYCLES),
    int(Stat.MERGE_STALLS), int(Stat.STORE_SECTORS), int(Stat.ASKED_AGAIN),
)  # fmt: skip
L_SECTORS, L_L1, L_L2, L_DRAM, L_LATENCY = (
    int(LineStat.SECTORS), int(LineStat.L1_HITS), int(LineStat.L2_HITS), int(LineStat.DRAM),
    int(LineStat.LATENCY),
)  # fmt: skip
R_LAST = int(Run.END)

LEVEL_BITS = 8
"""Of the level that gives a sector; how many wait for it stands above."""

WRITES_AHEAD = 16
"""Cycles of the way out by which stores may be ahead of it: the unit's own buffer."""


@inlined
def heap_add(heap: Ints, sm: int, count: int, value: int) -> None:
    """Add to the ``count`` numbers of a heap whose least is first."""
    place = count
    while place > 0:
        parent = (place - 1) >> 1
        if heap[sm, parent] <= value:
            break
        heap[sm, place] = heap[sm, parent]
        place = parent
    heap[sm, place] = value


@inlined
def heap_drop(heap: Ints, sm: int, count: int) -> None:
    """Take away the least of ``count`` numbers."""
    value = heap[sm, count - 1]
    place = 0
    while True:
        child = 2 * place + 1
        if child >= count - 1:
            break
        # Either is as likely: no branch, which the host could but guess.
        child += (child + 1 < count - 1) & (heap[sm, child + 1] < heap[sm, child])
        if heap[sm, child] >= value:
            break
        heap[sm, place] = heap[sm, child]
        place = child
    heap[sm, place] = value


@inlined
def make_room(heap: Ints, sm: int, count: int, time: int) -> int:
    """Take away at least the first of ``count`` numbers, which is ``time`` or less, and if it seems
    that most are, all of them; how many stay."""
    if heap[sm, count >> 1] > time:
        heap_drop(heap, sm, count)
        return count - 1
    left = 0
    for place in range(count):
        value = heap[sm, place]
        if value > time:
            heap_add(heap, sm, left, value)
            left += 1
    return left


@inlined
def ways_of(conf: Ints, line: int, sm: int) -> int:
    """Where the ways of a line's set begin in the L1 of an SM."""
    sets = conf[L1_SETS]
    return (sm * sets + set_of(line, sets)) * conf[L1_WAYS]


@inlined
def foresee(
    conf: Ints, sms: Sms, l1: Cache, l2: Cache, transactions: Ints, first: int, end: int, sm: int
) -> None:
    """Find the sets of lines (``sms.foreseen``) and ask the host for them, then for the places of
    the lines in these, before they are looked at in turn."""
    for number in range(first, end):
        line, found = transactions[number].line, sms.foreseen[np.uint64(number - first)]
        if conf[L1_SETS] > 0:
            found.level1 = ways_of(conf, line, sm)
            prefetch(l1.order, found.level1)
            prefetch(l1.order, found.level1 + conf[L1_WAYS] - 1)
        found.slice, found.level2 = home_of(conf, line)
        if conf[L2_SETS] > 0:
            prefetch(l2.order, found.level2)
            prefetch(l2.order, found.level2 + conf[L2_WAYS] - 1)
    for number in range(first, end):
        line, found = transactions[number].line, sms.foreseen[np.uint64(number - first)]
        if conf[L1_SETS] > 0:
            prefetch(l1.lines, place_of(l1.order, found.level1, conf[L1_WAYS], line))
        if conf[L2_SETS] > 0:
            prefetch(l2.lines, place_of(l2.order, found.level2, conf[L2_WAYS], line))


@inlined
def keep_stored(conf: Ints, l1: Cache, sm: int, line: int, sectors: Any, now: int) -> None:
    """Sectors that are stored at ``now`` stay in L1: none of them is fetched before it is read."""
    entry, had = find_line(l1.order, ways_of(conf, line, sm), conf[L1_WAYS], line)
    own = l1.lines[np.uint64(entry)]
    cached = had >> WAY_BITS == line
    for sector in range(np.uint64(conf[SECTORS])):
        if (sectors >> np.int64(sector)) & 1:
            own[sector] = now
        elif not cached:
            own[sector] = ABSENT


@inlined
def hold(sms: Sms, sm: int, port: Any) -> int:
    """Whole cycles that the load/store port is held for an access of so many 1/64 cycles: what is
    less than one is kept for the next."""
    state = sms.state[sm]
    due = state.held + np.int64(port)
    state.held = due & 63
    return due >> 6


@inlined
def hold_line(l2: Cache, place: int, sectors: int, until: int) -> None:
    """A line of L2 gives no sector, and takes no atomic operation, before ``until``."""
    own = l2.lines[np.uint64(place)]
    for sector in range(np.uint64(sectors)):
        if own[sector] != ABSENT:
            own[sector] = until


@inlined
def write(
    conf: Ints, run: Ints, counts: Counts, sms: Sms, l1: Cache, l2: Cache, memory: Dram,
    transactions: Ints, first: int, count: int, sm: int, op: int, kind: int, busy: int, now: int,
) -> tuple[int, int]:  # fmt: skip
    """A store or atomic at ``now``: when it is done, or has come to L2, what of that is queueing.
    Stores are written
    through L1; they leave their data there if its policy is such. The load/store unit is busy
    meanwhile, while the way out is taken, and while a slice that it wrote to has no room."""
    stats, state = counts.stats, sms.state[sm]
    time, done, queued, in_cycle, cause = now, now, 0, 0, C_LOAD_STORE
    room: Any = now
    for number in range(first, first + count):
        line, mask = transactions[number].line, np.int64(transactions[number].sectors)
        weight: Any = np.int64(transactions[number].weight)
        words: Any = 0
        if kind == K_STORE and conf[STORED_WORDS]:
            words, weight = weight, 1
        unit, ways = home_of(conf, line)
        place: Any = -1
        known = beside = False
        takes: Any = 0  # cycles of the line, for all lanes of an atomic
        begin: Any = 0
        if kind != K_STORE and conf[ATOMIC_OPERATION] > 0:
            takes = (conf[ATOMIC_OPERATION] * weight + 63) >> 6
        if kind == K_STORE and conf[STORES_STAY]:
            keep_stored(conf, l1, sm, line, mask, now)
        while mask:
            sector = trailing_zeros(mask)
            mask &= mask - 1
            if in_cycle == conf[L1_BANKS]:
                time += 1
                in_cycle = 0
            in_cycle += 1
            counts.lines[op, L_SECTORS] += 1
            stats[S_STORE_SECTORS] += 1
            cycles = conf[STORE_MORE] if beside else conf[STORE_CYCLES]
            if kind != K_STORE and weight == 1:
                cycles = conf[REQUEST_MORE] if beside else conf[REQUEST_CYCLES]
            beside = True
            if kind == K_STORE and conf[PART_WRITTEN] > 1:
                own = LINE_WORDS // conf[SECTORS]
                parts = ~(words >> (sector * own)) & ((1 << own) - 1)
                weight = conf[PART_WRITTEN] if parts != 0 else 1
            work: Any = 1 if takes > 0 else weight
            served, waited = request(conf, sms, memory, sm, unit, time, cycles, work)
            room = max(room, queue_has_room(conf, memory, unit))
            if state.out >> 6 > time + WRITES_AHEAD:
                time = (state.out >> 6) - WRITES_AHEAD
                in_cycle = 0
                cause = C_QUEUE
            if place < 0 and conf[L2_SETS] > 0:
                place, known = take_line(conf, l2, memory, stats, unit, ways, line, served)
            if kind == K_STORE:
                write_level2(conf, l2, memory, stats, unit, ways, place, sector, words, served)
                run[R_LAST] = max(run[R_LAST], served)
                done = max(done, served)
            else:
                ready, beyond, _ = read_level2(
                    conf, sms, l2, memory, stats, sm, unit, place, line, sector, served,
                    known,
                )  # fmt: skip
                if place >= 0 and conf[WRITE_BACK]:
                    set_dirty(conf, l2, ways, place, sector)
                ready += conf[ATOMIC_LATENCY] - conf[L2_LATENCY] + takes
                if ready > done:
                    done, queued = ready, waited + beyond
                here = np.int64(l2.lines[np.uint64(place), np.uint64(sector)]) if takes > 0 else 0
                begin = max(begin, here, served)
        if takes > 0:
            hold_line(l2, place, conf[SECTORS], begin + takes)
    if room > time:
        time, cause = room, C_QUEUE
    state.lsu = max(time + 1, now + max(conf[LSU_INTERVAL], busy))
    state.lsu_cause = cause
    return done, queued


@inlined
def lacks_one(own: Ints, sectors: int, mask: Any) -> bool:
    """Whether a line in L1 lacks one of the sectors of a mask."""
    for sector in range(np.uint64(sectors)):
        if (mask >> np.int64(sector)) & 1 and own[sector] == ABSENT:
            return True
    return False


@inlined
def load(
    conf: Ints, counts: Counts, sms: Sms, l1: Cache, l2: Cache, memory: Dram, transactions: Ints,
    first: int, count: int, sm: int, op: int, busy: int, now: int,
) -> tuple[int, int, int]:  # fmt: skip
    """A load at ``now``: when all its data are there, what of that is queueing, and the level of
    the slowest. The load/store unit is busy meanwhile."""
    stats, lines, state = counts.stats, counts.lines, sms.state[sm]
    sets, sectors, hit_latency = conf[L1_SETS], conf[SECTORS], conf[L1_LATENCY]
    time, cause, in_cycle = now, C_LOAD_STORE, 0
    late: Any = 0  # of the time, cycles that the unit stood still for want of entries
    used = 0  # banks, in this cycle
    done: Any = now
    queued: Any = 0
    level: Any = C_L1
    end = first + count
    for number in range(first, end):
        line, mask = transactions[number].line, np.int64(transactions[number].sectors)
        ahead = (number - first) % FORESEEN
        if ahead == 0:
            foresee(conf, sms, l1, l2, transactions, number, min(number + FORESEEN, end), sm)
        found = sms.foreseen[np.uint64(ahead)]
        unit, ways = found.slice, found.level2
        entry: Any = -1
        cached, known = False, False
        if sets > 0:
            entry, had = find_line(l1.order, found.level1, conf[L1_WAYS], line)
            cached = had >> WAY_BITS == line
            if not cached:
                for sector in range(np.uint64(sectors)):
                    l1.lines[np.uint64(entry), sector] = ABSENT
        again = False
        if conf[MERGE_LINES] and cached:
            again = lacks_one(l1.lines[np.uint64(entry)], sectors, mask)
        place: Any = -1
        asks = False
        beside = 0  # sectors that nobody wants, of a line that comes as a whole
        if sets > 0 and conf[FILL_LINE] and not cached:
            beside = ((1 << sectors) - 1) & ~mask
            mask |= beside
        while mask:
            sector = trailing_zeros(mask)
            mask &= mask - 1
            is_wanted = (beside >> sector) & 1 == 0
            bank = 0
            if conf[BANK_SECTORS] > 0:
                bank = remainder(
                    quotient(line * sectors + sector, conf[BANK_SECTORS]), conf[L1_BANKS]
                )
            if in_cycle == conf[L1_BANKS] or (used >> bank) & 1:
                time += 1
                in_cycle = used = 0
            if is_wanted:
                used |= (conf[BANK_SECTORS] > 0) << bank
                in_cycle += 1
                lines[op, L_SECTORS] += 1
                stats[S_L1] += 1
            at = np.uint64(entry)
            there = np.int64(l1.lines[at, np.uint64(sector)]) if cached else ABSENT
            asked = there != ABSENT
            if asked and not (again and there > time):
                own = time + hit_latency
                came: Any = C_L1
                if there <= time:
                    stats[S_L1_HITS] += 1
                    lines[op, L_L1] += 1
                else:
                    stats[S_L1_PENDING] += 1
                    state_of = l1.lines[at, sectors + sector]
                    if state_of >> LEVEL_BITS >= conf[L1_MERGE]:
                        stats[S_MERGE] += 1
                        late += max(there - time, 0)
                        time = max(time, there)
                        cause = C_MSHR
                    else:
                        l1.lines[at, sectors + sector] = state_of + (1 << LEVEL_BITS)
                    own = max(own, there)
                    came = state_of & ((1 << LEVEL_BITS) - 1)
                if own > done:
                    done, queued, level = own, 0, came
                continue
            # a miss, or asked for again with one: an entry, then the request
            if state.misses == conf[L1_MSHR]:
                if sms.misses[sm, 0] > time:
                    stats[S_MSHR] += sms.misses[sm, 0] - time
                    late += sms.misses[sm, 0] - time
                    time = sms.misses[sm, 0]
                    in_cycle = 0
                    cause = C_MSHR
                state.misses = make_room(sms.misses, sm, state.misses, time)
            cycles = conf[REQUEST_MORE] if asks else conf[REQUEST_CYCLES]
            asks = True
            served, waited = request(conf, sms, memory, sm, unit, time - late, cycles, 1)
            if place < 0 and conf[L2_SETS] > 0:
                place, known = take_line(conf, l2, memory, stats, unit, ways, line, served)
            ready, beyond, came = read_level2(
                conf, sms, l2, memory, stats, sm, unit, place, line, sector, served, known
            )  # fmt: skip
            # Its places in queues it has from when the access began: those of an entry that comes
            # later would stand empty until then for all others.
            queues = min(waited + beyond, late)
            ready += late - queues
            waited, beyond = waited + beyond - queues, 0
            heap_add(sms.misses, sm, state.misses, ready)
            state.misses += 1
            if not is_wanted:
                l1.lines[at, np.uint64(sector)] = ready
                l1.lines[at, sectors + sector] = came
                continue
            if asked:
                stats[S_L1_PENDING] += 1
                stats[S_AGAIN] += 1
                if there <= ready:
                    ready, waited, beyond = max(there, time + hit_latency), 0, 0
                    came = l1.lines[at, sectors + sector] & ((1 << LEVEL_BITS) - 1)
            else:
                lines[op, L_DRAM if came == C_DRAM else L_L2] += 1
                if entry >= 0:
                    l1.lines[at, np.uint64(sector)] = ready
                    l1.lines[at, sectors + sector] = came
            if ready > done:
                done, queued, level = ready, waited + beyond, came
    lines[op, L_LATENCY] += done - now
    state.lsu = max(time + 1, now + max(conf[LSU_INTERVAL], busy))
    state.lsu_cause = cause
    return done, queued, level


@inlined
def access_global(
    conf: Ints, run: Ints, counts: Counts, sms: Sms, l1: Cache, l2: Cache, memory: Dram,
    transactions: Ints, first: int, count: int, sm: int, op: int, kind: int, busy: int, now: int,
) -> tuple[int, int, int]:  # fmt: skip
    """A load, store or atomic at ``now``, which holds the load/store port for ``busy`` cycles at
    least: when all its data are there, what of that is queueing, and the level of the slowest."""
    if kind == K_LOAD:
        return load(
            conf, counts, sms, l1, l2, memory, transactions, first, count, sm, op, busy, now
        )  # fmt: skip
    done, queued = write(
        conf, run, counts, sms, l1, l2, memory, transactions, first, count, sm, op, kind, busy, now
    )
    return done, queued, C_ATOMIC if kind != K_STORE else C_L1
