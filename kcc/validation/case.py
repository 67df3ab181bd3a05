"""A measured row, ready to be estimated."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import field
from enum import Enum

from kcc.base.records import dataclass
from kcc.sim.caches.options import CacheOptions
from kcc.sim.machine.launch_overhead import LaunchWay
from kcc.stages.analyze import AnalysisRequest


class Measures(Enum):
    """What the times of a table are of."""

    LAUNCH = "launch"
    """From a launch to its end: events around it, or a host's clock."""
    KERNEL = "kernel"
    """The kernel alone, as a profiler gives it."""


@dataclass(frozen=True, slots=True)
class Work:
    """Launches of one kernel that are alike. ``unit`` is the same for works of one source and its
    options, ``key`` for those of one launch and its arguments as well; ``request`` raises
    DiagnosticError for bad input."""

    unit: Hashable
    key: Hashable
    request: Callable[[], AnalysisRequest]
    times: float = 1.0
    launches: LaunchWay = LaunchWay.QUEUED
    local_bytes: int | None = None
    """Shared memory of a thread block, where it is not what the source declares."""


@dataclass(frozen=True, slots=True)
class Gpu:
    """A GPU by kcc's name, with changes KEY=VALUE of its values."""

    name: str
    settings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Case:
    """A row of a table. ``works`` gives its launches, in their order, or says why it has none;
    ``measured_us`` is None where the row has no time. ``choice`` is the same for rows among which
    one would choose (the same work in several ways), empty where there is no choice; ``groups`` are
    what figures are given by."""

    table: str
    number: int
    kernel: str
    gpu: Gpu
    works: Callable[[], tuple[Work, ...] | str]
    measured_us: float | None
    measures: Measures = Measures.LAUNCH
    failed: bool = False
    """The configuration did not compile, or did not run, where it was measured."""
    caches: CacheOptions = field(default_factory=CacheOptions)
    words: str = ""
    """The row in few words."""
    choice: str = ""
    groups: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()
    """What sets rows of the table apart in its own report."""
    counters: Mapping[str, float] = field(default_factory=dict[str, float])
    """Measured counts, by the names of :class:`kcc.sim.estimate.result.Counts`; and the registers
    of a work-item, ``registers``."""

    @property
    def key(self) -> str:
        """As a journal calls it."""
        return f"{self.table} {self.number}"
