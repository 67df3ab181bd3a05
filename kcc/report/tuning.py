"""Estimates of a search space as text, columns and the document `kcc/tuning/1`."""

from __future__ import annotations

import csv
import io
import json
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import kcc
from kcc.base.advice import advice_json
from kcc.base.records import dataclass
from kcc.base.terms import bottleneck_label
from kcc.report.estimate.verdict import verdict_of
from kcc.report.shared.style import Style
from kcc.report.shared.text import fill, make_table, written
from kcc.report.shared.units import duration
from kcc.report.shared.words import plural

if TYPE_CHECKING:
    from kcc.report.estimate.record import EstimateRecord

SCHEMA = "kcc/tuning/1"
DIGITS = 6
MOST_COLUMNS = 6
"""Parameters up to which each has a column of the text."""
REASONS = 5
"""Reasons of refused configurations that the text names."""

Value = bool | int | float | str
Row = tuple[tuple[Value, ...], "EstimateRecord"]


@dataclass(frozen=True, slots=True)
class Effect:
    """What a parameter is worth: for each of its values, the best time over that of the best
    configuration; None where no configuration with the value can run."""

    name: str
    ratios: tuple[tuple[Value, float | None], ...]

    @property
    def largest(self) -> float:
        """By which factor the worst choice of this parameter alone is slower than the best."""
        return max((ratio for _, ratio in self.ratios if ratio is not None), default=1.0)


@dataclass(frozen=True, slots=True)
class Tuning:
    """What one run of `kcc tune` found. ``rows`` are configurations, values in the order of
    ``parameters``; ``in_space`` counts them before a sample was drawn. ``best`` is the fastest once
    more, with advice."""

    space: str
    source: str
    kernel: str
    gpu: str
    model: str
    parameters: Mapping[str, tuple[Value, ...]]
    problem_size: int | tuple[int | str, ...] | None
    rows: tuple[Row, ...]
    in_space: int
    notes: tuple[str, ...] = ()
    best: EstimateRecord | None = None

    def ranked(self) -> list[Row]:
        """Those that have a time, the fastest first."""
        timed = [row for row in self.rows if row[1].time_us is not None]
        return sorted(timed, key=lambda row: row[1].time_us or 0.0)

    def named(self, configuration: Sequence[Value]) -> dict[str, Value]:
        """The values by parameter."""
        return dict(zip(self.parameters, configuration, strict=True))

    def effects(self) -> list[Effect]:
        """Of each parameter with several values, the one that matters most first."""
        ranked = self.ranked()
        if not ranked:
            return []
        best = ranked[0][1].time_us or 0.0
        found = list[Effect]()
        for place, (name, values) in enumerate(self.parameters.items()):
            first = dict[Value, float]()
            for configuration, record in ranked:
                first.setdefault(configuration[place], (record.time_us or 0.0) / best)
            tried = {configuration[place] for configuration, _ in self.rows}
            if len(tried) > 1:
                ratios = ((v, first.get(v)) for v in values if v in tried)
                found.append(Effect(name, tuple(ratios)))
        return sorted(found, key=lambda each: -each.largest)

    def reasons(self) -> Counter[str]:
        """Why configurations have no time."""
        return Counter(record.reason for _, record in self.rows if record.time_us is None)


def tuning_verdict(found: Tuning) -> str:
    """One sentence: the fastest configuration, how many others may be as fast, the parameter that
    matters most, and what limits the fastest."""
    ranked = found.ranked()
    if not ranked:
        return f"No configuration of {len(found.rows):,} has an estimate."
    configuration, record = ranked[0]
    named = found.named(configuration)
    varied = [f"{n}={named[n]}" for n, values in found.parameters.items() if len(values) > 1]
    best = record.time_us or 0.0
    low, high = record.range_us or (best, best)
    said = f"Fastest: {' '.join(varied) or found.kernel}, {duration(best)}"
    said += f" ({duration(low)} to {duration(high)})"
    if len(ranked) == 1:
        return f"{said}; {_limited(found)}" if found.best else f"{said}."
    middle = statistics.median(other.time_us or 0.0 for _, other in ranked)
    said += f", {middle / best:.2f} x as fast as the median configuration"
    parts = [said]
    near = sum((other.time_us or 0.0) <= high for _, other in ranked[1:])
    if near:
        parts.append(f"{near:,} of {len(ranked) - 1:,} others lie within its range")
    first = next(iter(found.effects()), None)
    if first is not None and first.largest > 1.005:
        parts.append(
            f"{first.name} matters most: with its worst value the best is {first.largest:.2f} x "
            "slower"
        )
    if found.best is None:
        return "; ".join(parts) + "."
    return "; ".join([*parts, _limited(found)])


