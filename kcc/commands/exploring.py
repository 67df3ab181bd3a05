"""What the ways to `kcc explore` share: options, design points, the reports."""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from kcc.base.diagnostics import Diagnostic, DiagnosticError
from kcc.commands.charts import add_charts, chart_outputs, check_charts
from kcc.commands.console import choose_style
from kcc.commands.errors import usage_error
from kcc.commands.interval_options import interval_options
from kcc.commands.launch_choice import Group
from kcc.commands.outputs import STANDARD, Output, check_targets, write_outputs
from kcc.commands.progress import shown_progress
from kcc.commands.simulation_values import sweep_values
from kcc.commands.traced import IMPOSSIBLE, Launches

if TYPE_CHECKING:
    from kcc.report.exploration.exploration import Exploration, Explored, FailedPoint
    from kcc.sim.interval.explore import Explorer
    from kcc.tuning.formulas import Formula

NONE, TOP, ALL = "none", "top", "all"


def add_exploration(parser: argparse.ArgumentParser) -> Group:
    """What is explored, and the group for what else belongs there."""
    group = parser.add_argument_group("designs")
    group.add_argument(
        "--gpu", dest="gpus", metavar="NAME", action="append", default=[],
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
    group.add_argument(
        "--what-if", action="store_true", help="change one parameter at a time and rank the gains"
    )
    group.add_argument(
        "--cycle", choices=(NONE, TOP, ALL),
        help="also simulate cycle by cycle: nothing, the best change of --what-if, or all"
        " (default: the best change)",
    )  # fmt: skip
    return group


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
    named = (arguments.json, arguments.html, arguments.svg, arguments.png, arguments.csv)
    targets = [target for target in named if target]
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


def write_exploration(
    arguments: argparse.Namespace, targets: Sequence[str], found: Exploration
) -> None:
    """Write all that was asked for."""
    from kcc.report.exploration.exploration import (
        exploration_charts,
        exploration_csv,
        exploration_json,
        exploration_page,
        exploration_png,
        exploration_svg,
        exploration_text,
    )

    writers = (
        (arguments.json, exploration_json), (arguments.html, exploration_page),
        (arguments.svg, exploration_svg), (arguments.csv, exploration_csv),
    )  # fmt: skip
    outputs = [Output(target, write(found)) for target, write in writers if target]
    if arguments.png:
        outputs.append(Output(arguments.png, "", exploration_png(found)))
    outputs += chart_outputs(arguments.charts, exploration_charts(found))
    if STANDARD not in targets:
        style = choose_style(arguments.color, arguments.width, STANDARD)
        outputs.append(Output(STANDARD, exploration_text(found, style)))
    write_outputs(outputs)


def explore(
    arguments: argparse.Namespace, source: str, launches: Launches, notes: Sequence[str] = ()
) -> Exploration:
    """The design points that the command line asks for; ``notes`` are said with them."""
    from kcc.report.exploration.exploration import Exploration, Explored, gain, pareto_front
    from kcc.sim.interval.explore import Explorer

    options = interval_options(arguments)
    (gpu_name,) = arguments.gpus
    with Explorer(
        launches.path, gpu_name, arguments.overrides, options, kernels=launches.kernels,
        launches=launches.numbers, registers=launches.registers,
    ) as explorer:  # fmt: skip
        if not explorer.launches:
            message = "no launch, or none that --kernel and --launches select"
            raise DiagnosticError([Diagnostic("K875", message)])
        points, failed = _design_points(explorer, _combinations(arguments))
        base: Explored | None = None
        changes = list[Explored]()
        if arguments.what_if:
            as_it_is = base = Explored("baseline", explorer.at())
            changes = sorted(_changes(explorer), key=lambda each: -gain(as_it_is, each))
        passes = explorer.passes
        gpu = (base or points[0]).point.timings[0].gpu
        check = _Checker(explorer, launches.path)
        if arguments.cycle == ALL:
            points = [check(each) for each in points]
        elif arguments.cycle == TOP and arguments.cost:  # the best points are verified
            front = pareto_front(points)
            points = [check(each) if each in front else each for each in points]
        if base is not None and arguments.cycle != NONE:
            base = check(base)
            checked = len(changes) if arguments.cycle == ALL else 1
            changes[:checked] = [check(each) for each in changes[:checked]]
    return Exploration(
        source, gpu, tuple(arguments.overrides), options.model.value, passes, tuple(points), base,
        tuple(changes), tuple(failed), tuple(notes),
    )  # fmt: skip


def _design_points(
    explorer: Explorer, sweep: Sequence[Combination]
) -> tuple[list[Explored], list[FailedPoint]]:
    """The points of the sweeps, and those that there cannot be; raises for the last of them where
    there can be none."""
    from kcc.report.exploration.exploration import Explored, FailedPoint

    points, failed = list[Explored](), list[FailedPoint]()
    with shown_progress(len(sweep)) as show:
        for number, (words, settings, cost) in enumerate(sweep):
            try:
                points.append(Explored(words, explorer.at(settings), cost=cost))
            except DiagnosticError as error:
                if error.diagnostics[0].code not in IMPOSSIBLE:
                    raise
                failed.append(FailedPoint(words, error.diagnostics[0].message))
                if len(failed) == len(sweep):
                    raise
            issued = sum(each.point.issued for each in points)
            show(number + 1, round(issued), words)
    return points, failed


def _changes(explorer: Explorer) -> list[Explored]:
    """What each change makes of the launches; changes that no such GPU can have are left out."""
    from kcc.base.gpu.loading import load_gpu
    from kcc.report.exploration.exploration import Explored
    from kcc.sim.interval.explore import changes_of
    from kcc.sim.interval.inputs import interval_inputs

    gpu = load_gpu(explorer.gpu, list(explorer.overrides))
    first = explorer.launches[0]
    machine, _ = interval_inputs(gpu, first.tables, first.launch, explorer.registers)
    found, issued = list[Explored](), 0.0
    changes = list(changes_of(gpu, machine))
    with shown_progress(len(changes)) as show:
        for number, change in enumerate(changes):
            try:
                found.append(Explored(change.words, explorer.at(change.settings)))
            except DiagnosticError:
                continue
            issued += found[-1].point.issued
            show(number + 1, round(issued), change.words)
    return found


class _Checker:
    """Simulates design points cycle by cycle."""

    def __init__(self, explorer: Explorer, path: str) -> None:
        self.explorer, self.path = explorer, path

    def __call__(self, each: Explored) -> Explored:
        from kcc.base.gpu.loading import load_gpu
        from kcc.sim.cycle.sources import simulate_trace

        gpu = load_gpu(self.explorer.gpu, [*self.explorer.overrides, *each.point.settings])
        numbers = [launch.launch.number for launch in self.explorer.launches]
        timings = simulate_trace(
            self.path, gpu, launches=[range(n, n + 1) for n in numbers],
            registers=self.explorer.registers,
        )  # fmt: skip
        return replace(each, checked_cycles=float(sum(t.cycles for t in timings)))


Combination = tuple[str, tuple[str, ...], float | None]
"""What a combination of the sweeps' values is called, its settings and its cost."""


def _combinations(arguments: argparse.Namespace) -> list[Combination]:
    """The combinations that fulfil --where."""
    found = list(_fulfilling(arguments))
    if arguments.sweeps and not found:
        raise usage_error("--where leaves no design point")
    return found


def _fulfilling(arguments: argparse.Namespace) -> Iterator[Combination]:
    keys = [key for key, _ in arguments.sweeps]
    conditions = [_over(keys, "--where", text) for text in arguments.where]
    cost = _over(keys, "--cost", arguments.cost) if arguments.cost else None
    for words, settings, values in _products(arguments):
        try:
            if all(condition(values) for condition in conditions):
                yield words, settings, None if cost is None else float(cost(values))
        except (ValueError, TypeError) as error:
            raise usage_error(f"{words}: {error}") from error


def _over(keys: Sequence[str], option: str, text: str) -> Formula:
    """An expression over the last parts of the swept keys."""
    from kcc.tuning.formulas import formula

    known = {key.rpartition(".")[2] for key in keys}
    try:
        found = formula(text)
    except ValueError as error:
        raise usage_error(f"{option}: {error}") from error
    unknown = ", ".join(sorted(found.names - known))
    if unknown:
        raise usage_error(f"{option}: {unknown} is not swept", f"swept: {', '.join(sorted(known))}")
    return found


def _products(
    arguments: argparse.Namespace,
) -> Iterator[tuple[str, tuple[str, ...], dict[str, int | float | str]]]:
    """All combinations: what each is called, its settings and its values by name."""
    from kcc.base.gpu.loading import load_gpu
    from kcc.sim.interval.explore import settings_of
    from kcc.tuning.lists import from_text

    gpu = load_gpu(arguments.gpus[0], arguments.overrides)
    keys = [key for key, _ in arguments.sweeps]
    if not keys:
        return
    for values in itertools.product(*(values for _, values in arguments.sweeps)):
        pairs = list(zip(keys, values, strict=True))
        words = " ".join(f"{key.rpartition('.')[2]}={value}" for key, value in pairs)
        settings = tuple(s for key, value in pairs for s in settings_of(gpu, key, value))
        yield words, settings, {key.rpartition(".")[2]: from_text(value) for key, value in pairs}
