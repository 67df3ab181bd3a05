"""A sample as one page: HTML with its style inside, without scripts, readable offline."""

from __future__ import annotations

from collections.abc import Sequence

from kcc.report.shared.ink import on_page
from kcc.report.shared.markup import Markup, join, table, tag
from kcc.report.shared.page import page
from kcc.report.shared.rich_html import table_html
from kcc.report.shared.style import Style
from kcc.report.simulation.sampling import (
    SampledRun,
    launch_table,
    sampling_facts,
    sampling_notes,
)
from kcc.report.simulation.sampling_picture import sampling_picture

STYLE = Style()


def sampling_page(runs: Sequence[SampledRun]) -> str:
    """Totals, thread blocks by region and the launches simulated, for each configuration."""
    source = runs[0].source
    return page(
        f"{source} - kcc simulate --sample",
        tag("header", tag("h1", tag("code", source)),
            tag("p", f"sampled by {runs[0].estimate.method}, seed {runs[0].seed}", class_="soft")),
        *map(_run, runs),
    )  # fmt: skip


def _run(run: SampledRun) -> Markup:
    return join(
        tag("h2", f"On {run.label}"),
        table(("", "estimate"), sampling_facts(run)),
        *(tag("p", note, class_="soft") for note in sampling_notes(run)),
        tag("div", on_page(sampling_picture(run)), class_="chart"),
        table_html(launch_table(run, STYLE)),
    )
