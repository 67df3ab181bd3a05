"""Rows of the tables of text and page."""

from __future__ import annotations

from collections.abc import Sequence

from kcc.base.terms import stall_label
from kcc.report.exploration.exploration import (
    Exploration,
    Explored,
    changed_gpu,
    checked_gain,
    gain,
    pareto_front,
)
from kcc.report.exploration.stack_chart import CHECKED

HEAD = ("point", "cycles", "us", "CPI", "largest stall", "cycle by cycle", "error")
WHAT_IF = ("change", "cycles", "us", "gain", "largest stall", "cycle by cycle", "its gain")
NUMERIC = (1, 2, 3, 5, 6)
FRONT = ("point", "cost", "us", CHECKED)


def row(each: Explored) -> tuple[str, ...]:
    """A design point, as the columns of :data:`HEAD`."""
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


def what_if_rows(found: Exploration) -> list[tuple[str, ...]]:
    """The changes, as the columns of :data:`WHAT_IF`."""
    base = found.base
    if base is None:
        return []
    rows = list[tuple[str, ...]]()
    for each in (base, *found.what_if):
        words, cycles, time_us, _, mostly, checked, _ = row(each)
        real = checked_gain(base, each)
        rows.append(
            (words, cycles, time_us, f"{gain(base, each):.2f} x", mostly, checked,
             "" if real is None else f"{real:.2f} x")
        )  # fmt: skip
    return rows


def said(found: Exploration) -> str:
    """The GPU, the model and how much was looked at."""
    passes = "1 cache pass" if found.passes == 1 else f"{found.passes} cache passes"
    count = len(found.points) + len(found.what_if) + (found.base is not None)
    return f"{changed_gpu(found)}, interval model ({found.model}): {count} design points, {passes}"


def shown_points(found: Exploration, top: int) -> Sequence[Explored]:
    """The points of the table, in the order of the sweeps; the fastest ``top`` of more."""
    if len(found.points) <= top:
        return found.points
    return sorted(found.points, key=lambda each: each.point.time_us)[:top]


def points_title(found: Exploration, top: int) -> str:
    """What the table of points is called."""
    if len(found.points) <= top:
        return "design points"
    return f"design points: the fastest {top} of {len(found.points):,}"


def front_rows(found: Exploration) -> list[tuple[str, ...]]:
    """The Pareto front, as the columns of :data:`FRONT`."""
    return [
        (f.words, f"{f.cost:g}", f"{f.point.time_us:.4g}", checked(f))
        for f in pareto_front(found.points)
    ]


def checked(each: Explored) -> str:
    """Its cycles by the cycle-level model, where it was simulated."""
    return "" if each.checked_cycles is None else f"{each.checked_cycles:,.0f}"


def failures(found: Exploration, top: int) -> list[str]:
    """Sentences on the points that there cannot be."""
    listed = [f"{each.words} skipped: {each.reason}" for each in found.failed[:top]]
    more = len(found.failed) - len(listed)
    return [*listed, *([f"and {more:,} more design points skipped: --json has them"] * (more > 0))]
