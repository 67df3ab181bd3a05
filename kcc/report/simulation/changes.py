"""Changes that advice on a simulated run names, and what they save when simulated again."""

from __future__ import annotations

import math
from collections.abc import Iterable

from kcc.base.advice import Advice
from kcc.base.records import dataclass
from kcc.report.simulation.run import IDLE, SimulationRun, added, totals_of
from kcc.sim.result import Timing

MOST_ISSUED = 1_000_000
"""Instructions of a run up to which changes are simulated unasked: a second or so."""

LARGE_SHARE = 0.15
"""Of cycles without a warp, from which on smaller thread blocks are tried."""

LEAST_GAIN = 0.02
"""Share of the time that a change must save to be faster."""


@dataclass(frozen=True, slots=True)
class SmallerBlocks:
    """A kernel in thread blocks of ``warps`` warps and ``threads`` work-items, not of ``before``
    ones."""

    kernel: str
    warps: int
    threads: int
    before: int

    def advice(self, run: SimulationRun, changed_us: float) -> Advice:
        """What it saves, or that it does not."""
        gain = run.time_us - changed_us
        text = f"{self.kernel} in thread blocks of {self.threads} threads instead of {self.before}"
        if gain < LEAST_GAIN * run.time_us:
            gain, text = 0.0, f"{text} is no faster"
        return Advice("block-size", None, text, gain, verified=True)


def smaller_blocks(run: SimulationRun) -> SmallerBlocks | None:
    """Those of the launch that leaves most schedulers without a warp, where that is much: as large
    as they can be with one on each SM, else a quarter of what they are."""
    stack = added(run.timings)
    t = totals_of(run.timings).idlest
    if t is None or idle_of(stack) < LARGE_SHARE * math.fsum(stack.values()):
        return None
    held, warps = t.occupancy, t.occupancy.warps_per_block
    each = max(t.thread_blocks * warps // t.sms, 1)
    size = each if each < warps else warps // 4
    while size > 1 and warps % size:
        size -= 1
    if not 1 <= size < warps or held.block_threads % warps:
        return None
    threads = held.block_threads // warps * size
    return SmallerBlocks(t.kernel, size, threads, held.block_threads)


def idle_of(stack: dict[str, float]) -> float:
    """Scheduler cycles without a warp."""
    return math.fsum(cycles for name, cycles in stack.items() if name in IDLE)


def launches_joined(timings: Iterable[Timing]) -> float:
    """Microseconds less if all launches were one: the model adds the overhead to each launch."""
    overheads = [t.time_us - t.with_launch(0.0).time_us for t in timings]
    return math.fsum(overheads) - max(overheads, default=0.0)
