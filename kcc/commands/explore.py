"""`kcc explore FILE --gpu NAME`: variants of a GPU by interval analysis, and what helps most."""

from __future__ import annotations

import argparse
import itertools
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from kcc.commands.console import choose_style
from kcc.commands.errors import usage_error
from kcc.commands.hosts import add_script, check_script, script_exit_code
from kcc.commands.interval_options import add_interval, interval_options
from kcc.commands.launch_choice import add_launch_choice
from kcc.commands.options import Subparsers, add_console
from kcc.commands.outputs import STANDARD, Output, check_targets, write_outputs
from kcc.commands.progress import shown_progress
from kcc.commands.simulation_values import sweep_values
from kcc.commands.sources import SourceLines
from kcc.commands.traced import trace_script
from kcc.diagnostics import Diagnostic, DiagnosticError

if TYPE_CHECKING:
    from kcc.report.exploration import Exploration, Explored
    from kcc.sim.interval_explore import Explorer

_EXAMPLES = """examples:
  kcc explore bfs.kct --gpu v100 --what-if
  kcc explore bfs.kct --gpu gpumech --sweep warps=8,16,32,48 --svg warps.svg
  kcc explore bfs.kct --gpu gpumech --sweep mshrs=16,32,64,128 --sweep bandwidth=96,192
  kcc explore kernels/spmv/workload.py --gpu a100 --sweep l2.size_bytes=5242880,41943040
  kcc explore bfs.kct --gpu gpumech --sweep warps=8,32 --cycle all --html bfs.html

short keys of --sweep: warps, mshrs, bandwidth (GB/s), l1, l2 (bytes), sms, scheduler"""

NONE, TOP, ALL = "none", "top", "all"

IMPOSSIBLE = ("K805", "K807", "K871")
"""What is wrong with a GPU, not with the trace: values that contradict each other or are not known,
a thread block that does not fit."""


def add_parser(subparsers: Subparsers[argparse.ArgumentParser]) -> None:
    """Add `kcc explore`."""
    parser = subparsers.add_parser(
        "explore",
        help="which GPU suits the kernels of a script or trace, by interval analysis",
        usage="kcc explore FILE --gpu NAME (--sweep KEY=V1,V2 | --what-if) [OPTION ...]",
        description="Predict how long the launches of a PyOpenCL script or of a trace (.kct) take\n"
        "on many variants of a GPU, and where cycles go; or ask which change helps most.",
        epilog=_EXAMPLES,
    )
    add_script(parser, also="; or a trace (.kct)")
    group = parser.add_argument_group("what is explored")
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
        help="try these values of a key (repeatable: all combinations)",
    )  # fmt: skip
    group.add_argument(
        "--what-if", action="store_true", help="change one thing at a time: what helps most?"
    )
    group.add_argument(
        "--cycle", choices=(NONE, TOP, ALL),
        help="simulate cycle by cycle too: nothing, the best change of --what-if, or all (default: "
        "the best change)",
    )  # fmt: skip
    add_launch_choice(group, rest="")
    add_interval(parser)
    _add_output(parser)
    add_console(parser, stages=False)
    parser.set_defaults(run=run)


