"""What the ledger says of tables: figures by group, all tables alike, what became worse."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from benchmarks.measured_tables import Table
from kcc.validation.outcome import Figures, Outcome, figures

NOISE_POINTS = 2.0
"""By how much the mean error of a table, in points, may grow: a change that helps elsewhere moves
single rows."""


@dataclass(frozen=True, slots=True)
class TableFigures:
    """Figures of a table: of the rows that count, of them by group, of those aside by reason, and
    why rows have no estimate."""

    name: str
    measures: str
    first_seen: str
    generations: tuple[str, ...]
    counted: Figures
    groups: tuple[tuple[str, Figures], ...]
    aside: Mapping[str, Figures]
    reasons: Mapping[str, int]

    def document(self) -> dict[str, Any]:
        """As JSON."""
        return asdict(self)


def table_figures(table: Table, rows: Sequence[Outcome]) -> TableFigures:
    """The figures of a table's outcomes."""
    counted = [row for row in rows if not row.marks]
    groups = list[tuple[str, Figures]]()
    for place in range(len(table.groups)):
        names = sorted({row.groups[place] for row in counted})
        if len(names) > 1:
            groups += [(n, figures(r for r in counted if r.groups[place] == n)) for n in names]
    limiters = Counter(row.limiter for row in counted if row.limiter)
    if len(limiters) > 1:
        groups += [
            (name, figures(row for row in counted if row.limiter == name))
            for name, _ in limiters.most_common()
        ]
    aside = sorted({row.marks[0] for row in rows if row.marks})
    return TableFigures(
        table.name, table.measures.value, table.first_seen,
        tuple(sorted({row.generation for row in rows})), figures(counted), tuple(groups),
        {name: figures(row for row in rows if name in row.marks) for name in aside},
        dict(Counter(row.reason for row in counted if row.time_us is None)),
    )  # fmt: skip


def by(rows: Iterable[Outcome], what: str) -> dict[str, Figures]:
    """Figures of rows by one of their fields: ``generation``, ``kernel``, ``limiter``."""
    groups = dict[str, list[Outcome]]()
    for row in rows:
        if not row.marks:
            groups.setdefault(str(getattr(row, what)) or "(none)", []).append(row)
    return {name: figures(members) for name, members in sorted(groups.items())}


def headline(tables: Sequence[TableFigures]) -> str:
    """The means over tables, each of which weighs the same."""

    def mean(name: str) -> float:
        values = [getattr(table.counted, name) for table in tables]
        return float(np.mean([v for v in values if v is not None] or [np.nan]))

    covered = [t.counted.coverage for t in tables if t.counted.coverage is not None]
    within = sum(75 <= c <= 100 for c in covered)
    return (
        f"mean error {mean('mean'):.1f} %, correlation {mean('correlation'):.3f}, "
        f"regret {mean('regret'):.1f} %, coverage {mean('coverage'):.0f} % "
        f"({within} of {len(covered)} tables between 75 and 100 %), {len(tables)} tables"
    )


def worse(before: Sequence[Outcome], after: Sequence[Sequence[Outcome]]) -> list[str]:
    """What became worse, over the rows that both have: tables whose mean error grew by more than
    :data:`NOISE_POINTS`, and rows that had an estimate and have none."""
    known = {(row.table, row.number): row for row in before}
    found = list[str]()
    for rows in after:
        both = [row for row in rows if (row.table, row.number) in known and not row.marks]
        if not both:
            continue
        old, new = figures(known[row.table, row.number] for row in both), figures(both)
        if new.estimated < old.estimated:
            found.append(
                f"{rows[0].table}: {new.estimated} rows have an estimate, {old.estimated} had one"
            )
        elif new.mean is not None and new.mean > (old.mean or 0.0) + NOISE_POINTS:
            found.append(f"{rows[0].table}: mean error {new.mean:.1f} %, it was {old.mean:.1f} %")
    return found
