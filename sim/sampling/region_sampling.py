"""Homogeneous region sampling: when to simulate thread blocks and when to skip them.

Huang et al., IPDPS 2014, section IV.B.2, figure 7. A region is entered when all running blocks are
of it. Sampling units follow one another: each lasts from the dispatch of a specified block to its
end. When the IPCs of two in the region differ by less than a tenth, the rest of the region is
skipped at the IPC of the last.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kcc.base.records import dataclass
from kcc.sim.sampling.feeding import LaunchRun, Snapshot
from kcc.sim.sampling.regions import NO_REGION, Region

STABLE = 0.1
"""The difference between two units, over the earlier, below which warming ends."""


@dataclass(frozen=True, slots=True, eq=False)
class Skip:
    """Thread blocks ``first`` to ``last`` (included) were skipped at what ``unit`` measured."""

    first: int
    last: int
    unit: Snapshot


class Warming:
    """The sampling units of the region that is entered; forgets them where one is left."""

    def __init__(self) -> None:
        self.region = NO_REGION
        self.units = list[Snapshot]()

    def enter(self, region: int) -> None:
        """The running blocks are all of ``region``, or of none that is the same."""
        if region != self.region:
            self.region = region
            self.units.clear()

    def add(self, unit: Snapshot) -> None:
        """A unit that lay in the region from its beginning to its end."""
        self.units.append(unit)

    @property
    def is_stable(self) -> bool:
        """Whether the last two units differ by less than a tenth."""
        if self.region == NO_REGION or len(self.units) < 2:
            return False
        before, last = self.units[-2].ipc, self.units[-1].ipc
        return abs(last - before) < STABLE * before


def region_by_block(regions: Sequence[Region], thread_blocks: int) -> NDArray[np.int64]:
    """The region (its place in the table) of each thread block."""
    found = np.full(thread_blocks, NO_REGION, np.int64)
    for place, region in enumerate(regions):
        found[region.first : region.last + 1] = place
    return found


class RegionSampler:
    """Simulates a launch with its homogeneous regions sampled."""

    def __init__(self, run: LaunchRun, regions: Sequence[Region]) -> None:
        self.run, self.regions = run, regions
        self.region = region_by_block(regions, run.launch.launch.thread_blocks)
        self.running = list[int]()
        self.warming = Warming()
        self.specified = 0
        self.began = run.snapshot()
        self.unit_region = NO_REGION
        self.skips = list[Skip]()

    def simulate(self) -> None:
        """Feed all blocks but those that are skipped."""
        block, blocks = 0, self.run.launch.launch.thread_blocks
        while block < blocks:
            block = self._skip(block)
            if block < blocks:
                self._dispatch(block)
                block += 1

    def _dispatch(self, block: int) -> None:
        place = len(self.run.blocks)
        now = self.run.simulate(block, block + 1)
        self.running = [p for p in (*self.running, place) if not self.run.has_ended(p)]
        if place == 0:
            self.unit_region = self._common_region()
        self._end_unit(now)
        self._look_around()

    def _end_unit(self, now: Snapshot) -> None:
        """Where the specified block has ended, the unit has; the next block dispatched is the
        next that is specified."""
        if not self.run.has_ended(self.specified):
            return
        if self.unit_region != NO_REGION:
            self.warming.add(now.since(self.began))
        self.specified, self.began = len(self.run.blocks), now
        self.unit_region = self._common_region()

    def _look_around(self) -> None:
        """Enter or leave a region, by the blocks that run."""
        region = self._common_region()
        self.warming.enter(region)
        if region != self.unit_region:
            self.unit_region = NO_REGION

    def _common_region(self) -> int:
        """The region that all running blocks are of."""
        found = {int(self.region[self.run.blocks[place]]) for place in self.running}
        return found.pop() if len(found) == 1 else NO_REGION

    def _skip(self, block: int) -> int:
        """The next block to simulate, from ``block`` on."""
        region = int(self.region[block])
        if region == NO_REGION or region != self.warming.region or not self.warming.is_stable:
            return block
        last = self.regions[region].last
        self.skips.append(Skip(block, last, self.warming.units[-1]))
        return last + 1
