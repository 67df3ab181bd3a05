"""`kcc estimate FILE --gpu NAME`: how long kernels take on a GPU, from their source alone."""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING

from kcc.base.diagnostics import DiagnosticError, Span, render
from kcc.capture.log import is_capture
from kcc.commands.cache_options import add_cache_options, cache_options
from kcc.commands.charts import add_charts, chart_outputs, check_charts
from kcc.commands.clang import provide_clang
from kcc.commands.cluster import add_cluster, cluster_of
from kcc.commands.console import paint_messages, say
from kcc.commands.errors import UsageError, usage_error
from kcc.commands.gpu_options import read_assumptions
from kcc.commands.machine_code import asked_code, code_request
from kcc.commands.options import (
    GpuNames,
    Subparsers,
    add_argv,
    add_assumptions,
    add_code,
    add_compilation,
    add_console,
    add_launch,
    add_resume,
    add_source,
    build_options,
    single_source,
)
from kcc.commands.outputs import STANDARD, Output, check_targets, write_outputs
from kcc.commands.sources import SourceLines, read_source
from kcc.commands.stages import StageRunner
from kcc.frontend.options import BuildOptions, MacroOption, OptLevel, SourceText
from kcc.sim.caches.options import CacheOptions
from kcc.sim.estimate.hpca19_reading import AS_KCC, Code, Latency, Reading, Trace
from kcc.sim.machine.launch_overhead import LaunchWay

if TYPE_CHECKING:
    from kcc.base.gpu.description import GpuDescription
    from kcc.commands.estimate_sweep import Plan
    from kcc.commands.journal import Journal, Sweep
    from kcc.report.estimate.record import EstimateDocument, EstimateRecord
    from kcc.stages.analyze import AnalysisRequest

MODELS = ("pipeline", "pipeline-hpca19", "interval")
"""Those of :data:`kcc.stages.estimate.MODELS`, which takes long to import, and interval
analysis."""

ALL_MODELS = "all"
"""Each of them, side by side."""

_EXAMPLES = """examples:
  kcc estimate kernel.cl --gpu v100 --global 4096,4096 --local 16,16 --arg n=4096
  kcc estimate kernel.cl --gpu v100 --gpu a100 --json estimates.json
  kcc estimate kernel.cl --gpu all --csv gpus.csv --html gpus.html
  kcc estimate kernel.cl --gpu rtx3090 --global 2**20 --local 64 --local 128 --local 256
  kcc estimate kernel.cl --gpu rtx3090 --sweep TILE=8,16,32 --sweep UNROLL=1,2,4 --ablate
  kcc estimate gemm.cl --gpu a100 --sweep MWG=16,32,64 --jobs 4 --json gemm.json --resume
  kcc estimate kernels/matmul/matmul.cl --gpu h100 --size large"""

MOST_ADVISED = 8
"""Launches times GPUs up to which changes are looked for that would make a kernel faster."""

MOST_JOBS = 1024
"""More processes than any machine has cores for are a slip of the hand."""

_EXTENTS = ("global_sizes", "local_sizes", "grids", "blocks")
"""Options that may be given more than once, for all combinations of their values."""


def add_parser(subparsers: Subparsers[argparse.ArgumentParser]) -> None:
    """Add `kcc estimate`."""
    parser = subparsers.add_parser(
        "estimate",
        help="execution time of kernels on a GPU, from source alone",
        usage="kcc estimate FILE --gpu NAME [OPTION ...]",
        description="""\
Estimate the execution time of kernels on a GPU from source, launch and arguments,
without data and without a run.""",
        epilog=_EXAMPLES,
    )
    add_source(parser)
    add_compilation(parser, OptLevel.O2)
    add_argv(add_launch(parser))
    add_assumptions(parser)
    _add_model(parser)
    add_cache_options(parser)
    _add_sweep(parser)
    output = parser.add_argument_group("output")
    output.add_argument(
        "--json", metavar="FILE", help="write kcc/estimate/1; '-': to standard output, without text"
    )
    output.add_argument("--csv", metavar="FILE", help="write a row per estimate")
    output.add_argument("--html", metavar="FILE", help="write a self-contained HTML page")
    add_charts(output)
    add_console(parser)
    parser.set_defaults(run=run)


