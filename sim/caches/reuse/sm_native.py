"""The warps of an SM go through their accesses and its caches, compiled by numba. Import it
lazily."""

from __future__ import annotations

from typing import Any

from kcc.base.native import inlined, uncounted
from kcc.sim.caches.reuse.l2_native import count_sectors, draw, leave_loop, pass_lines, touch
from kcc.sim.caches.reuse.layout import (
    MOST_LINES,
    PERIODS,
    Asked,
    Blocks,
    Code,
    First,
    Kind,
    Lru,
    Op,
    Order,
    Scratch,
    Sm,
    Tallies,
    Warps,
)
from kcc.sim.machine.l1_sets_native import set_of

Ints = Any

LOOP, END, BARRIER = int(Op.LOOP), int(Op.END), int(Op.BARRIER)
LOAD, CONSTANT, LOCAL_STORE = int(Kind.LOAD), int(Kind.CONSTANT), int(Kind.LOCAL_STORE)
GREEDY, RANDOM = int(Order.GREEDY), int(Order.RANDOM)
SECTORS, HITS, EXECUTED = int(First.SECTORS), int(First.HITS), int(First.EXECUTED)
FETCHED = int(First.FETCHED)
FOUND, STEPS, BIRTHS = 0, 1, 2
FINISHED, ASKED, MISSED = 0, 1, 2

SETTLED = 0.01
"""By how much of its requests the misses of a period may differ from those of the one before."""

RUNNING, WAITING, ENDED = 0, 1, 2


@inlined
def happens(share: float, state: Ints) -> bool:
    """Draw whether something happens that happens in a share of all cases."""
    return share >= 1 or draw(state) < share * 2147483648.0


@inlined
def next_warp(sm: Sm, warps: Warps, turn: int) -> int:
    """The warp whose turn it is after that of ``turn``; there is one that runs."""
    count = warps.status.shape[0]
    if sm.order == GREEDY:
        if turn >= 0 and warps.status[turn] == RUNNING:
            return turn
        best = -1
        for slot in range(count):
            is_older = best < 0 or warps.born[slot] < warps.born[best]
            if warps.status[slot] == RUNNING and is_older:
                best = slot
        return best
    at = draw(warps.random) % count if sm.order == RANDOM else turn + 1
    while True:
        at = 0 if at >= count else at
        if warps.status[at] == RUNNING:
            if warps.late[at] == 0:
                return at
            warps.late[at] -= 1
        at += 1


@inlined
def begin_block(sm: Sm, warps: Warps, blocks: Blocks, asked: Asked, place: int, turn: int) -> bool:
    """The thread block of a round takes its place, if there is one."""
    if turn >= sm.rounds or (turn * sm.resident + place) * sm.sms + sm.number >= sm.blocks:
        return False
    blocks.round[place], blocks.alive[place] = turn, sm.warps
    for slot in range(place * sm.warps, (place + 1) * sm.warps):
        warps.status[slot], warps.pc[slot], warps.total[slot] = RUNNING, 0, 1
        warps.born[slot] = asked.totals[BIRTHS]
        asked.totals[BIRTHS] += 1
    return True


@inlined
def settle(tallies: Tallies, loop: int, period: int) -> None:
    """A warp finished a period of a loop: the loop has settled if all of those in it did and this
    period's misses are those of the one before."""
    seen = tallies.seen[loop]
    seen[period, FINISHED] += 1
    if tallies.settled[loop] or period == 0 or seen[period, FINISHED] < tallies.peak[loop]:
        return
    before = seen[period - 1, MISSED] / max(seen[period - 1, ASKED], 1)
    now = seen[period, MISSED] / max(seen[period, ASKED], 1)
    tallies.settled[loop] = abs(now - before) <= SETTLED or period == PERIODS - 1


@inlined
def leave(
    code: Code, warps: Warps, tallies: Tallies, l1: Lru, constants: Lru, asked: Asked, slot: int,
    loop: int, place: int, turn: int,
) -> None:  # fmt: skip
    """A warp leaves a loop. When as many have as were in it at once, the lines that were not
    simulated pass through the caches."""
    warps.total[slot] /= warps.own[slot, loop]
    warps.own[slot, loop] = 1
    tallies.inside[loop] -= 1
    tallies.exits[loop] += 1
    if tallies.exits[loop] < tallies.peak[loop]:
        return
    tallies.exits[loop], tallies.peak[loop] = 0, tallies.inside[loop]
    parent = code.loops[loop, 2]
    around = warps.own[slot, parent] if parent >= 0 else 1.0
    leave_loop(l1, loop, parent, around)
    leave_loop(constants, loop, parent, around)
    at = asked.totals[FOUND]
    if tallies.settled[loop] and at < asked.requests.shape[0]:
        asked.requests[at, 0], asked.requests[at, 1] = -1, loop
        asked.requests[at, 3], asked.requests[at, 4] = place, turn
        asked.weights[at, 1] = around
        asked.totals[FOUND] += 1


