"""`kcc explore FILE.cl --gpu NAME`: the same from a kernel's source, without data or a run."""

from __future__ import annotations

import argparse

from kcc.base.scratch import scratch_folder
from kcc.commands.console import say
from kcc.commands.exploring import (
    Launches,
    add_exploration,
    add_exploration_output,
    check_exploration,
    explore,
    write_exploration,
)
from kcc.commands.interval_options import add_interval
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
  kcc explore vecadd.cl --global 2**20 --arg n=2**20 --gpu a100 --what-if
  kcc explore kernels/nw/nw.cl --size large --gpu v100 --sweep warps=16,32,64
  kcc explore kernels/bfs/bfs.cl --profile bfs.json --gpu gpumech --sweep mshrs=16,64

short keys of --sweep: warps, mshrs, bandwidth (GB/s), l1, l2 (bytes), sms, scheduler"""


def source_parser(prog: str) -> Parser:
    """The options of `kcc explore` for a kernel source."""
    parser = Parser(
        prog=prog,
        usage="kcc explore FILE.cl --gpu NAME (--sweep KEY=V1,V2 | --what-if) [OPTION ...]",
        description="Predict how long each kernel of a source takes on many variants of a GPU,\n"
        "from its source, launch and scalar arguments (as `kcc trace FILE.cl`); or ask which\n"
        "change helps most.",
        epilog=_EXAMPLES,
    )
    add_source(parser)
    add_compilation(parser, OptLevel.O2)
    add_launch(parser)
    add_assumptions(parser)
    add_observed(parser)
    add_exploration(parser)
    add_interval(parser)
    add_exploration_output(parser)
    add_console(parser)
    parser.set_defaults(run=run)
    return parser


def run(arguments: argparse.Namespace, sources: SourceLines) -> int:
    """Run the command; raises what :func:`kcc.cli.main` turns into messages."""
    from kcc.stages.static_tracing import kernel_registers, trace_source

    path = single_source(arguments.source)
    targets = check_exploration(arguments, path)
    stage = StageRunner()
    request, remarks = stage("read", lambda: static_request(arguments, path, sources))
    profile = stage("read", lambda: observed_profile(arguments.profile))
    with scratch_folder() as folder:
        trace = folder / "trace.kct"
        traced = trace_source(
            request, trace, width=arguments.warp_size, profile=profile, stage=stage
        )
        registers = kernel_registers(request, stage)
        notes = (*remarks, *assumed_notes(traced))
        launches = Launches(str(trace), registers)
        found = stage("explore", lambda: explore(arguments, path, launches, notes))
    write_messages((*traced.warnings, *traced.failures), sources)
    write_exploration(arguments, targets, found)
    if arguments.time:
        say(stage.table())
    return 1 if traced.failures else 0
