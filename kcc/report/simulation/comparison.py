"""Where the time of two simulations differs: causes and lines of the source, in microseconds.

GPUs differ in schedulers and clocks, so cycles of schedulers cannot be set against each other; the
shares of a run's time can. Each cause has the share of the time that its cycles have of all, and
so the parts of both runs add up to their times, and the differences to the difference.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

from kcc.base.records import dataclass
from kcc.base.terms import stall_label
from kcc.report.shared.style import Style
from kcc.report.shared.text import fill, make_table
from kcc.report.simulation.run import SimulationRun, added, largest, lines_of

LINES_SHOWN = 15

Place = tuple[str, int]


@dataclass(slots=True)
class TimeProfile:
    """A run's time by kernel, by cause, and by line of the source and cause."""

    label: str
    time_us: float
    codes: dict[str, str] = field(default_factory=dict[str, str])
    """By kernel, whose machine code was timed."""
    kernels: dict[str, float] = field(default_factory=dict[str, float])
    causes: dict[str, float] = field(default_factory=dict[str, float])
    lines: dict[Place, dict[str, float]] = field(default_factory=dict[Place, dict[str, float]])


def profile_of(run: SimulationRun) -> TimeProfile:
    """Of results at hand. Launches count with their own times."""
    found = TimeProfile(run.label, run.time_us)
    for t in run.timings:
        stack = added([t])
        scale = t.time_us / (sum(stack.values()) or 1)
        lines = {(own.file, own.line): own.stack for own in lines_of([t])}
        found.codes[t.kernel] = t.code
        _add(found, t.kernel, t.time_us, stack, lines, scale)
    return found


def profiles_of_document(document: Mapping[str, Any]) -> list[TimeProfile]:
    """Of a document kcc/simulation/1, a profile for each configuration. Raises ValueError for what
    is none."""
    try:
        if document["schema"] != "kcc/simulation/1":
            raise ValueError("is not a document kcc/simulation/1")
        return [_profile_of_gpu(run) for run in document["gpus"]]
    except (LookupError, TypeError, AttributeError, OverflowError) as error:
        raise ValueError(f"is not a whole document kcc/simulation/1: {error}") from error


def _profile_of_gpu(run: Mapping[str, Any]) -> TimeProfile:
    label = " ".join((run["gpu"], *run.get("settings", ())))
    found = TimeProfile(label, float(run["time_us"]))
    for launch in run["launches"]:
        stack = {name: float(cycles) for name, cycles in launch["cpi_stack"].items()}
        lines = {
            (str(each["file"]), int(each["line"])): {n: float(c) for n, c in each["stack"].items()}
            for each in launch["lines"]
        }
        scale = float(launch["time_us"]) / (sum(stack.values()) or 1)
        found.codes[launch["kernel"]] = str(launch.get("code", "kcc"))
        _add(found, launch["kernel"], float(launch["time_us"]), stack, lines, scale)
    return found


def _add(
    found: TimeProfile,
    kernel: str,
    time_us: float,
    stack: Mapping[str, float],
    lines: Mapping[Place, Mapping[str, float]],
    scale: float,
) -> None:
    found.kernels[kernel] = found.kernels.get(kernel, 0) + time_us
    _scaled(found.causes, stack, scale)
    for place, own in lines.items():
        _scaled(found.lines.setdefault(place, {}), own, scale)


def _scaled(into: dict[str, float], parts: Mapping[str, float], scale: float) -> None:
    for name, cycles in parts.items():
        into[name] = into.get(name, 0) + cycles * scale


def comparison_tables(
    before: TimeProfile, after: TimeProfile, style: Style, texts: Mapping[str, Sequence[str]]
) -> list[Any]:
    """Causes, kernels (if there are several) and lines, those first that changed most."""
    title = f"time by stall reason: {before.label} and {after.label}, us"
    causes = _labelled(before.causes), _labelled(after.causes)
    tables = [_table(title, "stall reason", *causes, style)]
    if len({*before.kernels, *after.kernels}) > 1:
        tables.append(_table("kernels", "kernel", before.kernels, after.kernels, style))
    rows = _line_rows(before, after, texts)
    if rows:
        columns = ("line", "before", "after", "change", "largest change", "source")
        table = make_table("lines", style, *columns, right=columns[1:4])
        tables.append(fill(table, rows))
    return tables


def _labelled(causes: Mapping[str, float]) -> dict[str, float]:
    return {stall_label(name): cycles for name, cycles in causes.items()}


def _table(
    title: str, what: str, before: Mapping[str, float], after: Mapping[str, float], style: Style
) -> Any:
    table = make_table(title, style, what, "before", "after", "change", right=("before", "after",
                                                                             "change"))  # fmt: skip
    names = sorted({**before, **after}, key=lambda n: -abs(after.get(n, 0) - before.get(n, 0)))
    rows = [
        (name, *_cells(before.get(name, 0), after.get(name, 0)))
        for name in names if before.get(name) or after.get(name)
    ]  # fmt: skip
    rows.append(("all", *_cells(sum(before.values()), sum(after.values()))))
    return fill(table, rows)


def _cells(before: float, after: float) -> tuple[str, str, str]:
    return f"{before:,.3f}", f"{after:,.3f}", f"{after - before:+,.3f}"


def _line_rows(
    before: TimeProfile, after: TimeProfile, texts: Mapping[str, Sequence[str]]
) -> list[tuple[str, ...]]:
    found = list[tuple[float, tuple[str, ...]]]()
    for place in sorted({*before.lines, *after.lines}):
        file, line = place
        old, new = before.lines.get(place, {}), after.lines.get(place, {})
        total = sum(old.values()), sum(new.values())
        if not line or not any(total):
            continue
        changes = {name: abs(new.get(name, 0) - old.get(name, 0)) for name in {**old, **new}}
        text = texts.get(file, ())
        words = text[line - 1].strip() if 0 < line <= len(text) else ""
        row = (str(line), *_cells(*total), stall_label(largest(changes)), words)
        found.append((-abs(total[1] - total[0]), row))
    return [row for _, row in sorted(found)[:LINES_SHOWN]]


def comparison_json(before: TimeProfile, after: TimeProfile) -> dict[str, Any]:
    """The same as values for a document."""
    places = sorted({*before.lines, *after.lines})
    return {
        "before": before.label, "after": after.label,
        "before_us": before.time_us, "after_us": after.time_us,
        "causes": _pairs(before.causes, after.causes),
        "kernels": _pairs(before.kernels, after.kernels),
        "lines": [
            {"file": place[0], "line": place[1],
             "causes": _pairs(before.lines.get(place, {}), after.lines.get(place, {}))}
            for place in places
        ],
    }  # fmt: skip


def _pairs(before: Mapping[str, float], after: Mapping[str, float]) -> list[dict[str, Any]]:
    return [
        {"name": name, "before_us": before.get(name, 0.0), "after_us": after.get(name, 0.0)}
        for name in {**before, **after}
    ]
