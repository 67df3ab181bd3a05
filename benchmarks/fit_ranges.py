"""Fits the ranges of estimates to residuals of tables left out, and says how they hold.

    python -m benchmarks.fit_ranges ledger.json [--write sim/estimate/ranges.json]

``ledger.json`` is what `python -m benchmarks.ledger --left-out --json` wrote. Each table weighs the
same. Rows of tables that were blind of late have the estimate that was made before anyone had
looked, since what was found on them has been mended: a user's kernel is one that nobody has looked
at. The coverage that is printed is of each table with widths fitted to all the others.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.first_seen import every_first_estimate
from benchmarks.measured_tables import TABLES
from kcc.base.gpu.loading import load_gpu
from kcc.sim.estimate.range import FEATURES, Grounds, Widths, family_of, features, group_of
from kcc.validation.outcome import Outcome, read_outcome

Numbers = NDArray[np.float64]

NOMINAL = 0.90
LEAST = {"always": 0.02, "guessed share": 0.34, "unknown addresses": 0.34}
"""Of the coefficients, 0 of others: the noise of measuring; and that what is guessed widens, by as
much as judgement said before there were residuals (a factor of 1.75 in place of 1.25)."""

BLIND_SINCE = ("18746969", "cbc00191", "6ee0eb4f", "def99dd5", "6159e6b1", "bbe6ee8a", "80e2c707")
"""The commits of rounds of blind tables that count. Estimates of earlier ones, up to 50 times off,
are of models that did not know of thread blocks that end at once, nor of much that came later."""

SCALES = [round(0.5 + 0.02 * n, 2) for n in range(126)]
"""What widths are multiplied by until tables that the fit has not seen are covered."""


def grounds_of(row: Outcome) -> Grounds:
    """What the estimate of a row rested on; its doubt is not the fit's."""
    values = row.basis.assumed_values + row.basis.weak_values
    return Grounds(row.limiter, row.basis.guessed_share, row.basis.unknown_share, values,
                   family_of(load_gpu(row.gpu)))  # fmt: skip


class Sample:
    """Rows as numbers: features, logarithms of measured over estimated beyond the doubt that is
    computed, weights that are the same for each table."""

    def __init__(self, rows: Sequence[Outcome]) -> None:
        self.tables = np.array([row.table for row in rows])
        self.x = np.array([features(grounds_of(row)) for row in rows], float)
        ratio = np.array([-math.log(row.ratio) for row in rows])
        doubt = np.array([math.log(row.basis.doubt) for row in rows])
        self.above, self.below = ratio - doubt, -ratio - doubt
        self.groups = np.array([group_of(grounds_of(row)) for row in rows])
        counts = {name: int((self.tables == name).sum()) for name in set(self.tables.tolist())}
        self.weight = np.array([1.0 / counts[row.table] for row in rows])

    def fitted(self, kept: NDArray[np.bool_]) -> Fitted:
        """The widths at which 5 % of some rows, each table alike, lie beyond either side."""
        beyond = (1.0 - NOMINAL) / 2.0
        below, above = (
            _quantile(self.x[kept], y[kept], self.weight[kept], 1.0 - beyond)
            for y in (self.below, self.above)
        )
        return below, above

    def needed(self, widths: Fitted) -> Numbers:
        """For each row the least scale at which it is covered."""
        down, up = (self.x @ np.array(side) for side in widths)
        return np.maximum(self.below / down, self.above / up)


Fitted = tuple[tuple[float, ...], tuple[float, ...]]
"""Coefficients below and above."""


def _quantile(x: Numbers, y: Numbers, weight: Numbers, share: float) -> tuple[float, ...]:
    """Coefficients of the quantile of y: a linear programme over the coefficients and, for each
    row, what it lies above and below."""
    rows, count = x.shape
    cost = np.concatenate([np.zeros(count), share * weight, (1.0 - share) * weight])
    equal = np.hstack([x, np.eye(rows), -np.eye(rows)])
    least = [(LEAST.get(name, 0.0), None) for name in FEATURES]
    bounds = [*least, *[(0.0, None)] * (2 * rows)]
    optimize: Any = import_module("scipy.optimize")  # has no types
    found: Any = optimize.linprog(cost, A_eq=equal, b_eq=y, bounds=bounds, method="highs")
    assert found.success, found.message
    return tuple(round(float(value), 4) for value in found.x[:count])


