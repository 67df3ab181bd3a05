"""What accesses of a kernel take at best: sectors of neighbouring lanes, passes without a bank
conflict."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kcc.base.records import dataclass
from kcc.base.trace.tables import TraceTables

SECTOR_BYTES = 32
BANKS_BYTES = 128
"""Shared memory gives 32 banks of 4 bytes in a pass: CUDA C++ Programming Guide 16.4.3 (compute
capability 5.0 and later)."""


@dataclass(frozen=True, slots=True)
class Excess:
    """By line: requests to global and to local memory, and what they took beyond the ideal."""

    requests: NDArray[np.float64]
    local_requests: NDArray[np.float64]
    sectors: NDArray[np.float64]
    passes: NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class IdealAccesses:
    """By instruction, for warps of which all lanes are active: sectors of global memory, and passes
    of local; 0 where it does not access that memory."""

    sectors: NDArray[np.float64]
    passes: NDArray[np.float64]

    def excess(
        self, line_of: Sequence[int], lines: int, executed: NDArray[np.float64],
        sectors: NDArray[np.float64], passes: NDArray[np.float64],
    ) -> Excess:  # fmt: skip
        """Of lines, by the number of each instruction's line and by the instructions' counts.
        Warps with inactive lanes take less at best, so that this is the least that is in excess."""
        asks, banks = self.sectors > 0, self.passes > 0
        beyond = np.maximum(sectors - executed * self.sectors, 0.0) * asks
        conflicts = np.maximum(passes - executed * self.passes, 0.0) * banks
        rows = executed * asks, executed * banks, beyond, conflicts
        sums = (np.bincount(line_of, row, lines).astype(np.float64) for row in rows)
        return Excess(*sums)


def ideal_accesses(tables: TraceTables, block_threads: int) -> IdealAccesses:
    """Of a kernel in thread blocks of so many threads."""
    sectors, passes = (np.zeros(len(tables.instructions)) for _ in range(2))
    lanes = min(tables.width, block_threads)
    for number, instruction in enumerate(tables.instructions):
        if instruction.access < 0:
            continue
        access = tables.accesses[instruction.access]
        size = lanes * access.element_bytes
        if access.memory == "local":
            passes[number] = max(1.0, size / BANKS_BYTES)
        elif access.memory in {"global", "generic"} and access.operation != "atomic":
            sectors[number] = max(1.0, size / SECTOR_BYTES)
    return IdealAccesses(sectors, passes)
