"""The charts of simulations: configurations beside each other, lines against stall reasons, and
launches over time."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from kcc.base.terms import stall_label
from kcc.report.plots.heat import heat_chart
from kcc.report.plots.render import Chart
from kcc.report.plots.stacks import stacks_chart
from kcc.report.simulation.chart import launch_chart
from kcc.report.simulation.run import SimulationRun, added, lines_of
from kcc.report.simulation.terminal import by_kernel
from kcc.sim.result import Timing

CHARTS_SHOWN = 12
"""Launches that are drawn over time: the longest."""

Texts = Mapping[str, Sequence[str]]


def longest(timings: Sequence[Timing]) -> list[Timing]:
    """The launches that are drawn, in their order."""
    chosen = sorted(timings, key=lambda t: (-t.time_us, t.launch))[:CHARTS_SHOWN]
    return sorted(chosen, key=lambda t: t.launch)


def runs_chart(runs: Sequence[SimulationRun]) -> Chart | None:
    """Each kernel in each configuration."""
    bars = list[tuple[str, Mapping[str, float]]]()
    for run in runs:
        for name, own in by_kernel(run.timings, each_launch=False).items():
            parts = added(own)
            total = math.fsum(parts.values()) or 1.0
            time_us = math.fsum(t.time_us for t in own)
            label = f"{name}, {run.label}" if len(runs) > 1 else name
            bars.append((label, {n: v * time_us / total for n, v in parts.items()}))
    return stacks_chart(bars)


def lines_chart(run: SimulationRun, texts: Texts, name: str = "lines") -> Chart | None:
    """Lines of the file with most cycles against what they wait for, as shares of the cycles of all
    lines."""
    lines = [own for own in lines_of(run.timings) if own.line]
    if not lines:
        return None
    file = lines[0].file
    total = math.fsum(cycles for own in lines for cycles in own.stack.values()) or 1.0
    heat = {
        own.line: {_shown(cause): cycles / total for cause, cycles in own.stack.items()}
        for own in lines
        if own.file == file
    }
    sums = dict[str, float]()
    for parts in heat.values():
        for cause, share in parts.items():
            sums[cause] = sums.get(cause, 0.0) + share
    columns = sorted(sums, key=lambda cause: -sums[cause])
    return heat_chart(heat, columns, texts.get(file, ()), name)


def _shown(cause: str) -> str:
    return stall_label(cause)


def simulation_charts(runs: Sequence[SimulationRun], texts: Texts) -> list[Chart]:
    """All charts of a page; those of one configuration have its number in their names."""
    found = [runs_chart(runs)]
    for n, run in enumerate(runs):
        found.append(lines_chart(run, texts, f"lines-{n}"))
        found += [
            Chart(f"timeline-{n}-{t.launch}", f"{t.kernel} over time", drawn=drawn)
            for t in longest(run.timings)
            if (drawn := launch_chart(t))
        ]
    return [each for each in found if each is not None]