def fit(sample: Sample) -> tuple[Widths, dict[str, float]]:
    """Widths fitted to all tables, with the scale of each group at which tables left out of a fit
    are covered in the mean as is nominal; and the coverage of each table by coefficients and scales
    that rest on the others alone."""
    names = sorted(set(sample.tables.tolist()))
    needed = np.empty(len(sample.tables))
    for name in names:
        own = sample.tables == name
        needed[own] = sample.needed(sample.fitted(~own))[own]
    covered = dict[str, float]()
    for name in names:
        own = sample.tables == name
        others = _scales(sample, needed, ~own)
        limit = np.array(
            [others.get(g, others.get(_known(g), 0.0)) for g in sample.groups[own].tolist()]
        )
        covered[name] = float((needed[own] <= limit).mean())
    everything = np.ones(len(sample.tables), bool)
    below, above = sample.fitted(everything)
    return Widths(below, above, _scales(sample, needed, everything)), covered


def _scales(sample: Sample, needed: Numbers, kept: NDArray[np.bool_]) -> dict[str, float]:
    """Of each group of the rows kept: what is not known is never the narrower."""
    groups, tables = sample.groups[kept], sample.tables[kept]
    found = {
        group: _scale(needed[kept][groups == group], tables[groups == group])
        for group in sorted(set(groups.tolist()))
    }
    return {group: max(scale, found.get(_known(group), 0.0)) for group, scale in found.items()}


def _known(group: str) -> str:
    """The same with known addresses."""
    return group.replace("unknown", "known")


def _scale(needed: Numbers, tables: NDArray[Any]) -> float:
    """The least scale that covers the nominal share of rows, each table alike."""
    names = set(tables.tolist())
    for scale in SCALES:
        if np.mean([(needed[tables == name] <= scale).mean() for name in names]) >= NOMINAL:
            return scale
    return SCALES[-1]


def as_first_seen(rows: Sequence[Outcome]) -> list[Outcome]:
    """The rows, with the times that were estimated of them while they were blind."""
    recent = {table.name for table in TABLES if table.first_seen in BLIND_SINCE}
    every = every_first_estimate()
    first = {(name, row.number): row.time_us for name in recent for row in every[name]}
    return [replace(row, time_us=first.get((row.table, row.number)) or row.time_us) for row in rows]


def main() -> int:
    """Run it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("ledger", type=Path)
    parser.add_argument("--write", type=Path, help="the file that estimates read")
    arguments = parser.parse_args()
    document = json.loads(arguments.ledger.read_text(encoding="utf-8"))
    rows = as_first_seen([read_outcome(entry) for entry in document["rows_left_out"]])
    sample = Sample([row for row in rows if row.compared and not row.marks])
    widths, covered = fit(sample)
    for name, share in covered.items():
        print(f"{name:44s} {100 * share:4.0f} %")
    shares = list(covered.values())
    within = sum(0.75 <= share <= 1.0 for share in shares)
    print(f"left out of the fit, tables alike: {100 * np.mean(shares):.0f} % covered, {within} of "
          f"{len(shares)} tables between 75 and 100 %")  # fmt: skip
    sides = {side: dict(zip(FEATURES, getattr(widths, side), strict=True))
             for side in ("below", "above")}  # fmt: skip
    print(json.dumps({**sides, "scales": widths.scales}, indent=1))
    if arguments.write:
        origin = (
            f"ledger at commit {document['commit']}, tables left out: {len(sample.tables)} rows, "
            f"those of {len(BLIND_SINCE)} rounds as they were first seen"
        )
        content = {"fitted_to": origin, "nominal": NOMINAL, **sides, "scales": widths.scales}
        arguments.write.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
