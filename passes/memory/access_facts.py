"""What is found out about each memory access: the fact of :mod:`kcc.passes.access.patterns`."""

from __future__ import annotations

from enum import Enum

from kcc.base.records import dataclass


class AccessKind(Enum):
    """How the addresses of a warp's lanes lie (docs/explanation/access-patterns.md)."""

    UNIFORM = "uniform"
    """All lanes want the same address."""
    CONTIGUOUS = "contiguous"
    """Each lane wants the element after that of the lane before."""
    STRIDED = "strided"
    """The distance from lane to lane is the same throughout a warp, but neither 0 nor one
    element."""
    ROW_CHUNK = "row_chunk"
    """Lanes go in runs of equal length with one distance inside them (0, an element, or another
    one), and jump between the runs: rows of a matrix of which each gives a piece."""
    INDIRECT = "indirect"
    """Where lanes lie to each other depends on what memory holds."""
    UNKNOWN = "unknown"
    """Anything else; the reason says what."""


@dataclass(frozen=True, slots=True)
class MemoryShape:
    """The granularities that costs are counted in, in bytes (all powers of two), and the banks of
    local memory. Those of NVIDIA GPUs since 2012 by default (CUDA C++ Programming Guide and Best
    Practices Guide, "Coalesced Access to Global Memory", "Shared Memory")."""

    sector_bytes: int = 32
    line_bytes: int = 128
    banks: int = 32
    bank_bytes: int = 4

    @property
    def pass_bytes(self) -> int:
        """What all banks together give in one pass."""
        return self.banks * self.bank_bytes

    @property
    def period(self) -> int:
        """Costs do not change when all addresses move by this much."""
        return max(self.sector_bytes, self.line_bytes, self.pass_bytes)


@dataclass(frozen=True, slots=True)
class Spread:
    """A number over the executions of an access; ``mean`` is None where it is not known how
    frequent each value is."""

    mean: float | None
    least: int
    greatest: int


@dataclass(frozen=True, slots=True)
class Executions:
    """All executions of an access by warps in a launch, with the lanes that are active in each:
    their number, and sums over them. Of accesses to local memory ``bank_passes`` count, of others
    ``sectors`` and ``lines``; what does not count is 0."""

    count: int
    lanes: int
    sectors: int
    lines: int
    bank_passes: int


@dataclass(frozen=True, slots=True)
class Footprint:
    """The distinct bytes, and the distinct lines, that a launch touches by an access; None is not
    known. If not ``exact``, they are at most so many, and ``reason`` says why."""

    bytes: int | None
    lines: int | None
    exact: bool
    reason: str = ""


class Reuse(Enum):
    """What iterations of a loop touch of what the one before touched."""

    SAME = "same"
    """Every lane goes to the same address."""
    LINE = "line"
    """Every lane moves on by less than a line."""
    NONE = "none"
    """Every lane moves on by a line or more."""
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class LoopReuse:
    """Reuse between the iterations of ``loop``, ``stride_bytes`` apart (None: not by a constant
    distance). ``distance``: for how many iterations a line is used."""

    loop: int
    reuse: Reuse
    stride_bytes: int | None
    distance: int | None


@dataclass(frozen=True, slots=True)
class AccessPattern:
    """The addresses of access ``access``, as those of full warps with all lanes active: guards do
    not count, executions in all iterations that some lane of the warp comes to do.

    ``stride_bytes`` is the distance from lane to lane, in runs of ``run_lanes`` lanes for
    ROW_CHUNK, which begin ``run_stride_bytes`` apart; None where it is not constant.

    Of accesses to local memory there are ``bank_passes`` and ``bank_degree``, the most passes of a
    phase (1: no conflicts), a pass giving up to ``pass_bytes``; of others ``sectors`` and
    ``lines``.
    ``exact``: all of these are known with their means, over all warps, thread blocks and
    iterations. Else ``reason`` says what is missing, and the least and greatest number are bounds,
    if there are any. ``sampled``: they are not even bounds, but those of a sample.

    ``full_warps`` is False where thread blocks are smaller than a warp: then numbers are those of
    their only warp.

    ``executions`` counts what really happens in the launch, with guards and partial warps; None
    where that cannot be told without running it, or takes too long. ``requests`` is their number,
    which is known of some whose addresses are not.

    ``lanes_per_line`` is how many lanes of a warp find their element in the same line, in the
    mean; ``warps_per_line`` how many warps of a thread block come to one line at the same place
    of the program.
    """

    access: int
    kind: AccessKind
    text: str
    stride_bytes: int | None = None
    run_lanes: int | None = None
    run_stride_bytes: int | None = None
    sectors: Spread | None = None
    lines: Spread | None = None
    bank_passes: Spread | None = None
    pass_bytes: int = MemoryShape().pass_bytes
    sector_bytes: int = MemoryShape().sector_bytes
    warp: int = 32
    bank_degree: int | None = None
    exact: bool = False
    sampled: bool = False
    full_warps: bool = True
    reason: str = ""
    executions: Executions | None = None
    requests: int | None = None
    footprint: Footprint | None = None
    lanes_per_line: float | None = None
    warps_per_line: float | None = None
    loops: tuple[LoopReuse, ...] = ()


@dataclass(frozen=True, slots=True)
class AccessPatterns:
    """By id of the access."""

    patterns: tuple[AccessPattern, ...]
    shape: MemoryShape
