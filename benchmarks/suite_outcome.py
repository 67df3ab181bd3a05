"""A row of a measured table beside our estimate, and what is said of many of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from kcc.report.ablation import spearman


@dataclass(frozen=True, slots=True)
class Outcome:
    """A row: measured and ours with its range, in the file's unit; without ours a reason.
    ``launch`` is the part of ours that is not the kernel's; ``smallest``: the row does next to
    nothing beside a launch; ``alone``: the time measured is that of a kernel."""

    groups: tuple[str, ...]
    choice: str
    gpu: str
    program: str
    what: str
    measured: float | None
    ours: float | None
    low: float
    high: float
    launch: float
    limiter: str
    reason: str
    counters: Mapping[str, tuple[float, float]]
    """Measured and ours, by our name."""
    smallest: bool = False
    alone: bool = True

    @property
    def inside(self) -> bool:
        """Whether the measured time is in our range."""
        return self.measured is not None and self.low <= self.measured <= self.high


@dataclass(frozen=True, slots=True)
class Figures:
    """Of some rows: errors in percent, rank correlation, ours over measured in the geometric mean,
    the share of rows whose measured time is in our range."""

    rows: int
    estimated: int
    mean: float
    median: float
    largest: float
    spearman: float | None
    ratio: float
    inside: float


def figures(rows: Sequence[Outcome]) -> Figures:
    """The figures of rows."""
    good = [(r.measured, r.ours, r.inside) for r in rows if r.measured and r.ours]
    if not good:
        return Figures(len(rows), 0, 0, 0, 0, None, 0, 0)
    measured, ours, inside = (np.array(column, float) for column in zip(*good, strict=True))
    errors = 100 * np.abs(ours / measured - 1)
    return Figures(
        len(rows), len(good), float(errors.mean()), float(np.median(errors)), float(errors.max()),
        spearman(measured, ours) if len(good) > 2 else None,
        float(np.exp(np.log(ours / measured).mean())), float(inside.mean()),
    )  # fmt: skip


def regrets(rows: Sequence[Outcome]) -> list[float]:
    """Of each choice between several rows: by how much the one that we call the fastest is slower
    than the one that is, in percent. Where GPUs differ, the choice is between them."""
    groups = dict[str, list[Outcome]]()
    for row in rows:
        if row.choice and row.ours is not None:
            groups.setdefault(row.choice, []).append(row)
    found = list[float]()
    for members in groups.values():
        if len(members) > 1:
            first = min(members, key=lambda r: r.ours or 0.0)
            times = [r.measured or 0.0 for r in members]
            found.append(100 * ((first.measured or 0.0) / min(times) - 1))
    return found
