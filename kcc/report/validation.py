"""Estimates beside measured times: the document `kcc/validation/1`, text and columns."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import kcc
from kcc.base.records import dataclass
from kcc.base.terms import bottleneck_label
from kcc.report.shared.style import Style
from kcc.report.shared.text import fill, make_table, written
from kcc.report.shared.words import plural
from kcc.validation.case import Measures
from kcc.validation.outcome import Figures, Outcome, figures

SCHEMA = "kcc/validation/1"
DIGITS = 6
WORST = 5
"""Rows that the text names."""

FIGURES_HEAD = " rows   est.  mean %  median %    max %   bias %  corr.  regret %  range %  width"

FIGURE_COLUMNS = ("", "rows", "est.", "mean %", "median %", "max %", "bias %", "corr.",
                  "regret %", "in range %", "width")  # fmt: skip
MEANINGS = (
    "est.: rows with an estimate; mean, median, max: errors; bias: estimated over measured, "
    "geometric mean; corr.: Spearman's, of ranks; regret: by how much the row that is estimated "
    "to be the fastest is slower than the one that is, among rows with the same arguments; in "
    "range: measured times within the estimate's range; width: end of the range over its start, "
    "median"
)


@dataclass(frozen=True, slots=True)
class Validation:
    """What one run of `kcc validate` found; ``rows_in_table`` is before --where and --sample."""

    table: str
    source: str
    model: str
    macros: Mapping[str, str]
    measures: Measures
    where: tuple[str, ...]
    rows_in_table: int
    rows: tuple[Outcome, ...]


def grouped(rows: Sequence[Outcome], key: Callable[[Outcome], str]) -> list[tuple[str, Figures]]:
    """Figures by group, the largest first; none where there is one group only."""
    counts = Counter(key(row) for row in rows if row.compared)
    if len(counts) < 2:
        return []
    names = sorted(counts, key=lambda name: (-counts[name], name))
    return [(name, figures(row for row in rows if key(row) == name)) for name in names]


def groups_of(found: Validation) -> dict[str, list[tuple[str, Figures]]]:
    """Figures by GPU and by limiter."""
    return {
        "gpu": grouped(found.rows, lambda row: row.gpu),
        "limiter": grouped(found.rows, lambda row: row.limiter),
    }


# JSON


def validation_json(found: Validation) -> str:
    """The document."""
    content = {
        "schema": SCHEMA,
        "kcc_version": kcc.__version__,
        "verdict": verdict_of(found),
        "table": found.table,
        "source": found.source,
        "model": found.model,
        "macros": dict(found.macros),
        "measures": found.measures.value,
        "where": list(found.where),
        "rows_in_table": found.rows_in_table,
        "figures": figures_json(figures(found.rows)),
        "groups": {
            by: {name: figures_json(each) for name, each in members}
            for by, members in groups_of(found).items()
        },
        "rows": [row_json(row) for row in found.rows],
    }
    return json.dumps(content, indent=1, allow_nan=False) + "\n"


def figures_json(found: Figures) -> dict[str, Any]:
    """Figures with as many digits as mean something."""
    return {name: _short(value) for name, value in asdict(found).items()}


def row_json(row: Outcome) -> dict[str, Any]:
    """A member of ``rows``."""
    return {
        "row": row.number,
        "kernel": row.kernel,
        "gpu": row.gpu,
        "generation": row.generation,
        "configuration": row.words,
        "status": "failed" if row.failed else "ok",
        "measured_us": _short(row.measured_us),
        "estimated_us": _short(row.time_us),
        "range_us": None if row.time_us is None else [_short(row.low_us), _short(row.high_us)],
        "launch_us": _short(row.launch_us),
        "limiter": row.limiter,
        "reason": row.reason,
        "basis": asdict(row.basis),
        "cpu_seconds": _short(row.seconds),
    }


def _short(value: float | None) -> float | None:
    return value if value is None or isinstance(value, int) else float(f"{value:.{DIGITS}g}")


# text


def validation_text(found: Validation, style: Style) -> str:
    """The report."""
    table = make_table(heading(found), style, *FIGURE_COLUMNS, right=FIGURE_COLUMNS[1:])
    rows = [figure_cells(bottleneck_label(name), each) for name, each in lines_of(found)]
    for n, column in enumerate(table.columns[1:], 1):  # names are wrapped, not figures
        words = [
            word for cell in (FIGURE_COLUMNS[n], *(row[n] for row in rows)) for word in cell.split()
        ]
        column.min_width = max(map(len, words))
    fill(table, rows, MEANINGS)

    def write(console: Any) -> None:
        console.print(verdict_of(found), markup=False, highlight=False)
        console.print(table)
        for line in remarks(found):
            console.print(line, markup=False, highlight=False, soft_wrap=True)

    return written(style, write)


def heading(found: Validation) -> str:
    """What was compared, in a line."""
    what = "kernels alone" if found.measures is Measures.KERNEL else "launches"
    return (
        f"{found.source} against {found.table}: {len(found.rows)} of "
        f"{plural(found.rows_in_table, 'row')}, {what}, model {found.model}"
    )


def verdict_of(found: Validation) -> str:
    """One sentence: how far estimates are off, how many ranges hold, the group that is worst."""
    every = figures(found.rows)
    if every.mean is None or every.median is None:
        return "Nothing could be compared."
    said = (
        f"Estimates are off by {every.median:.3g} % in the median, {every.mean:.3g} % in the mean"
    )
    if every.bias is not None:
        said += f" (bias {every.bias:+.3g} %)"
    parts = [said]
    if every.coverage is not None:
        parts.append(f"{every.coverage:.3g} % of the measured times are in the range")
    groups = [each for kind in groups_of(found).values() for each in kind if each[1].mean]
    if len(groups) > 1:
        name, worst = max(groups, key=lambda each: each[1].mean or 0.0)
        parts.append(f"the farthest off are those of {bottleneck_label(name)} ({worst.mean:.3g} %)")
    return "; ".join(parts) + "."


def lines_of(found: Validation) -> list[tuple[str, Figures]]:
    """All rows, then groups."""
    groups = groups_of(found)
    return [("all", figures(found.rows)), *groups["gpu"], *groups["limiter"]]


def figure_cells(name: str, f: Figures) -> tuple[str, ...]:
    """A row of a table."""
    return (
        name, str(f.rows), str(f.estimated), _number(f.mean, ".1f"),
        _number(f.median, ".1f"), _number(f.largest, ".0f"),
        _number(f.bias, "+.1f"), _number(f.correlation, ".3f"),
        _number(f.regret, ".1f"), _number(f.coverage, ".0f"), _number(f.width, ".2f"),
    )  # fmt: skip


def remarks(found: Validation) -> list[str]:
    """What a table of figures does not say: rows that failed, reasons, the worst rows, macros."""
    whole = figures(found.rows)
    said = [
        "macros from columns: "
        + (", ".join(f"{k}={v}" if k != v else k for k, v in found.macros.items()) or "none")
    ]
    if whole.failed:
        failed = plural(whole.failed, "row")
        said.append(f"{failed} failed when measured; {whole.told} of them have no estimate either")
    reasons = Counter(row.reason for row in found.rows if row.time_us is None and not row.failed)
    said += [f"no estimate of {plural(n, 'row')}: {why}" for why, n in reasons.most_common(WORST)]
    worst = sorted((r for r in found.rows if r.compared), key=lambda r: -max(r.ratio, 1 / r.ratio))
    for row in worst[:WORST]:
        if not 0.95 < row.ratio < 1.05:
            said.append(
                f"far off: row {row.number} {row.words}: {row.measured_us:.4g} us measured, "
                f"{row.time_us:.4g} us estimated ({row.ratio:.2f}), "
                f"{bottleneck_label(row.limiter)}"
            )
    return said


def figures_cells(f: Figures) -> str:
    """A line of columns under :data:`FIGURES_HEAD`."""
    return (
        f"{f.rows:5d}  {f.estimated:5d}  {_number(f.mean, '.1f'):>6s}  "
        f"{_number(f.median, '.1f'):>8s}  {_number(f.largest, '.0f'):>7s}  "
        f"{_number(f.bias, '+.1f'):>7s}  {_number(f.correlation, '.2f'):>5s}  "
        f"{_number(f.regret, '.1f'):>8s}  {_number(f.coverage, '.0f'):>8s}  "
        f"{_number(f.width, '.2f'):>5s}"
    )


def _number(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)
