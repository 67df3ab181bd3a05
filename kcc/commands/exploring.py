"""What the ways to `kcc explore` share: options, design points, the reports."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from kcc.commands.charts import add_charts, chart_outputs, check_charts
from kcc.commands.cluster import add_cluster
from kcc.commands.console import choose_style
from kcc.commands.errors import usage_error
from kcc.commands.interval_options import interval_options
from kcc.commands.journal import journal_path
from kcc.commands.launch_choice import Group
from kcc.commands.number_options import count_from
from kcc.commands.options import GpuNames, add_resume
from kcc.commands.outputs import STANDARD, Output, check_targets, write_outputs
from kcc.commands.simulation_values import sweep_values
from kcc.commands.traced import Launches

if TYPE_CHECKING:
    from kcc.report.exploration.exploration import Exploration

NONE, TOP, ALL = "none", "top", "all"
EVERY = "every"
"""No search: every point is looked at."""

SHOWN = 20
"""Points that the text and the page show, of more."""

GUIDED = "guided"
SEARCHES = (GUIDED, "tpe", "nsga2", "random")
"""Those of :mod:`kcc.tuning.search`, which takes long to import."""

MOST_JOBS = 1024


def add_exploration(parser: argparse.ArgumentParser) -> Group:
    """What is explored, and the group for what else belongs there."""
    group = parser.add_argument_group("designs")
    group.add_argument(
        "--gpu", dest="gpus", metavar="NAME", action=GpuNames, default=[],
        help="a GPU (see `kcc gpus list`) or a file",
    )  # fmt: skip
    group.add_argument(
        "--set", dest="overrides", metavar="KEY=VALUE", action="append", default=[],
        help="change a value of the GPU throughout (repeatable)",
    )  # fmt: skip
    group.add_argument(
        "--sweep", dest="sweeps", metavar="KEY=V1,V2", action="append", default=[],
        type=sweep_values,
        help="values of a key to explore (repeatable: all combinations)",
    )  # fmt: skip
    group.add_argument(
        "--where", metavar="EXPR", action="append", default=[],
        help="only points for which this holds, in Python's words over the last parts of the swept "
        "keys: 'warps * mshrs <= 2048' (repeatable: all must hold)",
    )  # fmt: skip
    group.add_argument(
        "--cost", metavar="EXPR",
        help="what a point costs, over the same names: which points are best in time and cost?",
    )  # fmt: skip
    _add_search(group)
    group.add_argument(
        "--what-if", action="store_true", help="change one parameter at a time and rank the gains"
    )
    group.add_argument(
        "--cycle", choices=(NONE, TOP, ALL),
        help="also simulate cycle by cycle: nothing; the best change of --what-if, and of the "
        "points the Pareto front, or the three fastest; or all (default: the best change)",
    )  # fmt: skip
    group.add_argument(
        "--jobs", metavar="N", type=count_from(1), default=1,
        help="processes (default: %(default)s); results are the same",
    )  # fmt: skip
    add_cluster(group)
    add_resume(group)
    return group


def _add_search(group: Group) -> None:
    group.add_argument(
        "--search", choices=(EVERY, *SEARCHES), default=EVERY,
        help="look at every point, or let a search choose: guided by a model that learns from the "
        "points seen and leaves out what it says is no gain; tpe and nsga2 of optuna (extra: "
        "tune); random (default: %(default)s)",
    )  # fmt: skip
    group.add_argument(
        "--trials", metavar="N", type=count_from(1),
        help="the budget of a search: so many points at most",
    )  # fmt: skip
    group.add_argument(
        "--search-seed", metavar="N", type=count_from(0), default=0,
        help="seed of a search (default: %(default)s)",
    )  # fmt: skip
    group.add_argument(
        "--regret", action="store_true",
        help="look at all points after a search, to say what it missed",
    )  # fmt: skip


def add_exploration_output(parser: argparse.ArgumentParser) -> None:
    """Where it is written."""
    group = parser.add_argument_group("output")
    group.add_argument(
        "--json",
        metavar="FILE",
        help="write kcc/exploration/1; '-': to standard output, without text",
    )
    group.add_argument("--html", metavar="FILE", help="write an HTML page with the CPI stacks")
    group.add_argument("--svg", metavar="FILE", help="write the CPI stacks as SVG")
    group.add_argument("--png", metavar="FILE", help="the same as PNG (needs the extra plots)")
    group.add_argument("--csv", metavar="FILE", help="write a row per design point")
    group.add_argument(
        "--top", metavar="N", type=count_from(1), default=SHOWN,
        help="points that text and page show, where there are more (default: %(default)s)",
    )  # fmt: skip
    add_charts(group)


def check_exploration(arguments: argparse.Namespace, source: str) -> list[str]:
    """The outputs asked for; raises :class:`UsageError` and :class:`DiagnosticError` for what can
    only go wrong, before anything is run."""
    if not arguments.gpus:
        raise usage_error("--gpu is missing: the baseline", "`kcc gpus list` names GPUs")
    if len(arguments.gpus) > 1:
        raise usage_error("one --gpu only: the baseline", "kcc simulate takes several")
    if not arguments.sweeps and not arguments.what_if:
        raise usage_error("nothing to explore: --sweep KEY=V1,V2 or --what-if")
    _check_search(arguments)
    targets = exploration_targets(arguments)
    check_targets(targets, source)
    check_charts(arguments)
    if arguments.png:
        from kcc.report.plots.render import need_plots

        if arguments.png == STANDARD:
            raise usage_error("--png: pixels do not go to standard output", "--png FILE")
        need_plots()
    from kcc.base.gpu.loading import load_gpu

    load_gpu(arguments.gpus[0], arguments.overrides)
    interval_options(arguments)
    return targets


def exploration_targets(arguments: argparse.Namespace) -> list[str]:
    """The files that are asked for."""
    named = (arguments.json, arguments.html, arguments.svg, arguments.png, arguments.csv)
    return [target for target in named if target]


def _check_search(arguments: argparse.Namespace) -> None:
    if arguments.jobs > MOST_JOBS:
        raise usage_error(f"--jobs: {MOST_JOBS} processes at most")
    if arguments.search == EVERY and (arguments.trials or arguments.regret):
        raise usage_error("--trials and --regret are of a search: --search guided")
    if arguments.search != EVERY and not arguments.sweeps:
        raise usage_error("--search chooses among the points of --sweep KEY=V1,V2")
    if arguments.search not in (EVERY, GUIDED) and not arguments.trials:
        raise usage_error("a search ends after so many points: --trials N", "guided ends by itself")
    names = [key.rpartition(".")[2] for key, _ in arguments.sweeps]
    if len(set(names)) < len(names):
        raise usage_error("two swept keys have the same last part", ", ".join(names))


def write_exploration(
    arguments: argparse.Namespace, targets: Sequence[str], found: Exploration
) -> None:
    """Write all that was asked for."""
    from kcc.report.exploration.files import (
        exploration_charts,
        exploration_csv,
        exploration_json,
        exploration_png,
        exploration_svg,
    )
    from kcc.report.exploration.page import exploration_page
    from kcc.report.exploration.text import exploration_text

    writers = (
        (arguments.json, exploration_json), (arguments.svg, exploration_svg),
        (arguments.csv, exploration_csv),
    )  # fmt: skip
    outputs = [Output(target, write(found)) for target, write in writers if target]
    if arguments.html:
        outputs.append(Output(arguments.html, exploration_page(found, arguments.top)))
    if arguments.png:
        outputs.append(Output(arguments.png, "", exploration_png(found)))
    outputs += chart_outputs(arguments.charts, exploration_charts(found))
    if STANDARD not in targets:
        style = choose_style(arguments.color, arguments.width, STANDARD)
        outputs.append(Output(STANDARD, exploration_text(found, style, arguments.top)))
    write_outputs(outputs)
    if kept := journal_path(targets):
        kept.unlink(missing_ok=True)


def explore(
    arguments: argparse.Namespace, source: str, launches: Launches, notes: Sequence[str] = ()
) -> Exploration:
    """The design points that the command line asks for; ``notes`` are said with them."""
    from kcc.commands.explore_points import explored

    return explored(arguments, source, launches, notes)
