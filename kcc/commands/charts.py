"""``--charts FOLDER``: the charts of a page as files, for papers and slides."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from kcc.commands.launch_choice import Group
from kcc.commands.outputs import Output, cannot_write

if TYPE_CHECKING:
    from kcc.report.plots.render import Chart


def add_charts(group: Group) -> None:
    """The option."""
    group.add_argument(
        "--charts", metavar="FOLDER",
        help="write the charts of the page as SVG and PNG into FOLDER (needs the extra plots)",
    )  # fmt: skip


def check_charts(arguments: argparse.Namespace) -> None:
    """Raises K013 before anything is run where the extra is not installed."""
    if arguments.charts:
        from kcc.report.plots.render import need_plots

        need_plots()


def chart_outputs(folder: str | None, charts: Iterable[Chart]) -> list[Output]:
    """Two files for each chart; the folder is made. Raises :class:`DiagnosticError` (K008)."""
    if not folder:
        return []
    from kcc.report.plots.render import png_of

    found = list[Output]()
    for chart in charts:
        svg = chart.svg()
        place = Path(folder) / chart.name
        found += [Output(f"{place}.svg", svg + "\n"), Output(f"{place}.png", "", png_of(svg))]
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(f"'{folder}'", error) from error
    return found
