"""`kcc tune SPACE`: estimates of a search space, for tuners and in place of them."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING

from kcc.commands.cache_options import add_cache_options, cache_options
from kcc.commands.charts import add_charts, chart_outputs, check_charts
from kcc.commands.cluster import add_cluster, cluster_of
from kcc.commands.console import choose_style, say
from kcc.commands.errors import usage_error
from kcc.commands.options import (
    Parser,
    Subparsers,
    add_assumptions,
    add_compilation,
    add_console,
    add_launch,
    add_resume,
    add_source,
)
from kcc.commands.outputs import STANDARD, Output, check_targets, write_outputs
from kcc.commands.sources import SourceLines
from kcc.commands.stages import StageRunner
from kcc.frontend.options import OptLevel
from kcc.sim.machine.launch_overhead import LaunchWay

if TYPE_CHECKING:
    from kcc.commands.estimate_sweep import Plan
    from kcc.commands.journal import Journal, Sweep
    from kcc.report.estimate.record import EstimateRecord
    from kcc.report.tuning import Tuning
    from kcc.stages.analyze import AnalysisRequest
    from kcc.tuning.space import Problem, Space

MODELS = ("pipeline", "pipeline-hpca19")
TOP = 10
MOST_JOBS = 1024

_EXAMPLES = """examples:
  kcc tune tune_gemm.py --gpu a100 --cachefile gemm.json      a Kernel Tuner script, which runs
  kcc tune convolution.json --gpu rtx3090 --t4 times.json     the input schema T1
  kcc tune list.csv gemm.cl --gpu a100 --global 4096//TILE,4096//TILE --local TILE,TILE
  kcc tune gemm.cl --sweep TILE=8,16,32 --sweep UNROLL=1,2 --where 'TILE*UNROLL<=32' --gpu v100
  kcc tune gemm.json --gpu a100 --sample 2000 --jobs 2 --cachefile gemm-a100.json --resume

