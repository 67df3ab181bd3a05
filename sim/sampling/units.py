"""What sampling is compared with: units of a full simulation, of which some are chosen.

Huang et al., IPDPS 2014, section V.A: random sampling, and "Ideal-SimPoint", which knows from the
full simulation what each unit executed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from kcc.base.gpu.description import GpuDescription
from kcc.base.records import dataclass
from kcc.base.trace.reader import LaunchTrace, TraceFile
from kcc.sim.cycle.compiled import compiled_launch
from kcc.sim.cycle.launch import CycleSimulator, LaunchSimulation
from kcc.sim.result import Timing

UNIT_INSTRUCTIONS = 1_000_000
RANDOM_SHARE = 0.1


@dataclass(frozen=True, slots=True, eq=False)
class Unit:
    """An interval of at least so many warp instructions; ``vector`` has the instructions executed
    of each basic block of each kernel (equation 1, before it is normalised)."""

    cycles: int
    instructions: int
    vector: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Choice:
    """What ``units`` say of all: cycles, and the instructions that were looked at."""

    cycles: float
    instructions: int
    units: int = 0


class UnitCollector:
    """Watches a full simulation and cuts it into units; the end of a launch ends none."""

    def __init__(self, trace: TraceFile, size: int = UNIT_INSTRUCTIONS) -> None:
        self.size = size
        self.units = list[Unit]()
        ends = np.cumsum([len(tables.blocks) for tables in trace.tables]).tolist()
        self.starts = [0, *ends]
        self.vector = np.zeros(self.starts[-1])
        self.cycles = self.instructions = 0
        self.number = -1
        self.seen = (0, 0, np.zeros(0, np.int64))

    def watch(self, simulation: LaunchSimulation) -> None:
        """After each batch."""
        self._add(simulation, simulation.clock)

    def end(self, simulation: LaunchSimulation, timing: Timing) -> None:
        """The launch is over."""
        self._add(simulation, int(timing.cycles))
        self.seen = (0, 0, np.zeros(0, np.int64))

    def _add(self, simulation: LaunchSimulation, clock: int) -> None:
        clock_before, total_before, before = self.seen
        executed, total = simulation.executed_by_operation, simulation.executed
        new = executed - before if len(before) else executed
        self.cycles += clock - clock_before
        self.instructions += total - total_before
        first = self.starts[simulation.launch.tables]
        for place, block in enumerate(simulation.tables.blocks):
            self.vector[first + place] += float(new[block.first : block.end].sum())
        self.seen = (clock, total, executed)
        if self.instructions >= self.size:
            self.units.append(Unit(self.cycles, self.instructions, self.vector))
            self.cycles = self.instructions = 0
            self.vector = np.zeros(self.starts[-1])

    def finish(self) -> tuple[Unit, ...]:
        """All units; the last may be short."""
        if self.instructions or self.cycles:
            self.units.append(Unit(self.cycles, max(self.instructions, 1), self.vector))
        return tuple(self.units)


def simulate_full(
    trace: TraceFile, gpu: GpuDescription, registers: dict[str, int] | None = None,
    launches: Sequence[LaunchTrace] | None = None,
) -> tuple[tuple[Timing, ...], tuple[Unit, ...]]:  # fmt: skip
    """The whole trace, or some of its launches, and its units."""
    collector = UnitCollector(trace)
    wanted = trace.launches if launches is None else launches
    return tuple(_launches(wanted, gpu, registers, collector)), collector.finish()


def _launches(
    launches: Sequence[LaunchTrace], gpu: GpuDescription, registers: dict[str, int] | None,
    collector: UnitCollector,
) -> Iterator[Timing]:  # fmt: skip
    simulator = CycleSimulator(gpu, registers)
    for launch in launches:
        compiled = compiled_launch(launch, gpu)
        simulation = simulator.begin(compiled.tables, launch.launch)
        for batch in compiled.batches():
            simulation.feed(batch)
            collector.watch(simulation)
        timing = simulation.finish()
        collector.end(simulation, timing)
        yield timing


def choose_random(units: Sequence[Unit], seed: int, share: float = RANDOM_SHARE) -> Choice:
    """A tenth of the units at random; their cycles per instruction are those of all."""
    random = np.random.default_rng(seed)
    count = max(round(share * len(units)), 1)
    numbers: list[int] = random.choice(len(units), count, replace=False).tolist()
    chosen = [units[n] for n in numbers]
    cycles = sum(unit.cycles for unit in chosen)
    instructions = sum(unit.instructions for unit in chosen)
    everything = sum(unit.instructions for unit in units)
    return Choice(cycles / instructions * everything, instructions, count)
