"""Random sampling and Ideal-SimPoint: units of a full simulation, and what some say of all.

Huang et al., IPDPS 2014, section V.A. Both need the full simulation, so they save nothing: they are
what a sampling method is compared with.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kcc.base.gpu.description import GpuDescription
from kcc.base.records import dataclass
from kcc.base.trace.reader import LaunchTrace, TraceFile
from kcc.sim.cycle.layout import Stat
from kcc.sim.sampling.simpoint import choose_simpoint
from kcc.sim.sampling.units import Choice, choose_random, simulate_full

METHODS = {"random": choose_random, "simpoint": choose_simpoint}


@dataclass(frozen=True, slots=True, eq=False)
class FullUnits:
    """``choice`` out of ``units`` units beside the full simulation: ``cycles``, ``instructions``
    and ``counts`` (:class:`~kcc.sim.cycle.layout.Stat`, as far as miss rates need them)."""

    method: str
    units: int
    choice: Choice
    cycles: float
    instructions: int
    clock_mhz: float
    counts: NDArray[np.float64]

    @property
    def error(self) -> float:
        """Of the cycles, relative to those of the full simulation."""
        return self.choice.cycles / self.cycles - 1 if self.cycles else 0.0


def sample_units(
    method: str, trace: TraceFile, launches: Sequence[LaunchTrace], gpu: GpuDescription,
    registers: dict[str, int] | None, seed: int,
) -> FullUnits:  # fmt: skip
    """Simulate all, cut into units of a million warp instructions, and let ``method`` choose."""
    timings, units = simulate_full(trace, gpu, registers, launches)
    counts = np.zeros(len(Stat))
    for timing in timings:
        counts[Stat.ISSUED] += timing.issued
        counts[Stat.L1_SECTORS] += timing.statistics["L1 sectors"]
        counts[Stat.L1_HITS] += timing.statistics["L1 hits"]
        counts[Stat.L2_READS] += timing.statistics["L2 reads"]
        counts[Stat.L2_READ_HITS] += timing.statistics["L2 read hits"]
    cycles = float(sum(timing.cycles for timing in timings))
    clock = cycles / max(sum(timing.time_us for timing in timings), 1e-9)
    instructions = sum(unit.instructions for unit in units)
    choice = METHODS[method](units, seed)
    return FullUnits(method, len(units), choice, cycles, instructions, clock, counts)
