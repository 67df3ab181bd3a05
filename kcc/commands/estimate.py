"""`kcc estimate FILE --gpu NAME`: how long kernels take on a GPU, from their source alone."""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from kcc.commands.clang import provide_clang
from kcc.commands.console import is_terminal, paint_messages
from kcc.commands.errors import usage_error
from kcc.commands.gpu_options import read_assumptions, register_request
from kcc.commands.options import (
    REGISTER_SOURCES,
    Subparsers,
    add_assumptions,
    add_compilation,
    add_console,
    add_launch,
    add_source,
    build_options,
    single_source,
)
from kcc.commands.outputs import STANDARD, Output, check_targets, write_outputs
from kcc.commands.sources import SourceLines, read_source
from kcc.commands.stages import StageRunner
from kcc.diagnostics import DiagnosticError, render
from kcc.frontend.options import MacroOption, OptLevel

if TYPE_CHECKING:
    from kcc.estimating import KernelEstimate
    from kcc.gpu.description import GpuDescription
    from kcc.pipeline import AnalysisRequest

_EXAMPLES = """examples:
  kcc estimate kernel.cl --gpu v100 --global 4096,4096 --local 16,16 --arg n=4096
  kcc estimate kernel.cl --gpu v100 --gpu a100 --json estimates.json
  kcc estimate kernel.cl --gpu all --csv gpus.csv
  kcc estimate kernel.cl --gpu rtx3090 --sweep TILE=8,16,32 --sweep UNROLL=1,2,4
  kcc estimate kernels/matmul/matmul.cl --gpu h100 --size large"""


def add_parser(subparsers: Subparsers[argparse.ArgumentParser]) -> None:
    """Add `kcc estimate`."""
    parser = subparsers.add_parser(
        "estimate",
        help="how long kernels take on a GPU, from their source alone",
        usage="kcc estimate FILE --gpu NAME [OPTION ...]",
        description="Estimate the execution time of kernels on a GPU, from source, launch and\n"
        "arguments, without data and without running anything.",
        epilog=_EXAMPLES,
    )
    add_source(parser)
    add_compilation(parser, OptLevel.O2)
    add_launch(parser)
    add_assumptions(parser)
    group = parser.add_argument_group("GPU and model")
    group.add_argument(
        "--gpu", dest="gpus", metavar="NAME", action="append", default=[],
        help="a GPU (see `kcc gpus list`), a file, or 'all'; repeatable",
    )  # fmt: skip
    group.add_argument(
        "--set", dest="overrides", metavar="KEY=VALUE", action="append", default=[],
        help="change a value of the GPUs, e.g. l2.size_bytes=4194304 (repeatable)",
    )  # fmt: skip
    group.add_argument("--registers", choices=REGISTER_SOURCES, help="where registers are counted")
    group.add_argument(
        "--sweep", dest="sweeps", metavar="NAME=V1,V2", action="append", default=[],
        help="estimate for each value of a macro; several sweeps give all combinations",
    )  # fmt: skip
    output = parser.add_argument_group("output")
    output.add_argument("--json", metavar="FILE", help="write kcc/estimate/1; '-' in place of text")
    output.add_argument("--csv", metavar="FILE", help="write a row for each estimate")
    add_console(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace, sources: SourceLines) -> int:
    """Run the command; raises what :func:`kcc.cli.main` turns into messages."""
    path = single_source(arguments.source)
    targets = [t for t in (arguments.json, arguments.csv) if t]
    check_targets(targets, path)
    if not arguments.gpus:
        raise usage_error("--gpu is missing: what to estimate for", "`kcc gpus list` names GPUs")
    stage = StageRunner()
    gpus = stage("gpus", lambda: _gpus(arguments))
    requests = stage("read", lambda: _requests(arguments, path, sources))
    found, messages = _estimates(requests, gpus, stage, sources)
    write_outputs(_outputs(arguments, found, targets, sources))
    sys.stderr.write(paint_messages(messages, sys.stderr))
    if arguments.time:
        sys.stderr.write(stage.table())
    return 0 if found else 1


def _gpus(arguments: argparse.Namespace) -> list[GpuDescription]:
    from kcc.gpu.loading import gpu_names, load_gpu

    names = list[str]()
    for name in arguments.gpus:
        names += gpu_names() if name == "all" else [name]
    return [load_gpu(name, arguments.overrides) for name in dict.fromkeys(names)]


def _requests(
    arguments: argparse.Namespace, path: str, sources: SourceLines
) -> list[AnalysisRequest]:
    from kcc.commands.workloads import survey
    from kcc.pipeline import AnalysisRequest

    source = read_source(path)
    sources.add(source.name, source.text)
    arguments.gpu = None if arguments.registers == "ptxas" else arguments.gpus[0]
    registers = register_request(arguments)
    found = list[AnalysisRequest]()
    for macros in _combinations(arguments.sweeps):
        options = build_options(arguments)
        options = replace(options, macros=(*options.macros, *macros))
        surroundings = survey(arguments, path, options, sources)
        provide_clang(source, surroundings.options, arguments.frontend)
        request = AnalysisRequest(
            source=source,
            options=surroundings.options,
            frontend=arguments.frontend,
            kernels=tuple(arguments.kernels),
            launches=surroundings.launches,
            other_launch=surroundings.other_launch,
            arguments=surroundings.arguments,
            remarks=surroundings.remarks,
            assumptions=read_assumptions(arguments.assumptions, sources),
            registers=registers,
        )
        found.append(request)
    return found


def _combinations(sweeps: Sequence[str]) -> Iterator[tuple[MacroOption, ...]]:
    axes = list[list[MacroOption]]()
    for sweep in sweeps:
        name, equals, values = sweep.partition("=")
        if not name.isidentifier() or not equals or not values:
            raise usage_error(f"--sweep {sweep} is not NAME=VALUE,VALUE,...")
        axes.append([MacroOption(name, value) for value in values.split(",")])
    return itertools.product(*axes)


def _estimates(
    requests: Sequence[AnalysisRequest], gpus: Sequence[GpuDescription], stage: StageRunner,
    sources: SourceLines,
) -> tuple[list[KernelEstimate], str]:  # fmt: skip
    """All estimates; in a sweep, what cannot be compiled is left out with its message."""
    from kcc.estimating import KernelEstimate, estimate_source

    found, messages = list[KernelEstimate](), ""
    shown = len(requests) > 1 and is_terminal(sys.stderr)
    for number, request in enumerate(requests, start=1):
        try:
            found += estimate_source(request, gpus, stage)
        except DiagnosticError as error:
            if len(requests) == 1:
                raise
            messages += "".join(render(d, sources) + "\n" for d in error.diagnostics)
        if shown:
            sys.stderr.write(f"\r{number} of {len(requests)} configurations")
    if shown:
        sys.stderr.write("\n")
    return found, messages


def _outputs(
    arguments: argparse.Namespace, found: Sequence[KernelEstimate], targets: Sequence[str],
    sources: SourceLines,
) -> list[Output]:  # fmt: skip
    from kcc.report.estimates import estimate_csv, estimate_json, estimate_text

    outputs = list[Output]()
    if arguments.json:
        outputs.append(Output(arguments.json, estimate_json(found, "pipeline")))
    if arguments.csv:
        outputs.append(Output(arguments.csv, estimate_csv(found)))
    if STANDARD not in targets and found:
        texts = {each.source: list(sources[each.source]) for each in found}
        outputs.append(Output(STANDARD, estimate_text(found, texts)))
    return outputs
