"""Simulations within another command, each with a line on the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kcc.base.records import dataclass
from kcc.commands.progress import shown_progress

if TYPE_CHECKING:
    from kcc.base.gpu.description import GpuDescription
    from kcc.sim.cycle.launch import LaunchSimulation
    from kcc.stages.proxy_check import Traced
    from kcc.synth.comparison.behaviour import Simulated


@dataclass(slots=True)
class ShownSimulation:
    """Simulates what was traced and says ``40 %, 3.1 M instructions/s, 12 s left, simulating WHAT
    (2nd) on GPU``."""

    what: str
    count: int = 0

    def __call__(self, traced: Traced, gpu: GpuDescription) -> Simulated:
        from kcc.base.trace.reader import open_trace
        from kcc.stages.proxy_check import simulate_run

        self.count += 1
        words = f"simulating {self.what} on {gpu.stem} (no. {self.count})"
        with open_trace(traced.path) as trace:
            blocks = sum(each.launch.thread_blocks for each in trace.launches)
        current, before, now = -1, (0, 0), (0, 0)
        with shown_progress(blocks) as show:

            def watch(simulation: LaunchSimulation) -> None:
                nonlocal current, before, now
                if simulation.launch.number != current:
                    current = simulation.launch.number
                    before = before[0] + now[0], before[1] + now[1]
                now = simulation.retired_blocks, simulation.issued
                show(before[0] + now[0], before[1] + now[1], words)

            return simulate_run(traced, gpu, watch)
