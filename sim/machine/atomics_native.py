"""Operations that an atomic access has for a line, compiled by numba. Import it lazily.

:mod:`kcc.sim.machine.atomics` says what they take; :mod:`kcc.sim.estimate.atomic_queue` has the
same of many warps at a time.
"""

from __future__ import annotations

from typing import Any

from kcc.base.native import inlined
from kcc.sim.machine.banks_native import active

Ints = Any


@inlined
def operations_of_line(
    addresses: Ints, mask: Any, line: Any, line_bytes: int, sector_bytes: int, several: int
) -> int:
    """Of the lanes in ``mask`` that begin in a line, one at least; ``several`` as in
    :class:`kcc.sim.machine.atomics.AtomicQueue`."""
    found: Any = 0
    for piece in range(line_bytes // sector_bytes if several > 0 else 1):
        first = line * line_bytes + piece * sector_bytes
        end = first + (sector_bytes if several > 0 else line_bytes)
        lanes, most, words = 0, 0, 0
        for lane in range(len(addresses)):
            if active(mask, lane) and first <= addresses[lane] < end:
                same, before = 0, 0
                for other in range(len(addresses)):
                    if active(mask, other) and addresses[other] == addresses[lane]:
                        same += 1
                        before += other < lane
                lanes += 1
                most = max(most, same)
                words += before == 0
        if several == 0:
            found += lanes
        elif several < 0 or words < 2:
            found += most
        else:
            found += max(most, several)
    return max(found, 1)
