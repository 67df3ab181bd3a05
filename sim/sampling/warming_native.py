"""What thread blocks that are skipped leave in L2, compiled by numba. Import it lazily.

numba keeps the compiled code with this folder's sources: after a change of what it takes from
sim/cycle this file must be touched as well.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kcc.native import inlined, uncounted
from kcc.sim.cycle.coalesce_native import GLOBAL, PRIVATE, Geometry, add_access
from kcc.sim.cycle.layout import ABSENT, Cache, Conf, Dram
from kcc.sim.cycle.memory_native import home_of, set_dirty, take_line

Ints = Any
Masks = Any

ELSEWHERE, LOADED, WRITTEN = range(3)
"""What an access does to L2; local and constant memory is elsewhere."""

PRIVATELY = 4
"""Added to the kind of an access to the lanes' private memory."""

WRITE_BACK = int(Conf.L2_WRITE_BACK)


@uncounted
def touch_level2(
    conf: Ints, l2: Cache, memory: Dram, stats: Ints, starts: Ints, masks: Masks, threads: Ints,
    access: Ints, addresses: Ints, kinds: Ints, sizes: Ints, g: Geometry, touched: Ints,
) -> None:  # fmt: skip
    """Let the accesses of a batch pass through L2 in their order, as if L1 held nothing. What they
    bring in is there at once; ``memory`` and ``stats`` take what is written back and are thrown
    away. ``threads`` is the number of each row's warp in the launch, ``kinds`` and ``sizes`` are
    those of the kernel's accesses, ``touched`` has room for the lines of one."""
    for row in range(len(masks)):
        for number in range(starts[row], starts[row + 1]):
            kind, size = kinds[access[number]], sizes[access[number]]
            if kind == ELSEWHERE:
                continue
            private = kind >= PRIVATELY
            end = add_access(
                touched, 0, addresses[number], masks[row], PRIVATE if private else GLOBAL, size,
                threads[row], g,
            )  # fmt: skip
            written = kind - PRIVATELY * private == WRITTEN
            for place in range(end):
                sectors = np.int64(touched[place].sectors)
                touch(conf, l2, memory, stats, touched[place].line, sectors, written)


@inlined
def touch(
    conf: Ints, l2: Cache, memory: Dram, stats: Ints, line: int, sectors: Any, written: bool
) -> None:
    """Let some sectors of a line pass through L2."""
    unit, begin = home_of(conf, line)
    place, _ = take_line(conf, l2, memory, stats, unit, begin, line, 0)
    sector = 0
    while sectors:
        if sectors & 1:
            if l2.lines[place, sector] == ABSENT:
                l2.lines[place, sector] = 0
            if written and conf[WRITE_BACK]:
                set_dirty(conf, l2, begin, place, sector)
        sectors >>= 1
        sector += 1
