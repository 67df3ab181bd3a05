"""`kcc trace FILE.cl -o FILE.kct`: what the warps of a kernel will do, from the source alone."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from kcc.base.diagnostics import Diagnostic, render
from kcc.commands.accelsim import add_format, trace_target
from kcc.commands.clang import provide_clang
from kcc.commands.console import paint_messages, say
from kcc.commands.errors import usage_error
from kcc.commands.gpu_options import read_assumptions
from kcc.commands.hosts import WARP_SIZES, lanes_of_warp
from kcc.commands.options import (
    Parser,
    add_argv,
    add_assumptions,
    add_compilation,
    add_compiled_for,
    add_console,
    add_launch,
    add_source,
    build_options,
    single_source,
)
from kcc.commands.outputs import STANDARD, check_targets, write_standard
from kcc.commands.sources import SourceLines, read_source
from kcc.commands.stages import StageRunner
from kcc.frontend import CUDA_ENDINGS
from kcc.frontend.options import OptLevel

if TYPE_CHECKING:
    from kcc.base.gpu.description import GpuDescription
    from kcc.base.profile.model import Profile
    from kcc.stages.analyze import AnalysisRequest
    from kcc.stages.static_tracing import StaticTraces, TracedKernel

SOURCE_SUFFIXES = (".cl", *CUDA_ENDINGS, ".ll", ".bc", ".ptx")

MAX_NOTES = 12
"""Assumptions that are listed for each kernel; of more, their number is said."""

_EXAMPLES = """examples:
  kcc trace vecadd.cl --global 2**20 --local 256 --arg n=2**20 -o vecadd.kct
  kcc trace kernels/nw/nw.cl --size large -o nw.kct        sizes and arguments of kernel.toml
  kcc trace kernels/bfs/bfs.cl --assume loop@22=6 --assume branch@18=0.1 -o bfs.kct
  kcc trace kernels/bfs/bfs.cl --size large --profile bfs.json -o bfs.kct
  kcc trace mm.cl --global n,n --local 16,16 --size n=4096 --arg 'a=float[n*n]' -o mm.kct
  kcc trace --show nw.kct --block 3 --warp 0               what one warp does"""


def static_parser(prog: str) -> Parser:
    """The options of `kcc trace` for a kernel source."""
    parser = Parser(
        prog=prog,
        usage="kcc trace FILE.cl -o FILE.kct [OPTION ...]",
        description="""\
