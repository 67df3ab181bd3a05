"""Thread blocks fed to the simulator one by one."""

from __future__ import annotations

from pathlib import Path

import pytest

from kcc.gpu import load_gpu
from kcc.sim.cycle.compiled import CompiledLaunch
from kcc.sim.cycle.launch import CycleSimulator
from kcc.sim.cycle.sources import simulate_trace
from kcc.trace.reader import open_trace

SAMPLE = Path(__file__).parents[3] / "docs" / "sample.kct"


@pytest.mark.parametrize("together", [1, 3])
def test_feeding_few_blocks_changes_nothing(together: int) -> None:
    gpu = load_gpu("macsim-fermi-tbpoint", [])
    simulator = CycleSimulator(gpu)
    with open_trace(SAMPLE) as trace:
        for launch in trace.launches:
            compiled = CompiledLaunch(launch)
            simulation = simulator.begin(compiled.tables, launch.launch)
            clocks, executed = [0], [0]
            for first in range(0, launch.launch.thread_blocks, together):
                simulation.feed_blocks(compiled.batches(first, together))
                clocks.append(simulation.clock)
                executed.append(simulation.executed)
            assert clocks == sorted(clocks)
            assert executed == sorted(executed)
            (full,) = simulate_trace(
                str(SAMPLE), gpu, launches=[range(launch.number, launch.number + 1)]
            )
            found = simulation.finish()
            assert (found.cycles, found.stack) == (full.cycles, full.stack)
            break
