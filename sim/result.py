"""The result that all timing models give.

Models that count (the cycle-level one) have whole cycles; analytical ones have numbers. Every
part that is a share of time adds up: :attr:`Timing.stack` to ``cycles`` times ``schedulers``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import field, replace

from kcc.base.gpu.needs import Assumption
from kcc.base.gpu.occupancy import Occupancy
from kcc.base.records import dataclass


@dataclass(frozen=True, slots=True)
class StackPart:
    """A part of the CPI stack: what it is called and the scheduler cycles it took."""

    name: str
    cycles: float

    @property
    def is_launch(self) -> bool:
        """Whether it is the launch itself, which is no part of the kernel."""
        return self.name.lower() == "launch"


@dataclass(frozen=True, slots=True)
class CacheStatistics:
    """Of one level: sectors (or lines, where the level has no sectors) asked for and found.

    ``pending`` found a miss under way; they are neither hits nor misses of their own.
    """

    level: str
    accesses: float
    hits: float
    pending: float = 0.0

    @property
    def hit_rate(self) -> float | None:
        """Hits over accesses; None without accesses."""
        return self.hits / self.accesses if self.accesses else None


@dataclass(frozen=True, slots=True)
class LineTiming:
    """A line of the source: its share of the stack (adding up to the launch's), and its counts.

    ``line`` is 0 for what belongs to no line. ``sectors`` of global memory, ``passes`` of local.
    """

    file: str
    line: int
    cycles: float
    stack: tuple[StackPart, ...]
    executed: float
    sectors: float = 0.0
    l1_hits: float = 0.0
    l2_hits: float = 0.0
    dram_sectors: float = 0.0
    passes: float = 0.0
    load_cycles: float = 0.0
    """From the issue of its loads of global memory until all their data were there, in all."""
    requests: float = 0.0
    """Memory instructions, of global memory; ``local_requests`` of local."""
    local_requests: float = 0.0
    excess_sectors: float = 0.0
    """Sectors beyond those of warps whose lanes access neighbouring elements; ``excess_passes`` of
    local memory beyond those without a bank conflict."""
    excess_passes: float = 0.0


@dataclass(frozen=True, slots=True)
class Interval:
    """The statistics of some cycles: what was issued, DRAM sectors read."""

    start: int
    end: int
    issued: int
    dram_sectors: int


@dataclass(frozen=True, slots=True)
class BlockTiming:
    """When and where a thread block ran: SM, its place there, first cycle and the one after its
    last."""

    block: int
    sm: int
    place: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Timing:
    """What a model says of one launch.

    ``instructions`` are warp instructions of the trace that make code, ``issued`` the machine
    instructions that a compiler makes of them. ``stack`` are scheduler cycles by cause; all parts
    add up to cycles x schedulers, ``schedulers`` being those of all SMs.
    ``statistics`` are further counts by name.
    ``confidence`` says what the result rests on, in words.
    """

    model: str
    kernel: str
    launch: int
    gpu: str
    cycles: float
    time_us: float
    clock_mhz: float
    sms: int
    schedulers: int
    thread_blocks: int
    instructions: float
    thread_instructions: float
    issued: float
    stack: tuple[StackPart, ...]
    occupancy: Occupancy
    caches: tuple[CacheStatistics, ...]
    statistics: Mapping[str, float]
    lines: tuple[LineTiming, ...]
    intervals: tuple[Interval, ...] = ()
    blocks: tuple[BlockTiming, ...] = ()
    scheduler_stacks: tuple[tuple[float, ...], ...] = ()
    """Per scheduler (SM by SM), the parts in the order of ``stack``."""
    assumptions: tuple[Assumption, ...] = ()
    confidence: tuple[str, ...] = field(default=())
    code: str = "kcc"
    """Whose machine code was timed: that of a compiler with its target, or of kcc's lowering."""

    def with_launch(self, cycles: float) -> Timing:
        """The same where the launch itself takes so many cycles."""
        old = math.fsum(part.cycles for part in self.stack if part.is_launch)
        share = self.schedulers
        total = self.cycles - old / share + cycles
        rest = next((line for line in self.lines if not line.line), None)
        return replace(
            self,
            cycles=total,
            time_us=total / self.clock_mhz,
            stack=_relaunched(self.stack, cycles * share),
            lines=tuple(
                replace(
                    line,
                    cycles=line.cycles - old + cycles * share,
                    stack=_relaunched(line.stack, cycles * share),
                )
                if line is rest
                else line
                for line in self.lines
            ),
        )

    @property
    def ipc(self) -> float:
        """Machine instructions per cycle of the whole GPU."""
        return self.issued / self.cycles if self.cycles else 0.0

    @property
    def cpi(self) -> float | None:
        """Scheduler cycles per machine instruction: what the stack's parts over ``issued`` add up
        to. None where nothing was issued."""
        return sum(part.cycles for part in self.stack) / self.issued if self.issued else None

    @property
    def limiter(self) -> str:
        """The cause with the most scheduler cycles."""
        return max(self.stack, key=lambda part: part.cycles).name if self.stack else ""


def _relaunched(stack: Sequence[StackPart], cycles: float) -> tuple[StackPart, ...]:
    return tuple(replace(part, cycles=cycles) if part.is_launch else part for part in stack)