Write a trace of every warp of a kernel from source, launch and scalar arguments,
without data and without a run. Data-dependent control flow and addresses are assumed,
marked and counted.""",
        epilog=_EXAMPLES,
    )
    add_source(parser)
    parser.add_argument("-o", dest="output", metavar="FILE", help="the trace to write")
    add_compilation(parser, OptLevel.O2)
    add_argv(add_launch(parser))
    add_assumptions(parser)
    add_observed(parser)
    add_compiled_for(parser)
    add_format(parser)
    add_console(parser)
    parser.set_defaults(run=run)
    return parser


def add_observed(parser: argparse.ArgumentParser) -> None:
    """What the source does not tell of warps: what memory decides, and how many lanes they have."""
    parser.add_argument_group("data-dependent behaviour").add_argument(
        "--profile",
        metavar="FILE",
        help="as in the runs of this profile (of `kcc profile --json`), all launches of a kernel\n"
        "taken together; --assume comes first",
    )
    parser.add_argument_group("warps").add_argument(
        "--warp-size",
        type=int,
        choices=WARP_SIZES,
        help="lanes of a warp (default: those of the GPU, where one is named, else 32)",
    )


def run(arguments: argparse.Namespace, sources: SourceLines) -> int:
    """Run the command; raises what :func:`kcc.cli.main` turns into messages."""
    from kcc.stages.static_tracing import trace_source

    path = single_source(arguments.source)
    if not arguments.output:
        raise usage_error("-o FILE is missing")
    if arguments.output == STANDARD:
        raise usage_error("a trace cannot go to standard output", "-o FILE names a file")
    check_targets([arguments.output], path)
    stage = StageRunner()
    request, remarks = stage("read", lambda: static_request(arguments, path, sources))
    profile = stage("read", lambda: observed_profile(arguments.profile))
    width = lanes_of_warp(arguments)
    with trace_target(arguments) as target:
        found = trace_source(request, target, width=width, profile=profile, stage=stage)
    write_messages((*found.warnings, *found.failures), sources)
    write_standard(
        "".join(f"{remark}\n" for remark in remarks) + _written(Path(arguments.output), found)
    )
    if arguments.time:
        say(stage.table())
    return 1 if found.failures else 0


def write_messages(said: Iterable[Diagnostic], sources: SourceLines) -> None:
    """Warnings and failures that do not end the command, on standard error."""
    messages = "".join(render(each, sources) + "\n" for each in said)
    say(paint_messages(messages, sys.stderr))


def observed_profile(path: str | None) -> Profile | None:
    """The profile that --profile names."""
    from kcc.base.profile.document import read_profile

    return None if path is None else read_profile(path)


def static_request(
    arguments: argparse.Namespace, path: str, sources: SourceLines
) -> tuple[AnalysisRequest, tuple[str, ...]]:
    """What is to be traced, and where it comes from in words."""
    from kcc.commands.host_launches import launches_of_host, remarks_on
    from kcc.commands.workloads import survey
    from kcc.stages.analyze import AnalysisRequest

    source = read_source(path)
    sources.add(source.name, source.text)
    surroundings = survey(arguments, path, build_options(arguments), sources)
    launches = surroundings.launches or launches_of_host(
        source, surroundings.other_launch, getattr(arguments, "argv", "").split(),
        first_gpu(arguments),
    )  # fmt: skip
    provide_clang(source, surroundings.options, arguments.frontend)
    request = AnalysisRequest(
        source=source,
        options=surroundings.options,
        frontend=arguments.frontend,
        kernels=tuple(arguments.kernels),
        launches=launches,
        other_launch=surroundings.other_launch,
        arguments=surroundings.arguments,
        assumptions=read_assumptions(getattr(arguments, "assumptions", ()), sources),
    )
    return request, (*surroundings.remarks, *remarks_on(launches))


def first_gpu(arguments: argparse.Namespace) -> GpuDescription | None:
    """The GPU that a host is asked to run on: the first of --gpu."""
    from kcc.base.gpu.loading import load_gpu, named_gpus

    names = [name for each in getattr(arguments, "gpus", ()) for name in named_gpus(each)]
    return load_gpu(names[0], getattr(arguments, "overrides", ())) if names else None


def assumed_notes(traced: StaticTraces) -> list[str]:
    """What of the traces no source tells."""
    notes = list[str]()
    for each in traced.kernels:
        summary = each.summary
        if each.assumed_launch:
            notes.append(f"{each.kernel}: the local size is assumed")
        if each.unset:
            notes.append(f"{each.kernel}: no value is given for {', '.join(each.unset)}")
        if summary.assumed_events or summary.notes:
            share = 100 * summary.assumed_events / max(summary.totals.segments, 1)
            notes.append(f"{each.kernel}: {share:.1f} % of the segments executed are assumed")
    return notes


def _written(target: Path, found: StaticTraces) -> str:
    from kcc.report.execution.traces import counted, size_text

    launches = counted(len(found.kernels), "launch", "es")
    missing = ", not all kernels of the source" if found.failures else ""
    lines = [f"{target}: {launches}, {size_text(found.bytes_written)}{missing}"]
    for each in found.kernels:
        lines += _kernel(each, found.is_folded)
    return "\n".join(lines) + "\n"


def _kernel(traced: TracedKernel, is_folded: bool) -> list[str]:
    from kcc.report.execution.traces import counted

    found, totals = traced.summary, traced.summary.totals
    lines = [
        f"  {traced.number} {traced.kernel}: "
        + ", ".join(
            (
                f"{counted(found.warps, 'warp')} in {counted(found.classes, 'class', 'es')}",
                counted(totals.warp_instructions, "warp instruction"),
                counted(totals.accesses, "access", "es"),
            )
        )
    ]
    if traced.assumed_launch:
        lines.append("    the local size is assumed")
    if traced.unsized:
        lines.append(f"    no size is given for {', '.join(traced.unsized)}: kept far apart")
    if traced.unset:
        lines.append(f"    no value is given for {', '.join(traced.unset)}")
    if not (found.assumed_events or found.notes):
        same = "as a run, but for functions of constants" if is_folded else "identical to a run"
        lines.append(f"    nothing is assumed: {same}")
        return lines
    share = 100 * found.assumed_events / max(totals.segments, 1)
    lines.append(f"    assumed: {share:.1f} % of the {totals.segments:,} segments executed")
    lines += [f"      line {line}: {what}" for line, what in found.notes[:MAX_NOTES]]
    if len(found.notes) > MAX_NOTES:
        lines.append(f"      and {len(found.notes) - MAX_NOTES} more")
    return lines
