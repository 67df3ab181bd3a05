"""What accesses of a kernel take at best: sectors of neighbouring lanes, passes without a bank
conflict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kcc.base.trace.tables import TraceTables
from kcc.passes.access.warp_addresses import WARP

SECTOR_BYTES = 32
BANKS_BYTES = 128
"""Shared memory gives 32 banks of 4 bytes in a pass: CUDA C++ Programming Guide 16.4.3 (compute
capability 5.0 and later)."""


@dataclass(frozen=True, slots=True)
class Excess:
    """Of instructions: requests to global and to local memory, and what they took beyond the
    ideal."""

    requests: float
    local_requests: float
    sectors: float
    passes: float


@dataclass(frozen=True, slots=True, eq=False)
class IdealAccesses:
    """By instruction, for warps of which all lanes are active: sectors of global memory, and passes
    of local; 0 where it does not access that memory."""

    sectors: NDArray[np.float64]
    passes: NDArray[np.float64]

    def excess(
        self, own: Sequence[int], executed: NDArray[np.float64], sectors: NDArray[np.float64],
        passes: NDArray[np.float64],
    ) -> Excess:  # fmt: skip
        """Of the instructions ``own`` with their counts. Warps with inactive lanes take less at
        best, so that this is the least that is in excess."""
        rows = np.asarray(own, np.int64)
        times, asks, banks = executed[rows], self.sectors[rows], self.passes[rows]
        return Excess(
            float(times[asks > 0].sum()), float(times[banks > 0].sum()),
            float(np.maximum(sectors[rows] - times * asks, 0.0)[asks > 0].sum()),
            float(np.maximum(passes[rows] - times * banks, 0.0)[banks > 0].sum()),
        )  # fmt: skip


def ideal_accesses(tables: TraceTables, block_threads: int) -> IdealAccesses:
    """Of a kernel in thread blocks of so many threads."""
    sectors, passes = (np.zeros(len(tables.instructions)) for _ in range(2))
    lanes = min(WARP, block_threads)
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