@inlined
def end_iteration(sm: Sm, code: Code, warps: Warps, tallies: Tallies, slot: int, loop: int) -> bool:
    """A warp is at the end of an iteration: whether it was the last one that is simulated."""
    trips, period = code.loops[loop, 0], code.loops[loop, 1]
    warps.counter[slot, loop] += 1
    now = warps.counter[slot, loop]
    if now % period == 0:
        if warps.own[slot, loop] > 1:
            return True
        settle(tallies, loop, min(now // period, PERIODS) - 1)
        forward = sm.forward and not code.loops[loop, 3]
        if forward and tallies.settled[loop] and trips - now > period:
            warps.own[slot, loop] = (trips - now) / period
            warps.total[slot] *= warps.own[slot, loop]
    return now >= trips


@inlined
def lines_of(
    code: Code, access: int, row: int, mask: int, shift: int, lines: Ints, masks: Ints
) -> int:  # fmt: skip
    """The lines that a warp's access touches, with the sectors of each; their number."""
    size, found = code.accesses[access, 1], 0
    for lane in range(code.rows.shape[1]):
        if not mask >> lane & 1:
            continue
        address = code.rows[row, lane] + shift
        for sector in range(address >> 5, ((address + size - 1) >> 5) + 1):
            line = sector >> 2
            at = found - 1
            while at >= 0 and lines[at] != line:
                at -= 1
            if at < 0:
                if found == MOST_LINES:
                    continue
                at = found
                found += 1
                lines[at], masks[at] = line, 0
            masks[at] |= 1 << (sector & 3)
    return found


@inlined
def together(sectors: int, fetch_sectors: int) -> int:
    """Sectors of a line, and those that are fetched with them."""
    if fetch_sectors == 1 or sectors == 0:
        return sectors
    if fetch_sectors == 2:
        halves = (sectors | sectors >> 1) & 5
        return halves | halves << 1
    return 15


@inlined
def look_up(
    sm: Sm,
    how: int,
    is_local: bool,
    l1: Lru,
    constants: Lru,
    line: int,
    wanted: int,
    loop: int,
    traverses: int,
    own: float,
) -> int:  # fmt: skip
    """The sectors of a line that the SM has to ask L2 for."""
    if how in (LOAD, LOCAL_STORE) and sm.has_l1:
        sets = l1.entries.shape[0]
        at = set_of(line, sets)
        bits = touch(l1, at, line, is_local)
        missing = wanted if bits < 0 else wanted & ~bits
        if how == LOAD:
            missing = together(missing, sm.fetch_sectors)
        l1.entries[at, 0] |= wanted | missing
        if not is_local:
            pass_lines(l1, loop, traverses, bits, missing, 1.0, own)
        return missing if how == LOAD else wanted
    if how != CONSTANT:
        return wanted
    missing, sets = 0, constants.entries.shape[0]
    for half in range(2):  # its lines are half as long
        part, small = wanted & (3 << (2 * half)), 2 * line + half
        if part and touch(constants, small % sets, small, is_local) < 0:
            missing |= part
            pass_lines(constants, loop, traverses, -1, part, 1.0, own)
    return missing


@inlined
def note_misses(
    code: Code, warps: Warps, tallies: Tallies, slot: int, loop: int, lines: int, missed: int
) -> None:
    """Count what an access asked for and missed in the periods of the loops around it."""
    while loop >= 0:
        if not tallies.settled[loop]:
            period = min(warps.counter[slot, loop] // code.loops[loop, 1], PERIODS - 1)
            tallies.seen[loop, period, ASKED] += lines
            tallies.seen[loop, period, MISSED] += missed
        loop = code.loops[loop, 2]


@uncounted
def access(
    sm: Sm, code: Code, warps: Warps, tallies: Tallies, l1: Lru, constants: Lru, asked: Asked,
    lines: Ints, masks: Ints, slot: int, number: int, turn: int, at: Ints,
) -> int:  # fmt: skip
    """A warp's access, of a thread block with the numbers ``at``, the last of them those of its
    place and its SM: the lines that it touches, none if no lane takes part."""
    row, how, first = code.accesses[number, 0], code.accesses[number, 2], code.accesses[number, 3]
    loop, traverses, shift = (
        code.accesses[number, 4],
        code.accesses[number, 5],
        code.accesses[number, 6],
    )
    for d in range(at.shape[0]):
        shift += code.groups[number, d] * at[d]
    for each in range(code.loops.shape[0]):
        shift += code.moves[number, each] * warps.counter[slot, each]
        first += code.steps[number, each] * min(warps.counter[slot, each], code.caps[number, each])
    warp = slot % sm.warps
    mask = code.masks[first, warp]
    if mask == 0 or not happens(code.shares[number], warps.random):
        return 0
    asked.totals[STEPS] += 1
    weight, own = warps.total[slot], warps.own[slot, loop] if loop >= 0 else 1.0
    counts = asked.counts[turn, number]
    counts[EXECUTED] += weight
    is_local = code.groups[number, 4] != 0
    some, missed = lines_of(code, number, row + warp, mask, shift, lines, masks), 0
    for i in range(some):
        missing = look_up(
            sm, how, is_local, l1, constants, lines[i], masks[i], loop, traverses, own
        )
        counts[SECTORS] += weight * count_sectors(masks[i])
        counts[HITS] += weight * count_sectors(masks[i] & ~missing)
        counts[FETCHED] += weight * count_sectors(missing)
        missed += missing > 0
        found = asked.totals[FOUND]
        if missing and found < asked.requests.shape[0]:
            request = asked.requests[found]
            request[0], request[1], request[2] = number, lines[i], missing
            request[3], request[4], request[5] = slot // sm.warps, turn, loop
            asked.weights[found, 0], asked.weights[found, 1] = weight, own
            asked.totals[FOUND] += 1
    if how == LOAD:
        note_misses(code, warps, tallies, slot, loop, some, missed)
    return some


@uncounted
def run_sm(
    code: Code, sm: Sm, warps: Warps, blocks: Blocks, tallies: Tallies, l1: Lru, constants: Lru,
    asked: Asked, scratch: Scratch,
) -> None:  # fmt: skip
    """Run the thread blocks of an SM: each turn one warp goes on to its next access, or to the
    barrier or the end that it comes to before."""
    last, left, last_slot = code.ops.shape[0], 0, -1
    lines, masks, at = scratch.lines, scratch.masks, scratch.at
    for place in range(sm.resident):
        left += sm.warps if begin_block(sm, warps, blocks, asked, place, 0) else 0
    while left > 0 and asked.totals[STEPS] < sm.most_steps:
        slot = last_slot = next_warp(sm, warps, last_slot)
        place = slot // sm.warps
        turn = blocks.round[place]
        block = (turn * sm.resident + place) * sm.sms + sm.number
        at[0], at[1] = block % sm.grid_x, block // sm.grid_x % sm.grid_y
        at[2], at[3], at[4] = block // (sm.grid_x * sm.grid_y), place, sm.number
        goes_on = True
        while goes_on and warps.pc[slot] < last:
            op = code.ops[warps.pc[slot]]
            kind, number = op[0], op[1]
            warps.pc[slot] += 1
            if kind == LOOP:
                if happens(code.entered[number], warps.random):
                    warps.counter[slot, number], warps.own[slot, number] = 0, 1
                    tallies.inside[number] += 1
                    tallies.peak[number] = max(tallies.peak[number], tallies.inside[number])
                else:
                    warps.pc[slot] = op[2] + 1
            elif kind == END:
                if end_iteration(sm, code, warps, tallies, slot, number):
                    leave(code, warps, tallies, l1, constants, asked, slot, number, place, turn)
                else:
                    warps.pc[slot] = op[2] + 1
            elif kind == BARRIER:
                warps.status[slot] = WAITING
                blocks.at_barrier[place] += 1
                goes_on = False
            else:
                touched = access(
                    sm, code, warps, tallies, l1, constants, asked, lines, masks, slot, number,
                    turn, at,
                )  # fmt: skip
                goes_on = touched == 0 or (op[2] != 0 and touched <= sm.lines_at_once)
        if warps.pc[slot] >= last and warps.status[slot] == RUNNING:
            warps.status[slot] = ENDED
            blocks.alive[place] -= 1
            left -= 1
        if blocks.alive[place] > 0 and blocks.at_barrier[place] == blocks.alive[place]:
            blocks.at_barrier[place] = 0
            for each in range(place * sm.warps, (place + 1) * sm.warps):
                if warps.status[each] == WAITING:
                    warps.status[each] = RUNNING
        if blocks.alive[place] == 0 and begin_block(sm, warps, blocks, asked, place, turn + 1):
            left += sm.warps
