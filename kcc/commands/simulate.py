"""`kcc simulate FILE --gpu NAME`: how long the launches of a script or trace take, by cycles."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING

from kcc.commands.charts import add_charts, chart_outputs, check_charts
from kcc.commands.console import choose_style, say
from kcc.commands.errors import usage_error
from kcc.commands.hosts import add_script, script_exit_code
from kcc.commands.interval_options import add_interval, interval_options
from kcc.commands.journal import kept_in
from kcc.commands.launch_choice import add_launch_choice
from kcc.commands.machine_code import asked_code
from kcc.commands.number_options import count_from
from kcc.commands.options import (
    GpuNames,
    Subparsers,
    add_console,
    add_resume,
    add_traced_code,
)
from kcc.commands.outputs import STANDARD, Output, check_targets, write_outputs
from kcc.commands.sampled import add_sampling, check_sampling, run_sampled
from kcc.commands.simulate_pipeline import check_pipeline, run_pipeline
from kcc.commands.simulation_plan import Plan, configurations, run_plan
from kcc.commands.simulation_values import sweep_values
from kcc.commands.source_runs import offer_sources
from kcc.commands.sources import SourceLines
from kcc.commands.traced import Launches, add_traced_sources, launches_of, trace_script

if TYPE_CHECKING:
    from kcc.commands.simulate_journal import KeptLaunches
    from kcc.report.simulation.run import FailedRun, SimulationRun

TIMELINE_BLOCKS = 100_000
"""Thread blocks of a launch that a timeline shows; viewers take no more."""

PAGE_BLOCKS = 20_000
"""The same of a page, and of verdicts."""

_EXAMPLES = """examples:
  kcc simulate kernels/bfs/workload.py --gpu v100
  kcc simulate kernels/matmul/workload.py --gpu a100 --set l2.size_bytes=4194304
  kcc simulate bfs.kct --gpu v100 --gpu a100 --jobs 2 --json bfs.json --html bfs.html
  kcc simulate bfs.kct --gpu v100 --sweep l2.size_bytes=1048576,6291456 --sweep sm_count=40,80
  kcc simulate bfs.kct --gpu v100 --launches 0-3 --timeline bfs-timeline.json
  kcc simulate bfs.kct --gpu gpumech --model interval
  kcc simulate kernels/bfs/workload.py --gpu v100 --model pipeline
  kcc simulate bfs.kct --gpu v100 --sample tbpoint --error 1%
  kcc simulate traces/kernelslist.g --gpu accelsim-sm7-qv100
  kcc simulate kernels/vecadd/vecadd.cl --gpu a100
                                                 a source; see `kcc simulate FILE.cl --help`"""

_SOURCE_EXAMPLES = """examples:
  kcc simulate kernels/vecadd/vecadd.cl --gpu a100
  kcc simulate vecadd.ptx --gpu a100 --global 2**20 --block 256 --arg 0=float[2**20] \\
      --arg 1=float[2**20] --arg 2=float[2**20] --arg 3=2**20
  kcc simulate kernel.py:matmul --gpu h100 --signature '*fp16,*fp16,*fp32,i32,i32' \\
      -D BLOCK_M=64 ... --grid 64 --arg 'a=half[m*k]=uniform(-1,1)' ..."""


def add_parser(subparsers: Subparsers[argparse.ArgumentParser]) -> None:
    """Add `kcc simulate`."""
    parser = subparsers.add_parser(
        "simulate",
        help="simulate the kernels of a PyOpenCL script or a trace, cycle by cycle",
        usage="kcc simulate FILE --gpu NAME [OPTION ...] [-- ARG ...]",
        description="Simulate the launches of a PyOpenCL script, of a trace (.kct), or of a list\n"
        "of Accel-Sim traces (kernelslist.g) on a GPU: cycles, time, CPI stacks.",
        epilog=_EXAMPLES,
    )
    add_script(parser, also="; or a trace (.kct); or a list of Accel-Sim's traces (kernelslist.g)")
    add_launch_choice(parser.add_argument_group("launches"))
    _add_options(parser)
    offer_sources(
        parser,
        _add_options,
        run,
        what="Run kernels of a source and simulate them on a GPU: cycles, time, CPI stacks.",
        examples=_SOURCE_EXAMPLES,
    )
    parser.set_defaults(run=run)


def _add_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("configuration")
    group.add_argument(
        "--gpu", dest="gpus", metavar="NAME[,NAME]", action=GpuNames, default=[],
        help="a GPU (see `kcc gpus list`) or a file; repeatable",
    )  # fmt: skip
    group.add_argument(
        "--set", dest="overrides", metavar="KEY=VALUE", action="append", default=[],
        help="change a value of the GPUs, e.g. sm_count=40 (repeatable)",
    )  # fmt: skip
    group.add_argument(
        "--sweep", dest="sweeps", metavar="KEY=V1,V2,...", action="append", default=[],
        type=sweep_values,
        help="simulate with each of these values of the GPUs (repeatable: all combinations)",
    )  # fmt: skip
    group.add_argument(
        "--model", choices=("cycle", "pipeline", "interval"), default="cycle",
        help="cycle by cycle, by the warp pipeline of `kcc estimate` with what was counted in the "
        "run of a script, or by interval analysis (default: %(default)s)",
    )  # fmt: skip
    add_traced_code(group)
    group.add_argument(
        "--cold", action="store_true",
        help="each launch starts with cold caches; else L2 keeps the state of the launch before",
    )  # fmt: skip
    group.add_argument(
        "--jobs", metavar="N", type=count_from(1), default=1,
        help="processes, for several configurations, and with --cold for launches; results are the "
        "same (default: %(default)s)",
    )  # fmt: skip
    group.add_argument(
        "--verify", action="store_true",
        help="simulate again with smaller thread blocks where SMs have no work, to say what that "
        "saves; runs of up to a million instructions always are",
    )  # fmt: skip
    add_interval(parser)
    add_sampling(parser)
    _add_output(parser)
    add_resume(parser)
    add_console(parser, stages=False)


def _add_output(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("output")
    group.add_argument("--each-launch", action="store_true", help="each launch separately")
    group.add_argument(
        "--json",
        metavar="FILE",
        help="write kcc/simulation/1; '-': to standard output, without text",
    )
    group.add_argument(
        "--html", metavar="FILE", help="write an HTML page: CPI stacks, source lines, timeline"
    )
    group.add_argument(
        "--csv",
        metavar="FILE",
        help="write instructions, DRAM sectors and resident warps over time",
    )
    group.add_argument(
        "--timeline", metavar="FILE", help="write thread blocks on SMs over time, for Perfetto"
    )
    add_charts(group)


def run(arguments: argparse.Namespace, sources: SourceLines) -> int:
    """Run the command; raises what :func:`kcc.cli.main` turns into messages."""
    targets = check_simulation(arguments)
    if check_sampling(arguments):
        each = configurations(arguments.gpus, arguments.overrides, arguments.sweeps)
        quiet = STANDARD in (arguments.json, arguments.selection, arguments.picture)
        return run_sampled(
            arguments, each, lambda to: trace_script(arguments, sources, to, quiet=quiet)
        )
    with ExitStack() as held:
        try:
            found = find(arguments, sources, quiet=STANDARD in targets, held=held)
        except SystemExit as end:
            return script_exit_code(end)
        write_outputs(_outputs(arguments, found, sources, targets))
    return 0


def check_simulation(arguments: argparse.Namespace) -> list[str]:
    """The outputs asked for; raises :class:`UsageError` and :class:`DiagnosticError` for what can
    only go wrong, before anything is run."""
    if not arguments.gpus:
        raise usage_error("--gpu is missing", "`kcc gpus list` names GPUs")
    named = (arguments.json, arguments.html, arguments.csv, arguments.timeline)
    targets = [target for target in named if target]
    check_targets(targets, arguments.script)
    check_charts(arguments)
    _check_resume(arguments, targets)
    if arguments.model == "interval" and arguments.script.endswith(".g"):
        raise usage_error(
            "--model interval needs a script or a .kct trace, not a list of Accel-Sim traces"
        )
    if arguments.code not in (None, "kcc"):
        _check_code(arguments)
    if arguments.model == "pipeline":
        check_pipeline(arguments)
    _check_gpus(arguments)
    return targets


def _check_code(arguments: argparse.Namespace) -> None:
    if arguments.script.endswith(".g"):
        raise usage_error("--code: a list of Accel-Sim traces has its own code")
    if arguments.sample or arguments.model == "pipeline":
        message = "--code is for --model cycle and interval, without --sample"
        raise usage_error(message, "`kcc estimate --code` has it for the pipeline model")


def _check_resume(arguments: argparse.Namespace, targets: Sequence[str]) -> None:
    kept_in(arguments, targets)
    if arguments.resume and not _can_resume(arguments):
        message = "--resume is for --model cycle of a script or .kct trace, without --sample"
        raise usage_error(message, "and with one process: without --jobs")


def _can_resume(arguments: argparse.Namespace) -> bool:
    is_list = arguments.script.endswith(".g")
    return (
        not is_list
        and arguments.model == "cycle"
        and arguments.jobs == 1
        and (not arguments.sample)
    )


def _check_gpus(arguments: argparse.Namespace) -> None:
    """Load what is named, so that a misspelt key is found before a script has run."""
    from kcc.base.gpu import load_gpu

    for each in configurations(arguments.gpus, arguments.overrides, arguments.sweeps):
        load_gpu(each.gpu, list(each.overrides))


def _outputs(
    arguments: argparse.Namespace,
    found: Sequence[SimulationRun | FailedRun],
    sources: SourceLines,
    targets: Sequence[str],
) -> list[Output]:
    from kcc.report.simulation.charts import simulation_charts
    from kcc.report.simulation.document import intervals_csv, simulation_pieces, timeline_json
    from kcc.report.simulation.html import simulation_page
    from kcc.report.simulation.run import SimulationRun
    from kcc.report.simulation.terminal import simulation_text

    outputs = list[Output]()
    runs = [run for run in found if isinstance(run, SimulationRun)]
    texts = texts_of(runs, sources)
    if arguments.json:
        pieces = simulation_pieces(arguments.script, found)
        outputs.append(Output(arguments.json, "", pieces=pieces))
    if arguments.html:
        outputs.append(Output(arguments.html, simulation_page(arguments.script, found, texts)))
    if arguments.csv:
        outputs.append(Output(arguments.csv, intervals_csv(runs)))
    if arguments.charts:
        outputs += chart_outputs(arguments.charts, simulation_charts(runs, texts))
    if arguments.timeline:
        outputs.append(Output(arguments.timeline, timeline_json(runs)))
    if STANDARD not in targets:
        style = choose_style(arguments.color, arguments.width, STANDARD)
        text = simulation_text(
            arguments.script, found, style, texts, each_launch=arguments.each_launch
        )
        outputs.append(Output(STANDARD, text))
    return outputs


def texts_of(runs: Sequence[SimulationRun], sources: SourceLines) -> dict[str, list[str]]:
    """The lines of the files that results speak of, where they can be read."""
    from kcc.report.simulation.run import lines_of

    names = {line.file for run in runs for line in lines_of(run.timings)} - {""}
    return {name: list(sources[name]) for name in names if name in sources}


def find(
    arguments: argparse.Namespace, sources: SourceLines, *, quiet: bool,
    held: ExitStack | None = None,
) -> list[SimulationRun | FailedRun]:  # fmt: skip
    """The launches in all configurations that the command line asks for. ``held`` keeps a journal
    until outputs are written."""
    if arguments.model == "pipeline":
        return run_pipeline(arguments, sources, quiet=quiet)
    with launches_of(arguments, sources, quiet=quiet) as launches:
        return _simulate_file(arguments, launches, sources, held)


def _simulate_file(
    arguments: argparse.Namespace,
    launches: Launches,
    sources: SourceLines,
    held: ExitStack | None,
) -> list[SimulationRun | FailedRun]:
    """The launches of a trace or list in all configurations."""
    add_traced_sources(launches.path, sources)
    timeline = TIMELINE_BLOCKS if arguments.timeline or arguments.csv else PAGE_BLOCKS
    plan = Plan(
        launches.path, configurations(arguments.gpus, arguments.overrides, arguments.sweeps),
        launches.kernels, launches.numbers, dict(launches.registers), timeline, arguments.cold,
        interval_options(arguments) if arguments.model == "interval" else None,
        arguments.verify, asked_code(arguments),
    )  # fmt: skip
    kept = held and _journal(arguments, plan, held)
    try:
        return run_plan(plan, arguments.jobs, kept)
    except KeyboardInterrupt:
        if kept:
            say(f"\n{kept.path} has the finished launches; --resume continues\n")
        raise


def _journal(arguments: argparse.Namespace, plan: Plan, held: ExitStack) -> KeptLaunches | None:
    """The journal beside the first output file, which goes when all ends well."""
    from kcc.commands.simulate_journal import KeptLaunches

    named = (arguments.json, arguments.html, arguments.csv, arguments.timeline)
    path = kept_in(arguments, [target for target in named if target])
    if path is None or not _can_resume(arguments):
        return None
    return held.enter_context(KeptLaunches(path, plan, resume=arguments.resume))
