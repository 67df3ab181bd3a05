"""What thread blocks that are skipped leave in L2, compiled by numba. Import it lazily.

numba keeps the compiled code with this folder's sources: after a change of what it takes from
sim/cycle this file must be touched as well.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kcc.base.native import uncounted
from kcc.sim.cycle.coalesce_native import GLOBAL, PRIVATE, Geometry, add_access
from kcc.sim.cycle.layout import ABSENT, Cache, Conf, Dram
from kcc.sim.cycle.memory_native import (
    find_line,
    home_of,
    pass_side,
    set_dirty,
    take_line,
)
from kcc.sim.machine.l1_sets_native import set_of

Ints = Any
Masks = Any

ELSEWHERE, LOADED, WRITTEN = range(3)
"""What an access does to L2; local and constant memory is elsewhere."""

PRIVATELY = 4
"""Added to the kind of an access to the lanes' private memory."""

WRITE_BACK, SECTORS, L2_SETS = int(Conf.L2_WRITE_BACK), int(Conf.SECTORS), int(Conf.L2_SETS)
SIDE_SETS = int(Conf.SIDE_SETS)
SMS, FETCH_SETS, FETCH_WAYS, CODE_LINE = (
    int(Conf.SMS), int(Conf.FETCH_SETS), int(Conf.FETCH_WAYS), int(Conf.CODE_LINE),
)  # fmt: skip


@uncounted
def lines_of(
    starts: Ints, masks: Masks, warps: Ints, threads: Ints, access: Ints, addresses: Ints,
    kinds: Ints, sizes: Ints, g: Geometry, executed: Ints, found: Ints, times: Ints, most: int,
    row: int, end: int,
) -> tuple[int, int]:  # fmt: skip
    """Write what a batch touches from ``row`` on, after ``end``: lines with their sectors, as
    weight whether they are written, as time how many rows of its warp came before. Returns the row
    to go on with, which is less than all where there is no more room, and the new end.

    ``warps`` and ``threads`` are the number of each row's warp, among those that ``executed``
    counts rows of, and in the launch; ``kinds`` and ``sizes`` are those of the kernel's accesses,
    that touch ``most`` lines each, at most."""
    for this in range(row, len(masks)):
        if end + most * (starts[this + 1] - starts[this]) > len(found):
            return this, end
        time = executed[warps[this]]
        executed[warps[this]] = time + 1
        for number in range(starts[this], starts[this + 1]):
            kind, size = kinds[access[number]], sizes[access[number]]
            if kind == ELSEWHERE:
                continue
            private = kind >= PRIVATELY
            first = end
            end = add_access(
                found, first, addresses[number], masks[this], PRIVATE if private else GLOBAL, size,
                threads[this], g,
            )  # fmt: skip
            written = kind - PRIVATELY * private == WRITTEN
            for place in range(first, end):
                found[place].weight, times[place] = written, time
    return len(masks), end


@uncounted
def touch_level2(
    conf: Ints, l2: Cache, memory: Dram, stats: Ints, lines: Ints, order: Ints
) -> None:  # fmt: skip
    """Let lines pass through L2 in an order, as if L1 held nothing. What they bring in is there at
    once, and passes the memory-side cache; else ``memory`` and ``stats`` take what is written back
    and are thrown away."""
    for number in range(len(order)):
        line, sectors = lines[order[number]].line, np.int64(lines[order[number]].sectors)
        unit, begin = home_of(conf, line)
        place, _ = take_line(conf, l2, memory, stats, unit, begin, line, 0)
        sector = 0
        while sectors:
            if sectors & 1:
                if l2.lines[place, sector] == ABSENT:
                    l2.lines[place, sector] = 0
                    if conf[SIDE_SETS] > 0 and lines[order[number]].weight == 0:
                        pass_side(conf, memory, stats, unit, line, sector, 0, is_write=False)
                if lines[order[number]].weight and conf[WRITE_BACK]:
                    set_dirty(conf, l2, begin, place, sector)
            sectors >>= 1
            sector += 1


@uncounted
def touch_code(
    conf: Ints, instructions: Cache, l2: Cache, memory: Dram, stats: Ints, lines: int
) -> None:
    """Let so many lines of code pass through each SM's instruction cache and L2, in their order."""
    sets, ways = conf[FETCH_SETS], conf[FETCH_WAYS]
    for line in range(conf[CODE_LINE], conf[CODE_LINE] + lines):
        unit, begin = home_of(conf, line)
        if conf[L2_SETS] > 0:
            place, _ = take_line(conf, l2, memory, stats, unit, begin, line, 0)
            l2.lines[place, : conf[SECTORS]] = 0
        for sm in range(conf[SMS]):
            first = (sm * sets + set_of(line, sets)) * ways
            place, _ = find_line(instructions.order, first, ways, line)
            instructions.lines[place, : conf[SECTORS]] = 0
