"""Drives the simulation of a launch of which only some thread blocks are simulated.

Blocks are fed in their order. One that is left out is never seen: the next one is dispatched where
it would have been, beside whatever still runs.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from kcc.base.records import dataclass
from kcc.base.trace.decode import TraceBatch
from kcc.base.trace.launches import CLASSES
from kcc.base.trace.reader import LaunchTrace
from kcc.sim.cycle.compiled import compiled_launch
from kcc.sim.cycle.launch import CycleSimulator, LaunchSimulation, launch_machine
from kcc.sim.cycle.layout import Conf
from kcc.sim.result import Timing

START, END = 1, 2
"""Columns of the simulator's log: the cycles in which the block began, and in which it ended, 0
while it runs."""
LOG_COLUMNS = 4


class BlockReader:
    """Thread blocks of a launch, asked for in ascending order; what lies between is skipped, by
    whole chunks of the file where it can be."""

    def __init__(self, launch: LaunchTrace) -> None:
        self._launch = launch
        self._classes = launch.classes() if launch.launch.form == CLASSES else None
        self._source: Iterator[TraceBatch] | None = None
        self._held: TraceBatch | None = None
        self._read_end = 0

    def read(self, first: int, end: int) -> Iterator[TraceBatch]:
        """All of thread blocks ``first`` to ``end`` (excluded). To be used up."""
        if self._source is None or self._begins_anew(first):
            self._source, self._held = self._from(first), None
        self._read_end = end
        while (batch := self._next()) is not None:
            own, past = np.searchsorted(batch.thread_block, [first, end]).tolist()
            if past > own:
                yield batch.part(own, past) if (own, past) != (0, len(batch)) else batch
            if past < len(batch):
                self._held = batch.part(past, len(batch))
                return

    def _begins_anew(self, first: int) -> bool:
        """Whether a thread block can be read without what lies before it and was not read."""
        if first == self._read_end:
            return False
        return self._classes is not None or self._launch.chunk_of(first) >= self._read_end

    def _from(self, first: int) -> Iterator[TraceBatch]:
        blocks = self._launch.launch.thread_blocks
        if self._classes is not None:
            return self._classes.expand(first, blocks)
        return self._launch.batches(first, blocks - first)

    def _next(self) -> TraceBatch | None:
        assert self._source is not None
        batch, self._held = self._held, None
        return batch if batch is not None else next(self._source, None)


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """How far a simulation is: its clock, the warp instructions executed, and its counts."""

    clock: int
    executed: int
    counts: NDArray[np.int64]

    def since(self, before: Snapshot) -> Snapshot:
        """What lies between."""
        return Snapshot(
            self.clock - before.clock, self.executed - before.executed, self.counts - before.counts
        )

    @property
    def cpi(self) -> float:
        return self.clock / max(self.executed, 1)

    @property
    def ipc(self) -> float:
        return self.executed / self.clock if self.clock else 0.0


def occupancy_of(launch: LaunchTrace, simulator: CycleSimulator) -> int:
    """Thread blocks of a launch that the whole GPU holds at a time; no simulation begins."""
    tables = compiled_launch(launch, simulator.gpu, simulator.code).tables
    machine = launch_machine(simulator.gpu, tables, launch.launch, simulator.registers)
    return machine[Conf.BLOCKS] * machine[Conf.SMS]


class LaunchRun:
    """The simulation of one launch, a few thread blocks at a time. ``log_all``: when each of its
    blocks began is kept, else of the first ones."""

    def __init__(
        self, simulator: CycleSimulator, launch: LaunchTrace, *, log_all: bool = False
    ) -> None:
        self.launch = launch
        self._compiled = compiled_launch(launch, simulator.gpu, simulator.code)
        self.simulation: LaunchSimulation = simulator.begin(self._compiled.tables, launch.launch)
        if log_all:
            self.simulation.log = np.zeros((launch.launch.thread_blocks, LOG_COLUMNS), np.int64)
        self.blocks = list[int]()
        self._reader = BlockReader(launch)

    @property
    def occupancy(self) -> int:
        """Thread blocks that the whole GPU holds at a time."""
        machine = self.simulation.machine
        return machine[Conf.BLOCKS] * machine[Conf.SMS]

    def simulate(self, first: int, end: int) -> Snapshot:
        """Thread blocks ``first`` to ``end`` (excluded); then another is wanted."""
        self.simulation.feed_blocks(self._compiled.over(self._reader.read(first, end)))
        self.blocks.extend(range(first, end))
        return self.snapshot()

    def snapshot(self) -> Snapshot:
        """How far it is."""
        one = self.simulation
        return Snapshot(one.clock, one.executed, one.stats.copy())

    def has_ended(self, place: int) -> bool:
        """Whether the block dispatched as number ``place`` has ended."""
        return bool(self.simulation.log[place, END] > 0)

    def begun(self, place: int) -> float:
        """The mean cycle in which an epoch of blocks began, from that dispatched as number
        ``place`` on; of as many as there are."""
        rows = self.simulation.log[place : min(place + self.occupancy, len(self.blocks))]
        return float(rows[:, START].mean())

    def finish(self) -> tuple[Timing, Snapshot]:
        """Let what runs come to its end."""
        one = self.simulation
        one.log = one.log[:0]  # nobody looks at it any more
        timing = one.finish(len(self.blocks))
        return timing, Snapshot(int(timing.cycles), one.executed, one.stats.copy())