def _limited(found: Tuning) -> str:
    assert found.best is not None
    said = verdict_of(found.best)
    return said[:1].lower() + said[1:]


def tuning_json(found: Tuning) -> str:
    """The document."""
    content = {
        "schema": SCHEMA,
        "kcc_version": kcc.__version__,
        "space": found.space,
        "source": found.source,
        "kernel": found.kernel,
        "gpu": found.gpu,
        "model": found.model,
        "parameters": {name: list(values) for name, values in found.parameters.items()},
        "problem_size": found.problem_size,
        "configurations_in_space": found.in_space,
        "verdict": tuning_verdict(found),
        "advice": advice_json(found.best.advice if found.best else ()),
        "notes": list(found.notes),
        "effects": [
            {"parameter": each.name,
             "best_over_best": [[value, _short(ratio)] for value, ratio in each.ratios]}
            for each in found.effects()
        ],
        "configurations": [_row_json(found, *row) for row in found.rows],
    }  # fmt: skip
    return json.dumps(content, indent=1, allow_nan=False) + "\n"


def _row_json(
    found: Tuning, configuration: Sequence[Value], record: EstimateRecord
) -> dict[str, Any]:
    low, high = record.range_us or (None, None)
    return {
        "configuration": found.named(configuration),
        "time_us": _short(record.time_us),
        "range_us": None if low is None else [_short(low), _short(high)],
        "limiter": record.limiter,
        "reason": record.reason,
    }


def tuning_csv(found: Tuning) -> str:
    """A row for each configuration, in the order of the space."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*found.parameters, "time_us", "low_us", "high_us", "limiter", "reason"])
    for configuration, record in found.rows:
        times = (record.time_us, *(record.range_us or (None, None)))
        cells = ("" if t is None else f"{t:.{DIGITS}g}" for t in times)
        writer.writerow([*configuration, *cells, record.limiter, record.reason])
    return text.getvalue()


def _short(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.{DIGITS}g}")


# text


def tuning_text(found: Tuning, style: Style, top: int) -> str:
    """The best configurations, what each parameter is worth, what was refused."""
    ranked = found.ranked()
    shown = [n for n, values in found.parameters.items() if len(values) > 1]
    # Many parameters share a column: each of its own would be too narrow for its name.
    own = shown if len(shown) <= MOST_COLUMNS else []
    columns = ("time", "from", "to", "limited by", *(own or ["configuration"]))
    table = make_table("", style, *columns, right=("time", "from", "to", *own))
    for column in table.columns[:4]:
        column.no_wrap = True
    rows = list[tuple[str, ...]]()
    for configuration, record in ranked[:top]:
        named = found.named(configuration)
        cells = [str(named[n]) for n in own] or [" ".join(f"{n}={named[n]}" for n in shown)]
        rows.append((*times_of(record), bottleneck_label(record.limiter), *cells))
    fill(table, rows)
    effects = make_table("", style, "parameter", "value: times slower")
    fill(effects, [(each.name, effect_words(each)) for each in found.effects()])

    def write(console: Any) -> None:
        def say(words: str) -> None:
            console.print(words, markup=False, highlight=False)

        say(heading(found))
        say(tuning_verdict(found))
        console.print()
        console.print(table)
        if effects.row_count:
            say("\nWhat each parameter is worth: the best time with a value, over the best of all")
            console.print(effects)
        for line in remarks(found):
            console.print(line, markup=False, highlight=False, soft_wrap=True)

    return written(style, write)


def times_of(record: EstimateRecord) -> tuple[str, str, str]:
    """The time of a configuration, and its range."""
    low, high = record.range_us or (record.time_us, record.time_us)
    return duration(record.time_us or 0.0), duration(low or 0.0), duration(high or 0.0)


def heading(found: Tuning) -> str:
    """What was estimated, in a line."""
    estimated = len(found.ranked())
    sampled = f"{len(found.rows):,} of " if len(found.rows) != found.in_space else ""
    return (
        f"{found.kernel} of {found.source} on {found.gpu}: {sampled}"
        f"{plural(found.in_space, 'configuration')}, {estimated:,} with an estimate"
    )


def effect_words(each: Effect) -> str:
    """What each value of a parameter is worth."""
    return ", ".join(
        f"{value}: {'cannot run' if ratio is None else format(ratio, '.2f')}"
        for value, ratio in each.ratios
    )


def remarks(found: Tuning) -> list[str]:
    """Sentences on the space, and why configurations have no time."""
    said = list(found.notes)
    reasons = found.reasons()
    said += [f"no estimate of {plural(n, 'configuration')}: {why}"
             for why, n in reasons.most_common(REASONS)]  # fmt: skip
    if len(reasons) > REASONS:
        said.append(f"and {len(reasons) - REASONS} reasons more: --json has them")
    return said