a list is a CSV file with a head, a JSON list of {"NAME": VALUE}, T4 or a cachefile; its numbers are
names in --global, --local, --grid, --block and --arg"""


def add_parser(subparsers: Subparsers[argparse.ArgumentParser]) -> None:
    """Add `kcc tune`."""
    parser = subparsers.add_parser(
        "tune",
        help="estimates of all configurations of a search space, as tuners read them",
        usage="kcc tune SPACE [FILE] --gpu NAME [OPTION ...] [-- SCRIPT ARGUMENT ...]",
        description="Estimate all configurations of a search space: a Kernel Tuner script,\n"
        "T1, a list, or a kernel source with --sweep. Writes T4 and Kernel Tuner's cachefile, so\n"
        "that its strategies run on the estimates.",
        epilog=_EXAMPLES,
    )
    assert isinstance(parser, Parser)
    parser.rest = "script_arguments"
    add_source(parser)
    add_compilation(parser, OptLevel.O2)
    add_launch(parser)
    add_assumptions(parser)
    _add_space(parser)
    _add_model(parser)
    add_cache_options(parser)
    output = parser.add_argument_group("output")
    output.add_argument("--t4", metavar="FILE", help="write T4, the tuning community's schema")
    output.add_argument(
        "--cachefile", metavar="FILE",
        help="write Kernel Tuner's cachefile, for its simulation mode and kcc.tuning",
    )  # fmt: skip
    output.add_argument("--json", metavar="FILE", help="write kcc/tuning/1; '-' in place of text")
    output.add_argument("--csv", metavar="FILE", help="write a row for each configuration")
    output.add_argument(
        "--html", metavar="FILE", help="write a page with pictures of the space (extra: plots)"
    )
    add_charts(output)
    output.add_argument(
        "--top", metavar="N", type=_count, default=TOP,
        help="configurations that the text shows (default: %(default)s)",
    )  # fmt: skip
    add_console(parser)
    parser.set_defaults(run=run)


def _add_space(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("the search space")
    group.add_argument(
        "--sweep", dest="sweeps", metavar="NAME=V1,V2", action="append", default=[],
        help="a parameter of a kernel source and its values (repeatable)",
    )  # fmt: skip
    group.add_argument(
        "--param", dest="columns", metavar="NAME", action="append", default=[],
        help="a parameter of a list (repeatable; default: all names that stand in the source or "
        "in the options)",
    )  # fmt: skip
    group.add_argument(
        "--where", metavar="EXPR", action="append", default=[],
        help="only configurations for which this holds, in Python's words: 'BX*BY <= 1024 and "
        "TILE in (1, 2)' (repeatable: all must hold)",
    )  # fmt: skip
    group.add_argument(
        "--sample", metavar="N", type=_count, default=0,
        help="so many configurations, drawn by --seed (default: all)",
    )  # fmt: skip
    group.add_argument(
        "--call", metavar="N", type=_count, default=1,
        help="which call of tune_kernel a script's space is of, from 1 (default: %(default)s)",
    )  # fmt: skip


def _add_model(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("GPU and model")
    group.add_argument("--gpu", metavar="NAME", help="a GPU (see `kcc gpus list`) or a file")
    group.add_argument(
        "--set", dest="overrides", metavar="KEY=VALUE", action="append", default=[],
        help="change a value of the GPU (repeatable)",
    )  # fmt: skip
    group.add_argument(
        "--model", choices=MODELS, default=MODELS[0],
        help="the timing model (default: %(default)s)",
    )  # fmt: skip
    ways = [way.value for way in LaunchWay]
    group.add_argument(
        "--launches", choices=ways, default=ways[0],
        help="how the tuner launches (default: %(default)s)",
    )  # fmt: skip
    group.add_argument(
        "--jobs", metavar="N", type=_jobs, default=1,
        help="processes (default: %(default)s); results are the same",
    )  # fmt: skip
    add_cluster(group)
    add_resume(group)


def run(arguments: argparse.Namespace, sources: SourceLines) -> int:
    """Run the command; 1 if no configuration has an estimate."""
    from kcc.commands.journal import ESTIMATES, Journal, kept_in
    from kcc.commands.tune_space import read_problem

    named = (arguments.t4, arguments.cachefile, arguments.json, arguments.csv, arguments.html)
    targets = [target for target in named if target]
    check_charts(arguments)
    for path in arguments.source:
        check_targets(targets, path)
    kept = kept_in(arguments, targets)
    if not arguments.gpu:
        raise usage_error("--gpu is missing: what to estimate for", "`kcc gpus list` names GPUs")
    stage = StageRunner()
    problem = stage("space", lambda: read_problem(arguments, sources))
    space = problem.space.sampled(arguments.sample, arguments.seed)
    plan, early = _plan(arguments, problem, space)
    opened = Journal(kept, plan.digest, ESTIMATES, resume=arguments.resume) if kept else None
    with opened or nullcontext() as journal:
        try:
            records = _records(arguments, plan, stage, journal)
        except KeyboardInterrupt:
            if journal:
                say(f"\n{journal.path} has the finished estimates; --resume continues\n")
            raise
        found = _tuning(arguments, problem, space, records, early)
        found = replace(found, best=_advised(plan, records, stage))
        write_outputs(_outputs(arguments, found))
        if journal:
            journal.remove()
    if arguments.time:
        say(stage.table())
    return 0 if found.ranked() else 1


def _advised(
    plan: Plan, records: Sequence[EstimateRecord], stage: StageRunner
) -> EstimateRecord | None:
    """The fastest once more, with advice."""
    from kcc.commands.estimate_sweep import run_plan

    times = {n: record.time_us for n, record in enumerate(records) if record.time_us is not None}
    if not times:
        return None
    best = plan.requests[min(times, key=lambda n: times[n])]
    question = replace(plan.question, advise=True)
    (found,) = run_plan(replace(plan, requests=(best,), question=question), 1, stage, None)
    return found


def _records(
    arguments: argparse.Namespace, plan: Plan, stage: StageRunner, journal: Journal[Sweep] | None
) -> list[EstimateRecord]:
    from kcc.commands.estimate_sweep import run_plan

    if not plan.requests:
        return []
    return run_plan(plan, arguments.jobs, stage, journal, cluster_of(arguments))


def _plan(
    arguments: argparse.Namespace, problem: Problem, space: Space
) -> tuple[Plan, dict[int, EstimateRecord]]:
    """What is to be estimated, and the configurations that are refused before."""
    from kcc.base.diagnostics import DiagnosticError
    from kcc.base.gpu.loading import load_gpu
    from kcc.commands.estimate_sweep import Plan, reason_of
    from kcc.commands.gpu_options import read_assumptions
    from kcc.report.estimate.record import refused
    from kcc.stages.analyze import RegisterRequest
    from kcc.stages.estimate import Configuration, Question

    gpu = load_gpu(arguments.gpu, arguments.overrides)
    assumptions = read_assumptions(arguments.assumptions, SourceLines())
    requests, early = list["AnalysisRequest"](), dict[int, "EstimateRecord"]()
    for number, configuration in enumerate(space.configurations):
        try:
            request = problem.request(space.named(configuration))
        except (DiagnosticError, ValueError, ArithmeticError, TypeError, KeyError) as error:
            reason = reason_of(error) if isinstance(error, DiagnosticError) else str(error)
            place = Configuration(problem.kernel, problem.source, {}, (), ())
            early[number] = refused(place, gpu.stem, reason)
            continue
        requests.append(replace(request, registers=RegisterRequest(), assumptions=assumptions))
    question = Question(
        arguments.model, analysis=cache_options(arguments), launches=LaunchWay(arguments.launches)
    )
    return Plan(tuple(requests), (gpu,), question), early


def _tuning(
    arguments: argparse.Namespace, problem: Problem, space: Space,
    records: Sequence[EstimateRecord], early: dict[int, EstimateRecord],
) -> Tuning:  # fmt: skip
    from kcc.base.gpu.loading import load_gpu
    from kcc.report.tuning import Tuning

    if len(records) + len(early) != len(space.configurations):
        raise usage_error(
            f"'{problem.source}' has several kernels, and a search space is of one",
            "name it: --kernel NAME",
        )
    left = iter(records)
    every = [early[n] if n in early else next(left) for n in range(len(space.configurations))]
    notes = list(problem.notes)
    if not space.whole and problem.space.whole:
        notes.append("a sample: Kernel Tuner's simulation mode needs the whole space")
    return Tuning(
        arguments.source[0], problem.source, problem.kernel,
        load_gpu(arguments.gpu, arguments.overrides).stem, arguments.model, space.parameters,
        problem.problem_size, tuple(zip(space.configurations, every, strict=True)),
        len(problem.space.configurations), tuple(notes),
    )  # fmt: skip


def _outputs(arguments: argparse.Namespace, found: Tuning) -> list[Output]:
    from kcc.report.tuning import tuning_csv, tuning_json, tuning_text
    from kcc.report.tuning_html import tuning_charts, tuning_page
    from kcc.tuning.files import cachefile_json, t4_json

    makers = (
        (arguments.t4, t4_json), (arguments.cachefile, cachefile_json),
        (arguments.json, tuning_json), (arguments.csv, tuning_csv),
    )  # fmt: skip
    made = [Output(target, make(found)) for target, make in makers if target]
    if arguments.html:
        made.append(Output(arguments.html, tuning_page(found, arguments.top)))
    if arguments.charts:
        made += chart_outputs(arguments.charts, tuning_charts(found))
    if STANDARD not in [output.target for output in made]:
        style = choose_style(arguments.color, arguments.width, STANDARD)
        made.append(Output(STANDARD, tuning_text(found, style, arguments.top)))
    return made


def _count(text: str) -> int:
    if not text.isdecimal() or len(text) > 18:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number")
    return int(text)


def _jobs(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= MOST_JOBS:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number from 1 to {MOST_JOBS}")
    return int(text)
