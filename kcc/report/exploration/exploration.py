"""What `kcc explore` reports: text, the document `kcc/exploration/1`, CSV, a page, a picture."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich.console import Console, RenderableType
from rich.text import Text

import kcc
from kcc.base.terms import stall_label
from kcc.report.exploration.stack_chart import CHECKED, PARTS, StackBar, stack_chart
from kcc.report.plots.pareto import pareto_chart
from kcc.report.plots.render import Chart, shown
from kcc.report.shared.ink import on_page
from kcc.report.shared.markup import Markup, table, tag
from kcc.report.shared.page import page
from kcc.report.shared.style import Style
from kcc.report.shared.text import bar, fill, make_table, written
from kcc.report.shared.units import duration
from kcc.sim.interval.explore import DesignPoint

SCHEMA = "kcc/exploration/1"
BAR_COLUMNS = 16

Json = Mapping[str, "Json"] | Sequence["Json"] | str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Explored:
    """A design point with what it is called and, where it was simulated too, its cycles by that."""

    words: str
    point: DesignPoint
    checked_cycles: float | None = None
    cost: float | None = None
    """By `--cost`, where it was asked for."""


@dataclass(frozen=True, slots=True)
class FailedPoint:
    """A design point that there cannot be, and why."""

    words: str
    reason: str


@dataclass(frozen=True, slots=True)
class Exploration:
    """The design points of one source on variants of one GPU, which has ``settings`` throughout.
    ``base`` is the GPU as it is; ``what_if`` are sorted by what they gain, the most first; both may
    be left out. ``notes`` say what is assumed of the launches."""

    source: str
    gpu: str
    settings: tuple[str, ...]
    model: str
    passes: int
    points: tuple[Explored, ...] = ()
    base: Explored | None = None
    what_if: tuple[Explored, ...] = ()
    failed: tuple[FailedPoint, ...] = ()
    notes: tuple[str, ...] = ()


def gain(base: Explored, changed: Explored) -> float:
    """How many times as fast as ``base`` a change is, by the interval model."""
    time_us = changed.point.time_us
    return base.point.time_us / time_us if time_us else 1.0


def checked_gain(base: Explored, changed: Explored) -> float | None:
    """The same by the cycle-level model, where both were simulated."""
    if base.checked_cycles is None or not changed.checked_cycles:
        return None
    clocks = [p.point.timings[0].clock_mhz for p in (base, changed)]
    return (base.checked_cycles / clocks[0]) / (changed.checked_cycles / clocks[1])


def pareto_front(points: Sequence[Explored]) -> list[Explored]:
    """The points to which none is better in time and cost at once, the cheapest first; empty where
    there are no costs."""
    found = list[Explored]()
    priced = [each for each in points if each.cost is not None]
    for each in sorted(priced, key=lambda each: (each.cost or 0.0, each.point.time_us)):
        if not found or each.point.time_us < found[-1].point.time_us:
            found.append(each)
    return found


def exploration_json(found: Exploration) -> str:
    """The document."""
    document: dict[str, Json] = {
        "schema": SCHEMA, "kcc_version": kcc.__version__, "source": found.source,
        "gpu": found.gpu, "settings": list(found.settings), "model": found.model,
        "cache_passes": found.passes, "verdict": verdict_of(found),
        "points": [_json(each) for each in found.points],
        "pareto_front": [each.words for each in pareto_front(found.points)],
        "failed": [{"name": each.words, "reason": each.reason} for each in found.failed],
        "base": _json(found.base) if found.base else None,
        "what_if": [_what_if_json(found.base, each) for each in found.what_if if found.base],
        "notes": list(found.notes),
    }  # fmt: skip
    return json.dumps(document, separators=(",", ":")) + "\n"


def _json(each: Explored) -> dict[str, Json]:
    p = each.point
    return {
        "name": each.words, "settings": list(p.settings), "cycles": p.cycles,
        "time_us": p.time_us, "issued": p.issued, "cpi_stack": p.stack,
        "checked_cycles": each.checked_cycles, "cost": each.cost,
    }  # fmt: skip


def _what_if_json(base: Explored, each: Explored) -> dict[str, Json]:
    return {**_json(each), "gain": gain(base, each), "checked_gain": checked_gain(base, each)}


def exploration_csv(found: Exploration) -> str:
    """A row for each design point, a column for each part of the stack."""
    buffer = io.StringIO()
    rows = csv.writer(buffer, lineterminator="\n")
    every = (*found.points, *((found.base,) if found.base else ()), *found.what_if)
    priced = any(each.cost is not None for each in every)
    head = ("name", "settings", "cycles", "time_us", "issued", "checked_cycles", *PARTS)
    rows.writerow((*head, *(["cost"] if priced else [])))
    for each in every:
        p = each.point
        checked = "" if each.checked_cycles is None else f"{each.checked_cycles:g}"
        stack = [f"{p.stack.get(name, 0.0):.6g}" for name in PARTS]
        rows.writerow(
            (each.words, " ".join(p.settings), f"{p.cycles:.6g}", f"{p.time_us:.6g}",
             f"{p.issued:g}", checked, *stack,
             *(["" if each.cost is None else f"{each.cost:g}"] if priced else []))
        )  # fmt: skip
    return buffer.getvalue()


def bars_of(found: Exploration) -> list[StackBar]:
    """The bars of the picture: scheduler cycles per instruction."""
    chosen = found.points or (*((found.base,) if found.base else ()), *found.what_if)
    bars = list[StackBar]()
    for each in chosen:
        p, first = each.point, each.point.timings[0]
        issued = p.issued or 1.0
        checked = each.checked_cycles
        bars.append(
            StackBar(
                each.words,
                {name: cycles / issued for name, cycles in p.stack.items()},
                None if checked is None else checked * first.schedulers / issued,
            )
        )
    return bars


def exploration_svg(found: Exploration) -> str:
    """The stacks as a picture of their own."""
    return stack_chart(bars_of(found), _title(found)) + "\n"


def exploration_png(found: Exploration) -> bytes:
    """The same in pixels; raises K013 where the extra `plots` is not installed."""
    from kcc.report.plots.render import png_of

    return png_of(exploration_svg(found))


def _title(found: Exploration) -> str:
    return f"{found.source} on {_changed_gpu(found)}: scheduler cycles per instruction"


def _changed_gpu(found: Exploration) -> str:
    return " ".join((found.gpu, *found.settings))


def exploration_page(found: Exploration) -> str:
    """One page: HTML with style and picture inside, without scripts."""
    return page(
        f"{found.source} - kcc explore",
        tag(
            "header",
            tag("h1", tag("code", found.source)),
            tag("div", _said(found)),
            *(tag("div", note, class_="soft") for note in found.notes),
        ),
        tag("p", verdict_of(found), class_="verdict"),
        tag("div", on_page(exploration_svg(found)), class_="chart"),
        tag("h2", "Design points") if found.points else "",
        table(_HEAD, [_row(each) for each in found.points], _NUMERIC),
        *_front_of_page(found),
        tag("h2", "What if") if found.what_if else "",
        table(_WHAT_IF, _what_if_rows(found), _NUMERIC),
    )


def _front_of_page(found: Exploration) -> list[Markup]:
    front = pareto_front(found.points)
    if not front:
        return []
    rows = [(f.words, f"{f.cost:g}", f"{f.point.time_us:.4g}", _checked(f)) for f in front]
    drawn = shown(pareto_of(found))
    return [tag("h2", "Pareto front of time and cost"), drawn, table(_FRONT, rows, (1, 2, 3))]


def pareto_of(found: Exploration) -> Chart | None:
    """Time over cost; None where there are no costs."""
    priced = [(p.words, p.cost, p.point.time_us) for p in found.points if p.cost is not None]
    return pareto_chart(priced, [each.words for each in pareto_front(found.points)])


def exploration_charts(found: Exploration) -> list[Chart]:
    """All charts of the page."""
    stacks = Chart("stacks", _title(found), drawn=stack_chart(bars_of(found), _title(found)))
    pareto = pareto_of(found)
    return [stacks, *([pareto] if pareto else [])]


_HEAD = ("point", "cycles", "us", "CPI", "largest stall", "cycle by cycle", "error")
_WHAT_IF = ("change", "cycles", "us", "gain", "largest stall", "cycle by cycle", "its gain")
_NUMERIC = (1, 2, 3, 5, 6)
_FRONT = ("point", "cost", "us", CHECKED)


def _row(each: Explored) -> tuple[str, ...]:
    p = each.point
    stack = {name: cycles for name, cycles in p.stack.items() if name != "BASE"}
    mostly = max(stack, key=lambda name: stack[name], default="")
    checked = error = ""
    if each.checked_cycles:
        checked = f"{each.checked_cycles:,.0f}"
        error = f"{100 * (p.cycles / each.checked_cycles - 1):+.1f} %"
    cpi = sum(p.stack.values()) / p.issued if p.issued else 0.0
    return (
        each.words,
        f"{p.cycles:,.0f}",
        f"{p.time_us:,.2f}",
        f"{cpi:.2f}",
        stall_label(mostly) if mostly else "",
        checked,
        error,
    )


def _what_if_rows(found: Exploration) -> list[tuple[str, ...]]:
    base = found.base
    if base is None:
        return []
    rows = list[tuple[str, ...]]()
    for each in (base, *found.what_if):
        words, cycles, time_us, _, mostly, checked, _ = _row(each)
        real = checked_gain(base, each)
        rows.append(
            (words, cycles, time_us, f"{gain(base, each):.2f} x", mostly, checked,
             "" if real is None else f"{real:.2f} x")
        )  # fmt: skip
    return rows


def _said(found: Exploration) -> str:
    passes = "1 cache pass" if found.passes == 1 else f"{found.passes} cache passes"
    count = len(found.points) + len(found.what_if) + (found.base is not None)
    return f"{_changed_gpu(found)}, interval model ({found.model}): {count} design points, {passes}"


def exploration_text(found: Exploration, style: Style) -> str:
    """The report for a terminal."""

    def write(console: Console) -> None:
        console.print(f"{found.source}: {_said(found)}")
        console.print(verdict_of(found))
        for note in found.notes:
            console.print(Text(note, "dim"))
        if found.points:
            console.print()
            console.print(_points(found, style))
        front = pareto_front(found.points)
        if front:
            console.print()
            rows = [(f.words, f"{f.cost:g}", f"{f.point.time_us:.4g}", _checked(f)) for f in front]
            console.print(_shown("Pareto front of time and cost", style, _FRONT, rows))
        for each in found.failed:
            console.print(f"note: {each.words} skipped: {each.reason}")
        if found.what_if:
            console.print()
            console.print(_shown("what if", style, _WHAT_IF, _what_if_rows(found)))

    return written(style, write)


def _checked(each: Explored) -> str:
    return "" if each.checked_cycles is None else f"{each.checked_cycles:,.0f}"


def _points(found: Exploration, style: Style) -> RenderableType:
    most = max(each.point.cycles for each in found.points) or 1.0
    rows = [
        (*_row(each), bar(BAR_COLUMNS * each.point.cycles / most, style)) for each in found.points
    ]
    return _shown("design points", style, (*_HEAD, ""), rows)


def _shown(
    title: str, style: Style, head: tuple[str, ...], rows: list[tuple[str, ...]]
) -> RenderableType:
    """A table of the columns in which something stands."""
    kept = [n for n in range(len(head)) if any(row[n] for row in rows)]
    right = tuple(head[n] for n in kept if n in _NUMERIC)
    out = make_table(title, style, *(head[n] for n in kept), right=right)
    return fill(out, [tuple(row[n] for n in kept) for row in rows])


def verdict_of(found: Exploration) -> str:
    """One sentence: the fastest design point and what limits it, or the change that gains most."""
    parts = list[str]()
    if found.points:
        best = min(found.points, key=lambda each: each.point.time_us)
        worst = max(each.point.time_us for each in found.points)
        said = f"fastest design point: {best.words}, {duration(best.point.time_us)}"
        if best.point.time_us and worst > 1.005 * best.point.time_us:
            said += f", {worst / best.point.time_us:.2f} x as fast as the slowest"
        parts += [said, _waits(best)]
    if found.base is not None and found.what_if:
        parts += [] if found.points else [_waits(found.base)]
        parts.append(_largest_gain(found.base, found.what_if[0]))
    whole = "; ".join(part for part in parts if part)
    return f"{whole[0].upper()}{whole[1:]}." if whole else ""


def _waits(each: Explored) -> str:
    """What a design point is limited by, with its share."""
    stack = each.point.stack
    waits = {name: cycles for name, cycles in stack.items() if name != "BASE"}
    if not any(waits.values()):
        return ""
    name = max(waits, key=lambda name: waits[name])
    share = 100 * waits[name] / sum(stack.values())
    return f"bottleneck: {stall_label(name)} ({share:.0f} % of the cycles)"


def _largest_gain(base: Explored, best: Explored) -> str:
    predicted, real = gain(base, best), checked_gain(base, best)
    if predicted < 1.005:
        return "no change gives more than 0.5 %"
    said = f"largest gain: {best.words}, {predicted:.2f} x by the interval model"
    if real is None:
        return said
    error = 100 * (predicted / real - 1)
    return f"{said}, cycle by cycle {real:.2f} x (the predicted gain is off by {error:+.1f} %)"