def _add_output(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("output")
    group.add_argument(
        "--json", metavar="FILE", help="write kcc/exploration/1; '-' in place of text"
    )
    group.add_argument("--html", metavar="FILE", help="write a page with the CPI stacks")
    group.add_argument("--svg", metavar="FILE", help="write the CPI stacks as a picture")
    group.add_argument("--csv", metavar="FILE", help="write a row for each design point")


def run(arguments: argparse.Namespace, sources: SourceLines) -> int:
    """Run the command; raises what :func:`kcc.cli.main` turns into messages."""
    if not arguments.gpus:
        raise usage_error("--gpu is missing: what to start from", "`kcc gpus list` names GPUs")
    if len(arguments.gpus) > 1:
        raise usage_error("one --gpu only: what to start from", "kcc simulate takes several")
    (arguments.gpu,) = arguments.gpus
    if not arguments.sweeps and not arguments.what_if:
        raise usage_error("nothing to explore: --sweep KEY=V1,V2 or --what-if")
    named = (arguments.json, arguments.html, arguments.svg, arguments.csv)
    targets = [target for target in named if target]
    check_targets(targets, arguments.script)
    from kcc.gpu.loading import load_gpu

    load_gpu(arguments.gpu, arguments.overrides)
    interval_options(arguments)
    try:
        found = _explore_file(arguments, sources, quiet=STANDARD in targets)
    except SystemExit as end:
        return script_exit_code(end)
    write_outputs(_outputs(arguments, found, targets))
    return 0


def _outputs(
    arguments: argparse.Namespace, found: Exploration, targets: Sequence[str]
) -> list[Output]:
    from kcc.report.exploration import (
        exploration_csv,
        exploration_json,
        exploration_page,
        exploration_svg,
        exploration_text,
    )

    writers = (
        (arguments.json, exploration_json), (arguments.html, exploration_page),
        (arguments.svg, exploration_svg), (arguments.csv, exploration_csv),
    )  # fmt: skip
    outputs = [Output(target, write(found)) for target, write in writers if target]
    if STANDARD not in targets:
        style = choose_style(arguments.color, arguments.width, STANDARD)
        outputs.append(Output(STANDARD, exploration_text(found, style)))
    return outputs


def _explore_file(
    arguments: argparse.Namespace, sources: SourceLines, *, quiet: bool
) -> Exploration:
    path = arguments.script
    if path.endswith(".kct"):
        return _explore(arguments, path, {})
    if path.endswith(".g"):
        raise usage_error("kcc explore takes a script or a trace of kcc, no list of traces")
    check_script(arguments)
    with tempfile.TemporaryDirectory(prefix="kcc-") as folder:
        trace = Path(folder) / "trace.kct"
        registers = trace_script(arguments, sources, trace, quiet=quiet)
        return _explore(arguments, str(trace), registers)


def _explore(arguments: argparse.Namespace, path: str, registers: dict[str, int]) -> Exploration:
    from kcc.report.exploration import Exploration, Explored, FailedPoint, gain
    from kcc.sim.interval_explore import Explorer

    options = interval_options(arguments)
    sweep = list(_combinations(arguments))
    with Explorer(
        path, arguments.gpu, arguments.overrides, options, kernels=arguments.kernels,
        launches=arguments.launches, registers=registers,
    ) as explorer:  # fmt: skip
        if not explorer.launches:
            message = "no launch is there, or none that is asked for"
            raise DiagnosticError([Diagnostic("K875", message)])
        with shown_progress(len(sweep)) as show:
            points, failed = list[Explored](), list[FailedPoint]()
            for number, (words, settings) in enumerate(sweep):
                try:
                    points.append(Explored(words, explorer.at(settings)))
                except DiagnosticError as error:
                    if error.diagnostics[0].code not in IMPOSSIBLE:
                        raise
                    failed.append(FailedPoint(words, error.diagnostics[0].message))
                    if len(failed) == len(sweep):
                        raise
                issued = sum(each.point.issued for each in points)
                show(number + 1, round(issued), words)
        base: Explored | None = None
        changes = list[Explored]()
        if arguments.what_if:
            as_it_is = base = Explored("as it is", explorer.at())
            changes = sorted(_changes(explorer), key=lambda each: -gain(as_it_is, each))
        passes = explorer.passes
        gpu = (base or points[0]).point.timings[0].gpu
        check = _Checker(explorer, path)
        if arguments.cycle == ALL:
            points = [check(each) for each in points]
        if base is not None and arguments.cycle != NONE:
            base = check(base)
            checked = len(changes) if arguments.cycle == ALL else 1
            changes[:checked] = [check(each) for each in changes[:checked]]
    return Exploration(
        arguments.script,
        gpu,
        options.model.value,
        passes,
        tuple(points),
        base,
        tuple(changes),
        tuple(failed),
    )


def _changes(explorer: Explorer) -> list[Explored]:
    """What each change makes of the launches; changes that no such GPU can have are left out."""
    from kcc.gpu.loading import load_gpu
    from kcc.report.exploration import Explored
    from kcc.sim.interval_explore import changes_of
    from kcc.sim.interval_inputs import interval_inputs

    gpu = load_gpu(explorer.gpu, list(explorer.overrides))
    first = explorer.launches[0]
    machine, _ = interval_inputs(gpu, first.tables, first.launch, explorer.registers)
    found = list[Explored]()
    for change in changes_of(gpu, machine):
        try:
            found.append(Explored(change.words, explorer.at(change.settings)))
        except DiagnosticError:
            continue
    return found


class _Checker:
    """Simulates design points cycle by cycle."""

    def __init__(self, explorer: Explorer, path: str) -> None:
        self.explorer, self.path = explorer, path

    def __call__(self, each: Explored) -> Explored:
        from kcc.gpu.loading import load_gpu
        from kcc.report.exploration import Explored
        from kcc.sim.cycle.sources import simulate_trace

        gpu = load_gpu(self.explorer.gpu, [*self.explorer.overrides, *each.point.settings])
        numbers = [launch.launch.number for launch in self.explorer.launches]
        timings = simulate_trace(
            self.path, gpu, launches=[range(n, n + 1) for n in numbers],
            registers=self.explorer.registers,
        )  # fmt: skip
        return Explored(each.words, each.point, float(sum(t.cycles for t in timings)))


def _combinations(arguments: argparse.Namespace) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What each combination of the sweeps' values is called, and its settings."""
    from kcc.gpu.loading import load_gpu
    from kcc.sim.interval_explore import settings_of

    gpu = load_gpu(arguments.gpu, arguments.overrides)
    keys = [key for key, _ in arguments.sweeps]
    if not keys:
        return
    for values in itertools.product(*(values for _, values in arguments.sweeps)):
        pairs = list(zip(keys, values, strict=True))
        words = " ".join(f"{key.rpartition('.')[2]}={value}" for key, value in pairs)
        yield words, tuple(s for key, value in pairs for s in settings_of(gpu, key, value))
