"""What thread blocks that are skipped leave in L2, compiled by numba. Import it lazily.

numba keeps the compiled code with this file's date: after a change of sim/cycle/memory_native.py
or layout.py this file must be touched as well.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kcc.native import uncounted
from kcc.sim.cycle.layout import ABSENT, Cache, Conf, Dram
from kcc.sim.cycle.memory_native import home_of, set_dirty, take_line

Ints = Any

LOADED, WRITTEN, ELSEWHERE = range(3)
"""What an access does to L2; local and constant memory is elsewhere."""

WRITE_BACK = int(Conf.L2_WRITE_BACK)


@uncounted
def touch_level2(
    conf: Ints, l2: Cache, memory: Dram, stats: Ints, accesses: Ints, kinds: Ints,
    transactions: Ints,
) -> None:  # fmt: skip
    """Let the accesses pass through L2 in their order, as if L1 held nothing. What they bring in
    is there at once; ``memory`` and ``stats`` take what is written back and are thrown away."""
    for access in range(len(kinds)):
        if kinds[access] == ELSEWHERE:
            continue
        first = np.int64(accesses[access].first)
        for number in range(first, first + np.int64(accesses[access].count)):
            line, sectors = transactions[number].line, np.int64(transactions[number].sectors)
            unit, begin = home_of(conf, line)
            place, _ = take_line(conf, l2, memory, stats, unit, begin, line, 0)
            sector = 0
            while sectors:
                if sectors & 1:
                    if l2.lines[place, sector] == ABSENT:
                        l2.lines[place, sector] = 0
                    if kinds[access] == WRITTEN and conf[WRITE_BACK]:
                        set_dirty(conf, l2, begin, place, sector)
                sectors >>= 1
                sector += 1
