"""What `kcc phases` says: on a terminal, as kcc/phases/1 and as kcc/selection/1."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from rich.console import Console

import kcc
from kcc.base.records import dataclass
from kcc.report.shared.style import Style
from kcc.report.shared.text import fill, make_table, share_text, written
from kcc.sim.sampling.simprof.phases import homogeneity, names_of
from kcc.sim.sampling.simprof.sensitivity import PhaseChange, Sensitivity
from kcc.sim.sampling.simprof.study import Study
from kcc.sim.sampling.simprof.table import UnitTable, variation

SCHEMA = "kcc/phases/1"
SELECTION_SCHEMA = "kcc/selection/1"
LETTERS = "ABCDEFGHIJKLMNOPQRST"
"""Of phases, the largest first."""

Json = Mapping[str, "Json"] | Sequence["Json"] | str | int | float | bool | None


@dataclass(frozen=True, slots=True, eq=False)
class PhaseRow:
    """A phase as reports show it; ``points`` of it are drawn. ``inputs`` says what others do to it:
    "sensitive", "same", "undecided" (a mean that is off by more than 10 %, maybe by chance), ""."""

    phase: int
    units: int
    weight: float
    mean: float
    variation: float
    points: int
    names: tuple[str, ...]
    inputs: str


@dataclass(frozen=True, slots=True, eq=False)
class PhasesReport:
    """A studied run, and the other inputs it was compared with."""

    study: Study
    references: tuple[UnitTable, ...]
    sensitivity: Sensitivity | None

    @property
    def rows(self) -> tuple[PhaseRow, ...]:
        study, phases = self.study, self.study.phases
        ratio = study.table.ratio
        drawn = np.bincount(phases.labels[study.chosen], minlength=phases.count)
        return tuple(
            PhaseRow(
                n, len(own), len(own) / len(ratio), float(ratio[own].mean()),
                variation(ratio[own]), int(drawn[n]), names_of(phases, n),
                self._inputs(n),
            )
            for n in range(phases.count) for own in [phases.members(n)]
        )  # fmt: skip

    def _inputs(self, phase: int) -> str:
        if self.sensitivity is None:
            return ""
        if phase in self.sensitivity.phases():
            return "sensitive"
        return "same" if phase in self.sensitivity.reusable() else "undecided"

    @property
    def saved(self) -> float | None:
        """Which part of the points a new input does not need (figure 46)."""
        if self.sensitivity is None:
            return None
        rows = self.rows
        total = sum(row.points for row in rows)
        return sum(row.points for row in rows if row.inputs == "same") / max(total, 1)


def letter(phase: int) -> str:
    """What a phase is called."""
    return LETTERS[phase] if phase < len(LETTERS) else "?"


def verdict_of(report: PhasesReport) -> str:
    """One sentence: how well the drawn units stand for the run."""
    study = report.study
    found, half = study.estimate, study.estimate.half_width()
    width = "" if half is None else f", ± {_percent(half / found.mean)} with 95 % confidence"
    needed = next(iter(study.needed.items()), None)
    more = "" if needed is None else f"; {needed[1]} units give {share_text(needed[0])} at 99.7 %"
    return (
        f"{len(study.chosen)} of {len(study.table):,} units, of {study.phases.count} "
        f"phase{'s' * (study.phases.count != 1)}, say {found.mean:.4g} in "
        f"{study.table.metric.name}{width}{more}."
    )


def phases_text(report: PhasesReport, style: Style) -> str:
    """The run, its phases, the sample, other methods, other inputs."""

    def write(console: Console) -> None:
        _write_run(console, report, style)
        console.print()
        console.print(_phase_table(report, style))
        _write_timeline(console, report, style)
        if report.study.methods:
            console.print()
            console.print(_method_table(report.study, style))
        if report.sensitivity is not None:
            console.print()
            console.print(_change_table(report, style))

    return written(style, write)


def _write_run(console: Console, report: PhasesReport, style: Style) -> None:
    study = report.study
    table, metric, found = study.table, study.table.metric, study.estimate
    same = homogeneity(table, study.phases)
    plus = "±" if style.unicode else "+-"
    half = found.half_width()
    width = "" if half is None else f" {plus} {_percent(half / found.mean)} (95 %)"
    off = f"{100 * (found.mean / table.mean - 1):+.2f} % off"
    console.print(f"{table.source}, recorded with {table.recorder}")
    rows = [
        ("units", f"{len(table):,}, each {table.unit}"),
        (metric.name, f"{table.mean:.4g}: {metric.meaning}"),
        ("variation", (f"{same.population:.3f} of all units, {same.weighted:.3f} within phases, "
                      f"{same.largest:.3f} in the worst")),
        ("phases", f"{study.phases.count}" + (f": {study.phases.reason}"
                                              if study.phases.reason else "")),
        ("sample", f"{len(study.chosen)} units say {found.mean:.4g}{width}; {off}"),
        ("needed", ", ".join(f"{count} units for {share_text(error)}"
                             for error, count in study.needed.items()) + " at 99.7 %"),
    ]  # fmt: skip
    if not table.complete:
        rows.append(("cut off", "the recording ended before the program did"))
    if report.saved is not None:
        rows.append(("new inputs", (f"{_percent(report.saved)} of the points are in phases that "
                     "other inputs do not change")))  # fmt: skip
    for name, value in rows:
        console.print(f"  {name:<11}{value}", soft_wrap=False)


def _percent(share: float) -> str:
    return f"{100 * share:.2f} %"


def _phase_table(report: PhasesReport, style: Style) -> Any:
    name = report.study.table.metric.name
    columns = ("phase", "units", "share", name, "CoV", "points", "of points")
    more = ("inputs",) if report.sensitivity is not None else ()
    table = make_table("Phases", style, *columns, *more, "what it does", right=columns[1:])
    total = max(len(report.study.chosen), 1)
    rows = [
        (letter(row.phase), f"{row.units:,}", _percent(row.weight), f"{row.mean:.4g}",
         f"{row.variation:.3f}", str(row.points), _percent(row.points / total),
         *((row.inputs,) if more else ()),
         ", ".join(row.names) or "-")
        for row in report.rows
    ]  # fmt: skip
    return fill(table, rows)


def _write_timeline(console: Console, report: PhasesReport, style: Style) -> None:
    """The phase of the most units in each piece of the run."""
    labels = report.study.phases.labels
    columns = max(min(style.width - 12, len(labels)), 1)
    pieces = np.array_split(labels, columns)
    line = "".join(letter(int(np.argmax(np.bincount(own)))) for own in pieces)
    console.print()
    console.print("Timeline")
    console.print(f"  {line}")


def _method_table(study: Study, style: Style) -> Any:
    columns = ("method", "units", "mean error", "95th percentile", "intervals that hold")
    table = make_table("Methods, over many draws", style, *columns, right=columns[1:])
    rows = [
        (one.method, str(one.units), _percent(one.mean), _percent(one.high),
         "-" if one.coverage is None else f"{100 * one.coverage:.1f} %")
        for one in study.methods
    ]  # fmt: skip
    return fill(table, rows)


def _change_table(report: PhasesReport, style: Style) -> Any:
    assert report.sensitivity is not None
    columns = ("input", "phase", "units", "mean", "deviation", "p mean", "p deviation", "verdict")
    table = make_table("Other inputs, against the first", style, *columns, right=columns[2:-1])
    rows = [
        (_end(report.references[c.reference].source), letter(c.phase), str(c.units),
         _signed(c.mean_change), _signed(c.deviation_change), _p(c.mean_p), _p(c.deviation_p),
         _verdict(c))
        for c in report.sensitivity.changes
    ]  # fmt: skip
    return fill(table, rows, "p: corrected for the number of tests; sensitive: beyond 10 % and "
                             "significant at 5 %")  # fmt: skip


def _end(source: str, most: int = 40) -> str:
    """The end of a command, where the input stands."""
    return source if len(source) <= most else f"...{source[3 - most :]}"


def _signed(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:+.1f} %"


def _p(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _verdict(change: PhaseChange) -> str:
    if change.is_sensitive:
        return "sensitive"
    return "beyond 10 %, not significant" if change.by_threshold else "same"


def phases_json(report: PhasesReport) -> str:
    """The document: every unit with its phase, phases, sample, methods, other inputs."""
    study = report.study
    table, found = study.table, study.estimate
    same = homogeneity(table, study.phases)
    chosen = set(study.chosen.tolist())
    document: dict[str, Json] = {
        "schema": SCHEMA, "kcc_version": kcc.__version__, "source": table.source,
        "recorder": table.recorder, "unit": table.unit, "feature": table.feature,
        "complete": table.complete, "verdict": verdict_of(report),
        "metric": {"name": table.metric.name, "cost": table.metric.cost,
                   "work": table.metric.work, "meaning": table.metric.meaning,
                   "rate": table.metric.rate},
        "mean": table.mean,
        "variation": {"population": same.population, "weighted": same.weighted,
                      "largest": same.largest},
        "features": list(study.phases.features),
        "one_phase_reason": study.phases.reason or None,
        "silhouettes": [{"phases": k, "score": s} for k, s in study.phases.silhouettes.items()],
        "phases": [_phase(row, study) for row in report.rows],
        "units": [
            {"phase": int(p), "cost": float(c), "work": float(w), "chosen": n in chosen}
            for n, (p, c, w) in enumerate(zip(study.phases.labels, table.cost, table.work,
                                              strict=True))
        ],
        "sample": {"units": study.chosen.tolist(), "mean": found.mean,
                   "half_width": found.half_width(), "standard_error": found.standard_error},
        "needed": [{"error": e, "units": n} for e, n in study.needed.items()],
        "methods": [{"method": m.method, "units": m.units, "mean_error": m.mean,
                     "error_95": m.high, "coverage": m.coverage} for m in study.methods],
        "inputs": _inputs(report), "points_saved": report.saved,
    }  # fmt: skip
    return json.dumps(document, separators=(",", ":")) + "\n"


def _phase(row: PhaseRow, study: Study) -> dict[str, Json]:
    return {
        "phase": row.phase, "units": row.units, "weight": row.weight, "mean": row.mean,
        "variation": row.variation, "points": row.points, "names": list(row.names),
        "sensitive": row.inputs == "sensitive" if row.inputs else None,
        "inputs": row.inputs or None, "centre": study.phases.centres[row.phase].tolist(),
    }  # fmt: skip


def _inputs(report: PhasesReport) -> list[Json]:
    if report.sensitivity is None:
        return []
    return [
        {"source": table.source, "units": len(table), "mean": table.mean, "phases": [
            {"phase": c.phase, "units": c.units, "mean": c.mean, "mean_change": c.mean_change,
             "deviation_change": c.deviation_change, "mean_p": c.mean_p,
             "deviation_p": c.deviation_p, "beyond_threshold": c.by_threshold,
             "sensitive": c.is_sensitive}
            for c in report.sensitivity.changes if c.reference == number]}
        for number, table in enumerate(report.references)
    ]  # fmt: skip


def unit_selection_json(report: PhasesReport, seed: int) -> str:
    """The units of the sample with their weights, for any simulator (kcc/selection/1)."""
    study = report.study
    labels, work = study.strata.labels, study.table.work
    document: dict[str, Json] = {
        "schema": SELECTION_SCHEMA, "kcc_version": kcc.__version__,
        "source": study.table.source, "method": "simprof", "seed": seed, "launches": [],
        "unit": study.table.unit,
        "metric": f"{study.table.metric.name}: {study.table.metric.meaning}",
        "units": [
            {"unit": n, "phase": int(study.phases.labels[n]),
             "weight": float(work[labels == labels[n]].sum()
                             / work[[m for m in study.chosen.tolist()
                                     if labels[m] == labels[n]]].sum())}
            for n in study.chosen.tolist()
        ],
    }  # fmt: skip
    return json.dumps(document, indent=1) + "\n"
