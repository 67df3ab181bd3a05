"""A measured row beside its estimate, and what is said of many of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import Any

import numpy as np

from kcc.base.records import dataclass
from kcc.base.trace.rows import from_json
from kcc.report.estimate.ablation import spearman

MOST_US = 1e30
"""Of a measured or estimated time: sums and ratios of smaller ones are finite."""


@dataclass(frozen=True, slots=True)
class Basis:
    """What an estimate rests on: the share of warp instructions that depend on an assumption,
    accesses whose addresses memory decides and their share of what is asked of global memory,
    values that the GPU's description lacks or has weakly, and by which factor the time may be off
    for what a compiler may spill."""

    guessed_share: float = 0.0
    unknown_accesses: int = 0
    assumed_values: int = 0
    weak_values: int = 0
    doubt: float = 1.0
    unknown_share: float = 0.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """A row: measured and estimated times in microseconds; without an estimate a ``reason``.
    ``time_us`` is what the table measures: of the launch, or of the kernel alone; ``launch_us`` is
    the part that is not the kernel's, whether or not it is in it. ``seconds`` of CPU."""

    table: str
    number: int
    kernel: str
    gpu: str
    generation: str
    measured_us: float | None
    failed: bool
    words: str = ""
    choice: str = ""
    groups: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()
    time_us: float | None = None
    low_us: float = 0.0
    high_us: float = 0.0
    launch_us: float = 0.0
    limiter: str = ""
    reason: str = ""
    basis: Basis = field(default_factory=Basis)
    counters: Mapping[str, tuple[float, float]] = field(
        default_factory=dict[str, tuple[float, float]]
    )
    """Measured and estimated, by name."""
    seconds: float = 0.0

    def __post_init__(self) -> None:
        times = (self.measured_us or 0, self.time_us or 0, self.low_us, self.high_us)
        if not all(0 <= each < MOST_US for each in times):
            raise ValueError("that is no time")

    @property
    def compared(self) -> bool:
        """Whether there are two times to compare."""
        return bool(self.measured_us and self.time_us)

    @property
    def ratio(self) -> float:
        """Estimated over measured, of rows that are compared."""
        assert self.time_us is not None
        assert self.measured_us is not None
        return self.time_us / self.measured_us

    @property
    def inside(self) -> bool:
        """Whether the measured time is in the range of the estimate."""
        return self.measured_us is not None and self.low_us <= self.measured_us <= self.high_us


def read_outcome(entry: Any) -> Outcome:
    """An outcome from its JSON form, as :func:`dataclasses.asdict` gives it.

    :raises RowError: for anything else.
    """
    return from_json(Outcome, entry)


@dataclass(frozen=True, slots=True)
class Figures:
    """Of some rows. Errors, bias and regret in percent; ``bias`` is estimated over measured in the
    geometric mean, less one. ``regret``: by how much the configuration that the estimates choose is
    slower than the best one, the mean over all choices; ``coverage``: the share of rows whose
    measured time is in the range, in percent; ``width``: the median of a range's end over its
    start. ``refused``: rows that ran and have no estimate or are called impossible; ``failed`` rows
    did not run, ``told`` of them are called impossible. None where there is nothing to say it
    of."""

    rows: int
    estimated: int
    failed: int
    told: int
    refused: int
    mean: float | None = None
    median: float | None = None
    largest: float | None = None
    bias: float | None = None
    correlation: float | None = None
    regret: float | None = None
    coverage: float | None = None
    width: float | None = None
    seconds: float = 0.0


def figures(rows: Iterable[Outcome]) -> Figures:
    """The figures of rows."""
    rows = tuple(rows)
    good = [row for row in rows if row.compared]
    failed = [row for row in rows if row.failed]
    told = sum(row.time_us is None for row in failed)
    refused = sum(row.time_us is None and not row.failed for row in rows)
    seconds = sum(row.seconds for row in rows)
    if not good:
        return Figures(len(rows), 0, len(failed), told, refused, seconds=seconds)
    ratios = np.array([row.ratio for row in good])
    errors = 100 * np.abs(ratios - 1)
    measured = np.array([row.measured_us for row in good], float)
    ours = np.array([row.time_us for row in good], float)
    chosen = regrets(good)
    return Figures(
        len(rows), len(good), len(failed), told, refused,
        mean=float(errors.mean()), median=float(np.median(errors)), largest=float(errors.max()),
        bias=100 * float(np.exp(np.log(ratios).mean()) - 1),
        correlation=spearman(measured, ours) if len(good) > 2 else None,
        regret=float(np.mean(chosen)) if chosen else None,
        coverage=100 * float(np.mean([row.inside for row in good])),
        width=float(np.median([row.high_us / max(row.low_us, 1e-12) for row in good])),
        seconds=seconds,
    )  # fmt: skip


def regrets(rows: Sequence[Outcome]) -> list[float]:
    """Of each choice between several rows: by how much the one that is estimated to be the fastest
    is slower than the one that is, in percent."""
    groups = dict[str, list[Outcome]]()
    for row in rows:
        if row.choice and row.compared:
            groups.setdefault(row.choice, []).append(row)
    found = list[float]()
    for members in groups.values():
        if len(members) > 1:
            first = min(members, key=lambda row: row.time_us or 0.0)
            best = min(row.measured_us or 0.0 for row in members)
            found.append(100 * ((first.measured_us or 0.0) / best - 1))
    return found
