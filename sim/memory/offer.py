"""The memory model's distributions for other models: what they are worth to a range of time."""

from __future__ import annotations

import numpy as np

from kcc.sim.memory.facts import Distribution, MemoryResult


def dram_deviation(result: MemoryResult) -> float:
    """The standard deviation over orders of what DRAM moves, as a share of it: what
    `kcc estimate --cache-trials` widens its range by. 0 where nothing moves."""
    reads, writes = np.array(result.dram_reads.values), np.array(result.dram_writes.values)
    moved = Distribution(tuple((reads + writes).tolist()))
    return moved.deviation / moved.mean if moved.mean else 0.0
