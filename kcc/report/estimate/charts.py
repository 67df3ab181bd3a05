"""The charts of estimates: all configurations beside each other, and the roofline of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kcc.report.estimate.record import EstimateRecord, configuration_words
from kcc.report.plots.heat import heat_chart
from kcc.report.plots.render import Chart
from kcc.report.plots.roofline import roofline_chart
from kcc.report.plots.stacks import stacks_chart

DETAILED = 12
"""Configurations that are shown in full: the page of a sweep of thousands stays small."""


def fastest(records: Sequence[EstimateRecord]) -> list[int]:
    """Numbers of the records that are shown in full, the fastest first."""
    timed = (n for n, each in enumerate(records) if each.time_us is not None)
    return sorted(timed, key=lambda n: (records[n].time_us, n))[:DETAILED]


def overview_charts(
    records: Sequence[EstimateRecord], sources: Mapping[str, Sequence[str]]
) -> list[Chart]:
    """Stacks of all configurations, and the lines of a source against them."""
    timed = [each for each in records if each.time_us is not None]
    labels = _labels(timed)
    bars = [
        (label, {name: value * (r.time_us or 0.0) / r.cpi for name, value in r.cpi_stack.items()})
        for label, r in zip(labels, timed, strict=True)
        if r.cpi
    ]
    return [each for each in (stacks_chart(bars), _lines(timed, labels, sources)) if each]


def estimate_charts(
    records: Sequence[EstimateRecord], sources: Mapping[str, Sequence[str]]
) -> list[Chart]:
    """All charts of a page."""
    found = overview_charts(records, sources)
    rooflines = (roofline_chart(records[n], f"roofline-{n}") for n in fastest(records))
    return [*found, *(each for each in rooflines if each is not None)]


def _labels(records: Sequence[EstimateRecord]) -> list[str]:
    """What tells configurations apart: kernel, GPU and launch, each where it differs."""
    parts = [
        (each.configuration.kernel, each.gpu, configuration_words(each.configuration), each.model)
        for each in records
    ]
    differ = [len(set(column)) > 1 for column in zip(*parts, strict=True)]
    kept = differ if any(differ) else [True, True, False, False]
    return [", ".join(p for p, keep in zip(own, kept, strict=True) if keep and p) for own in parts]


MOST_COLUMNS = 8
"""Configurations up to which lines are shown against them."""


def _lines(
    records: Sequence[EstimateRecord], labels: Sequence[str], sources: Mapping[str, Sequence[str]]
) -> Chart | None:
    names = {each.configuration.source for each in records}
    if len(names) != 1 or not 1 < len(records) <= MOST_COLUMNS or len(set(labels)) < len(labels):
        return None
    (name,) = names
    heat = dict[int, dict[str, float]]()
    for label, each in zip(labels, records, strict=True):
        for at in each.lines:
            if at.file in ("", name):
                heat.setdefault(at.line, {})[label] = at.share
    return heat_chart(heat, labels, sources.get(name, ()))
