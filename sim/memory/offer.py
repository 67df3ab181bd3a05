"""The memory model's distributions for other models: as the cache analysis of `kcc estimate` has
them, and what they are worth to a range of time."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from kcc.sim.caches.reuse.analysis import Rate, Reuse
from kcc.sim.memory.facts import AccessResult, Distribution, MemoryResult, Op

Site = tuple[int, int, str]
"""Line, column and operation of an access of the source."""


def reuse_of_result(result: MemoryResult) -> Mapping[Site, Reuse]:
    """Of each access that was executed what :func:`kcc.sim.caches.reuse.analysis.reuse_of` gives:
    sectors of an execution, hits of L1 and (of the others) of L2, and what DRAM moves, as means and
    deviations over trials. What a miss brings beside the sectors that are wanted counts with DRAM.
    """
    found = dict[Site, Reuse]()
    for each in result.accesses:
        if each.executed and each.sectors:
            site = each.access.line, each.access.column, each.access.operation.name.lower()
            found[site] = _reuse(each)
    return found


def _reuse(each: AccessResult) -> Reuse:
    l1, l2 = _rate(each.l1_rate), _rate(each.l2_rate)
    if each.access.operation is Op.STORE:
        moved = Rate(1.0, 0.0, l1.trials)
    else:
        asked = each.l2_reads / each.sectors
        moved = Rate(asked * (1 - l2.mean), asked * l2.deviation, l2.trials)
    return Reuse(each.sectors / each.executed, l1, l2, moved, 0.0)


def _rate(found: Distribution | None) -> Rate:
    if found is None:
        return Rate(0.0, 0.0)
    return Rate(found.mean, found.deviation, len(found.values))


def dram_deviation(result: MemoryResult) -> float:
    """The standard deviation over orders of what DRAM moves, as a share of it: what
    `kcc estimate --cache-trials` widens its range by. 0 where nothing moves."""
    reads, writes = np.array(result.dram_reads.values), np.array(result.dram_writes.values)
    moved = Distribution(tuple((reads + writes).tolist()))
    return moved.deviation / moved.mean if moved.mean else 0.0
