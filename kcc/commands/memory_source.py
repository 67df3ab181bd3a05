"""`kcc memory FILE.cl --gpu NAME`: the same from a kernel's source, without data or a run."""

from __future__ import annotations

import argparse
import sys

from kcc.base.scratch import scratch_folder
from kcc.commands.memory_options import (
    Launches,
    add_memory,
    add_memory_output,
    check_memory,
    model_memory,
    write_memory,
)
from kcc.commands.options import (
    Parser,
    add_assumptions,
    add_compilation,
    add_console,
    add_launch,
    add_source,
    single_source,
)
from kcc.commands.sources import SourceLines
from kcc.commands.stages import StageRunner
from kcc.commands.static_trace import (
    add_observed,
    assumed_notes,
    observed_profile,
    static_request,
    write_messages,
)
from kcc.frontend.options import OptLevel

_EXAMPLES = """examples:
  kcc memory vecadd.cl --global 2**20 --arg n=2**20 --gpu a100
  kcc memory kernels/matmul/matmul.cl --kernel matmul_naive --gpu c2050-baghsorkhi --html mm.html
  kcc memory kernels/bfs/bfs.cl --profile bfs.json --gpu v100

Addresses that memory decides are assumed, as `kcc trace FILE.cl` says."""


def source_parser(prog: str) -> Parser:
    """The options of `kcc memory` for a kernel source."""
    parser = Parser(
        prog=prog,
        usage="kcc memory FILE.cl --gpu NAME [OPTION ...]",
        description="Hit rates of caches and latencies of loads over many orders of warps, from a\n"
        "kernel's source, launch and scalar arguments (as `kcc trace FILE.cl`).",
        epilog=_EXAMPLES,
    )
    add_source(parser)
    add_compilation(parser, OptLevel.O2)
    add_launch(parser)
    add_assumptions(parser)
    add_observed(parser)
    add_memory(parser)
    add_memory_output(parser)
    add_console(parser)
    parser.set_defaults(run=run)
    return parser


def run(arguments: argparse.Namespace, sources: SourceLines) -> int:
    """Run the command; raises what :func:`kcc.cli.main` turns into messages."""
    from kcc.stages.static_tracing import kernel_registers, trace_source

    path = single_source(arguments.source)
    targets = check_memory(arguments, path)
    stage = StageRunner()
    request, remarks = stage("read", lambda: static_request(arguments, path, sources))
    profile = stage("read", lambda: observed_profile(arguments.profile))
    with scratch_folder() as folder:
        trace = folder / "trace.kct"
        traced = trace_source(
            request, trace, width=arguments.warp_size, profile=profile, stage=stage
        )
        launches = Launches(str(trace), kernel_registers(request, stage))
        notes = (*remarks, *assumed_notes(traced))
        found = stage("memory", lambda: model_memory(arguments, path, launches, sources, notes))
    write_messages((*traced.warnings, *traced.failures), sources)
    write_memory(arguments, targets, found)
    if arguments.time:
        sys.stderr.write(stage.table())
    return 1 if traced.failures else 0