def _add_model(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("GPU and model")
    group.add_argument(
        "--gpu", dest="gpus", metavar="NAME[,NAME]", action=GpuNames, default=[],
        help="a GPU (see `kcc gpus`) or a file; 'all' cards, or 'simulated' machines; repeatable",
    )  # fmt: skip
    group.add_argument(
        "--set", dest="overrides", metavar="KEY=VALUE", action="append", default=[],
        help="change a value of the GPUs, e.g. l2.size_bytes=4194304 (repeatable)",
    )  # fmt: skip
    add_code(group)
    group.add_argument(
        "--model", choices=(*MODELS, ALL_MODELS), default=MODELS[0],
        help="the timing model, or all of them side by side (default: %(default)s)",
    )  # fmt: skip
    for option, kind, what in (
        ("--latency", Latency, "latency of memory times maximal over active warps, or the inverse"),
        ("--trace", Trace, "blocks in kcc's order, or by the text's Algorithms 1 to 3"),
        ("--instructions", Code, "kcc's lowering, or what the text's pruning leaves of the IR"),
    ):
        values = [each.value for each in kind]
        group.add_argument(
            option, choices=values, default=values[0],
            help=f"pipeline-hpca19: {what} (default: %(default)s)",
        )  # fmt: skip
    ways = [way.value for way in LaunchWay]
    group.add_argument(
        "--launches", choices=ways, default=ways[0],
        help="launch overhead: queued after another launch, a node of a graph, or with a host"
             " that synchronises after each (default: %(default)s)",
    )  # fmt: skip
    group.add_argument(
        "--ablate", action="store_true",
        help="estimate also without occupancy limits, uncoalesced access, caches, bank conflicts "
        "and memory latency, one at a time, and say how ranking and first choice change",
    )  # fmt: skip


def _add_sweep(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("sweeps")
    group.add_argument(
        "--sweep", dest="sweeps", metavar="NAME=V1,V2", action="append", default=[],
        help="estimate for each value of a macro; several sweeps, and --global, --local, --grid "
        "and --block given more than once, give all combinations",
    )  # fmt: skip
    group.add_argument(
        "--jobs", metavar="N", type=_positive, default=1,
        help="processes (default: %(default)s); results are the same",
    )  # fmt: skip
    add_cluster(group)
    add_resume(group)


def run(arguments: argparse.Namespace, sources: SourceLines) -> int:
    """Run the command; raises what :func:`kcc.cli.main` turns into messages."""
    from kcc.commands.journal import ESTIMATES, Journal, kept_in

    path = single_source(arguments.source)
    targets = [t for t in (arguments.json, arguments.csv, arguments.html) if t]
    check_targets(targets, path)
    check_charts(arguments)
    kept = kept_in(arguments, targets)
    stage = StageRunner()
    if is_capture(path):
        return _run_capture(arguments, sources, stage, targets)
    plan = _plan(arguments, path, sources, stage)
    keeps = kept is not None and plan.is_sweep and arguments.model != ALL_MODELS
    opened = (
        Journal(kept, plan.digest, ESTIMATES, resume=arguments.resume) if kept and keeps else None
    )
    with opened or nullcontext() as journal:
        try:
            records = _records(arguments, plan, stage, journal)
        except KeyboardInterrupt:
            if journal:
                say(f"\n{journal.path} has the finished estimates; --resume continues\n")
            raise
        write_outputs(_outputs(arguments, records, sources))
        if journal:
            journal.remove()
    if arguments.time:
        say(stage.table())
    return 0 if any(each.occupancy for each in records) else 1


def _run_capture(
    arguments: argparse.Namespace, sources: SourceLines, stage: StageRunner, targets: Sequence[str]
) -> int:
    """The same for the launches of a capture."""
    from kcc.commands.estimate_capture import captured_records

    if not arguments.gpus:
        raise usage_error("--gpu is missing", "`kcc gpus list` names GPUs")
    records = stage(
        "replay and model",
        lambda: captured_records(
            arguments, sources, _gpus(arguments), quiet=STANDARD in targets
        ),
    )  # fmt: skip
    write_outputs(_outputs(arguments, records, sources))
    if arguments.time:
        say(stage.table())
    return 0 if any(each.occupancy for each in records) else 1


def find(arguments: argparse.Namespace, sources: SourceLines) -> EstimateDocument:
    """All estimates that the command line asks for; raises :class:`DiagnosticError` and
    :class:`UsageError`."""
    from kcc.commands.estimate_settings import settings_of
    from kcc.report.estimate.record import EstimateDocument

    stage = StageRunner()
    plan = _plan(arguments, single_source(arguments.source), sources, stage)
    records = _records(arguments, plan, stage, None)
    return EstimateDocument(arguments.model, tuple(records), settings_of(arguments))


def _records(
    arguments: argparse.Namespace, plan: Plan, stage: StageRunner, journal: Journal[Sweep] | None
) -> list[EstimateRecord]:
    """Those of the model that is asked for, or of each model in turn: a model that refuses a kernel
    says so in its row.

    :raises DiagnosticError: where no model can say anything.
    """
    from kcc.commands.estimate_sweep import reason_of, run_plan
    from kcc.report.estimate.record import refused
    from kcc.stages.estimate import asked_configuration

    if arguments.model != ALL_MODELS:
        return run_plan(plan, arguments.jobs, stage, journal, cluster_of(arguments))
    found = list["EstimateRecord"]()
    errors = list[DiagnosticError]()
    for model in MODELS:
        each = replace(plan, question=replace(plan.question, model=model))
        try:
            records = run_plan(each, arguments.jobs, stage, None, cluster_of(arguments))
        except DiagnosticError as error:
            errors.append(error)
            place = asked_configuration(plan.requests[0])
            records = [refused(place, gpu.stem, reason_of(error)) for gpu in plan.gpus]
        found += [replace(record, model=model) for record in records]
    if len(errors) == len(MODELS):
        raise errors[0]
    kernels = list(dict.fromkeys(each.configuration.kernel for each in found))
    return sorted(found, key=lambda each: kernels.index(each.configuration.kernel))


def _outputs(
    arguments: argparse.Namespace, records: Sequence[EstimateRecord], sources: SourceLines
) -> list[Output]:
    from kcc.commands.estimate_settings import settings_of
    from kcc.report.estimate.ablation import ablations_of
    from kcc.report.estimate.files import estimates_csv, estimates_json
    from kcc.report.estimate.html import estimates_page
    from kcc.report.estimate.record import EstimateDocument
    from kcc.report.estimate.text import estimates_text

    ablations = ablations_of(records)
    document = EstimateDocument(arguments.model, tuple(records), settings_of(arguments))
    names = {each.configuration.source for each in records}
    names |= {at.file for each in records for at in each.lines if at.file}
    texts = {name: list(sources.get(name, ())) for name in names}
    makers = (
        (arguments.json, lambda: estimates_json(document, ablations)),
        (arguments.csv, lambda: estimates_csv(records)),
        (arguments.html, lambda: estimates_page(document, ablations, texts)),
    )
    outputs = [Output(target, make()) for target, make in makers if target]
    if arguments.charts:
        from kcc.report.estimate.charts import estimate_charts

        outputs += chart_outputs(arguments.charts, estimate_charts(records, texts))
    if STANDARD not in [output.target for output in outputs]:
        outputs.append(Output(STANDARD, estimates_text(records, ablations, texts)))
    return outputs


# what is asked for


def _plan(
    arguments: argparse.Namespace, path: str, sources: SourceLines, stage: StageRunner
) -> Plan:
    from kcc.commands.estimate_sweep import Plan
    from kcc.stages.analyze import warp_size
    from kcc.stages.estimate import ABLATED_MODELS, Question

    if not arguments.gpus:
        raise usage_error("--gpu is missing", "`kcc gpus list` names GPUs")
    if arguments.model == ALL_MODELS and (arguments.warm or arguments.resume):
        raise usage_error("--warm, --resume: for one model, not for all")
    if arguments.ablate and arguments.model not in ABLATED_MODELS:
        raise usage_error(f"--ablate: the model '{arguments.model}' has nothing to switch off")
    if arguments.warm and arguments.model == "interval":
        raise usage_error("--warm: the model 'interval' begins with cold caches")
    caches = cache_options(arguments)
    if arguments.model in {"interval", ALL_MODELS} and caches != CacheOptions():
        raise usage_error(
            "the model 'interval' runs its own caches: --caches, --cache-trials, --seed, "
            "--interleaving and --cache-in-full are not for it"
        )
    gpus = stage("gpus", lambda: _gpus(arguments))
    requests = stage("read", lambda: requests_of(arguments, path, sources))
    choice = asked_code(arguments)
    asked = {gpu.stem: code_request(choice, gpu) for gpu in gpus}
    codes = {name: code for name, code in asked.items() if code is not None}
    question = Question(
        arguments.model, arguments.ablate, caches, LaunchWay(arguments.launches), codes,
        code_needed=choice == "compiler", advise=len(requests) * len(gpus) <= MOST_ADVISED,
        reading=_reading(arguments),
    )  # fmt: skip
    warps = {warp_size(gpu) for gpu in gpus}
    if len(warps) == 1:
        requests = [replace(each, warp=min(warps)) for each in requests]
    return Plan(tuple(requests), tuple(gpus), question)


def _reading(arguments: argparse.Namespace) -> Reading:
    """Of the text of `pipeline-hpca19`; a usage error where another model is asked."""
    found = Reading(
        Latency(arguments.latency), Trace(arguments.trace), Code(arguments.instructions)
    )
    if found != AS_KCC and arguments.model != "pipeline-hpca19":
        raise usage_error("--latency, --trace, --instructions go with --model pipeline-hpca19")
    return found


def _gpus(arguments: argparse.Namespace) -> list[GpuDescription]:
    from kcc.base.gpu.loading import load_gpu, named_gpus

    names = list[str]()
    for name in arguments.gpus:
        names += named_gpus(name)
    found = [load_gpu(name, arguments.overrides) for name in dict.fromkeys(names)]
    return list({gpu.stem: gpu for gpu in found}.values())


def requests_of(
    arguments: argparse.Namespace, path: str, sources: SourceLines
) -> list[AnalysisRequest]:
    """A request for each combination of macros and launches; those of the same macros together."""
    from kcc.commands.host_launches import remarks_on
    from kcc.stages.analyze import RegisterRequest

    source = read_source(path)
    sources.add(source.name, source.text)
    assumptions = read_assumptions(arguments.assumptions, sources)
    options = build_options(arguments)
    provide_clang(source, options, arguments.frontend)
    found = list["AnalysisRequest"]()
    for macros in _macros(arguments.sweeps, sources):
        for launch in _launches(arguments):
            every = replace(options, macros=(*options.macros, *macros))
            found.append(_request(launch, source, path, every, sources))
    _warn_of_unused(found, source, sources)
    for remark in dict.fromkeys(r for each in found for r in remarks_on(each.launches)):
        say(f"kcc: remark: {remark}\n")
    return [replace(each, registers=RegisterRequest(), assumptions=assumptions) for each in found]


def _warn_of_unused(
    requests: Sequence[AnalysisRequest], source: SourceText, sources: SourceLines
) -> None:
    """Say which macros no line uses and which names have no value, once for all combinations."""
    from kcc.frontend import is_python_kernel
    from kcc.frontend.preprocessor.unused_macros import unused_macros
    from kcc.stages.argument_words import unvalued_names

    plain = [each for each in requests if not is_python_kernel(each.source.name)]
    macros = dict.fromkeys(macro for each in plain for macro in each.options.macros)
    lines = source.text.split("\n")
    found = unused_macros(macros, {source.name: lines})
    found += [name for each in requests for name in unvalued_names(each, lines)]
    texts = dict.fromkeys(render(each, sources) + "\n" for each in found)
    say(paint_messages("".join(texts), sys.stderr))


def _request(
    arguments: argparse.Namespace, source: SourceText, path: str, options: BuildOptions,
    sources: SourceLines,
) -> AnalysisRequest:  # fmt: skip
    from kcc.commands.host_launches import launches_of_host
    from kcc.commands.workloads import survey
    from kcc.stages.analyze import AnalysisRequest

    around = survey(arguments, path, options, sources)
    launches = around.launches or launches_of_host(
        source, around.other_launch, arguments.argv.split(), next(iter(_gpus(arguments)), None)
    )
    return AnalysisRequest(
        source=source,
        options=around.options,
        frontend=arguments.frontend,
        kernels=tuple(arguments.kernels),
        launches=launches,
        other_launch=around.other_launch,
        arguments=around.arguments,
        remarks=around.remarks,
    )


def _macros(texts: Sequence[str], sources: SourceLines) -> list[tuple[MacroOption, ...]]:
    """All combinations of the values of the macros that are swept."""
    from kcc.base.launch_language import parse_sweep

    sources.add("--sweep", "\n".join(texts))
    try:
        sweeps = [parse_sweep(t, Span("--sweep", n, 1)) for n, t in enumerate(texts, start=1)]
    except DiagnosticError as error:
        raise UsageError(error.diagnostics) from error
    names = [sweep.name for sweep in sweeps]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise usage_error(f"--sweep {twice} is given twice", f"write {twice}=8,16,32")
    axes = [[MacroOption(sweep.name, value) for value in sweep.values] for sweep in sweeps]
    return list(itertools.product(*axes))


def _launches(arguments: argparse.Namespace) -> Iterator[argparse.Namespace]:
    """The arguments with each combination of launch sizes: every option given once."""
    axes = [[[value] for value in getattr(arguments, name)] or [[]] for name in _EXTENTS]
    for sizes in itertools.product(*axes):
        yield argparse.Namespace(**vars(arguments) | dict(zip(_EXTENTS, sizes, strict=True)))


def _positive(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= MOST_JOBS:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number from 1 to {MOST_JOBS}")
    return int(text)
