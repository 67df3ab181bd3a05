"""Estimates made before anyone had looked at a table: benchmarks/data/first_seen_*.csv."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from benchmarks.measured_tables import TABLES
from kcc.validation.outcome import Figures, Outcome, figures

FOLDER = Path(__file__).parent / "data"
HEAD = ("table", "before commit", "rows", "est.", "mean %", "median %", "within twice %",
        "corr.", "in range %", "width", "now, left out: mean %", "median %")  # fmt: skip
COMMIT_HEAD = ("before commit", "tables", "rows", "est.", "mean %", "median %",
               "all rows: median %", "within twice %", "in range %")  # fmt: skip


def first_estimates(path: Path) -> dict[str, list[Outcome]]:
    """The outcomes of a file, by table. Raises ValueError for anything else."""
    found = dict[str, list[Outcome]]()
    with path.open(encoding="utf-8") as file:
        for row in csv.DictReader(line for line in file if not line.startswith("#")):
            time = float(row["estimated_us"]) if row["estimated_us"] else None
            low, high = (float(row[k]) if time else 0.0 for k in ("low_us", "high_us"))
            measured = float(row["measured_us"]) if row["measured_us"] else None
            outcome = Outcome(
                row["table"], int(row["row"]), "", "", "", measured, failed=measured is None,
                time_us=time, low_us=low, high_us=high, limiter=row["limiter"],
                reason=row["reason"],
            )  # fmt: skip
            found.setdefault(row["table"], []).append(outcome)
    return found


def every_first_estimate() -> dict[str, list[Outcome]]:
    """Of all tables that were blind once, by table, in the ledger's order."""
    found = dict[str, list[Outcome]]()
    for commit in dict.fromkeys(table.first_seen for table in TABLES if table.first_seen):
        found |= first_estimates(FOLDER / f"first_seen_{commit}.csv")
    return {table.name: found[table.name] for table in TABLES if table.name in found}


def within_twice(rows: Iterable[Outcome]) -> float:
    """The share of rows, in percent, that are off by a factor of two at most."""
    return 100 * float(np.mean([0.5 <= row.ratio <= 2 for row in rows if row.compared]))


def by_table(now: Mapping[str, Sequence[Outcome]]) -> list[str]:
    """A table of Markdown: what estimates were worth on each table before anyone had looked, and
    those of ``now``, by table."""
    blind = every_first_estimate()
    commits = {table.name: table.first_seen for table in TABLES}
    each = {name: figures(rows) for name, rows in blind.items()}
    after = {n: figures(r for r in now.get(n, ()) if not r.marks) for n in blind}
    cells = [HEAD, ("---", "---", *["---:"] * (len(HEAD) - 2))]
    for name, rows in blind.items():
        cells.append((name, commits[name], *_cells(each[name], within_twice(rows)),
                      *_now(after[name])))  # fmt: skip
    return ["| " + " | ".join(row) + " |" for row in cells]


def by_commit() -> list[str]:
    """A table of Markdown: all rows of the tables that were blind at a commit, by commit."""
    groups = dict[str, list[list[Outcome]]]()
    commits = {table.name: table.first_seen for table in TABLES}
    for name, rows in every_first_estimate().items():
        groups.setdefault(commits[name], []).append(rows)
    cells = [COMMIT_HEAD, ("---", *["---:"] * (len(COMMIT_HEAD) - 1))]
    for commit, tables in groups.items():
        rows = [row for table in tables for row in table]
        each = [figures(table) for table in tables]
        means = [float(np.mean([getattr(f, k) for f in each])) for k in ("mean", "median")]
        own = _cells(figures(rows), within_twice(rows))
        alike = (f"{value:.1f}" for value in means)
        cells.append((commit, str(len(tables)), *own[:2], *alike, own[3], own[4], own[6]))
    return ["| " + " | ".join(row) + " |" for row in cells]


def _cells(own: Figures, twice: float) -> tuple[str, ...]:
    correlation = "-" if own.correlation is None else f"{own.correlation:.3f}"
    return (
        str(own.rows), str(own.estimated), f"{own.mean:.1f}", f"{own.median:.1f}", f"{twice:.0f}",
        correlation, f"{own.coverage:.0f}", f"{own.width:.2f}",
    )  # fmt: skip


def _now(own: Figures) -> tuple[str, str]:
    return ("-", "-") if own.mean is None else (f"{own.mean:.1f}", f"{own.median:.1f}")
