"""`kcc explore FILE --gpu NAME`: variants of a GPU by interval analysis, and what helps most."""

from __future__ import annotations

import argparse

from kcc.commands.errors import usage_error
from kcc.commands.explore_source import source_parser
from kcc.commands.exploring import (
    add_exploration,
    add_exploration_output,
    check_exploration,
    explore,
    write_exploration,
)
from kcc.commands.hosts import add_script, script_exit_code
from kcc.commands.interval_options import add_interval
from kcc.commands.launch_choice import add_launch_choice
from kcc.commands.options import Parser, Subparsers, add_console
from kcc.commands.outputs import STANDARD
from kcc.commands.sources import SourceLines
from kcc.commands.static_trace import SOURCE_SUFFIXES
from kcc.commands.traced import launches_of

_EXAMPLES = """examples:
  kcc explore bfs.kct --gpu v100 --what-if
  kcc explore bfs.kct --gpu gpumech --sweep warps=8,16,32,48 --svg warps.svg
  kcc explore bfs.kct --gpu gpumech --sweep mshrs=16,32,64,128 --sweep bandwidth=96,192
  kcc explore kernels/spmv/workload.py --gpu a100 --sweep l2.size_bytes=5242880,41943040
  kcc explore bfs.kct --gpu gpumech --sweep warps=8,32 --cycle all --html bfs.html
  kcc explore kernels/nw/nw.cl --size large --gpu a100 --what-if
                                                 without a run; see `kcc explore FILE.cl --help`

short keys of --sweep: warps, mshrs, bandwidth (GB/s), l1, l2 (bytes), sms, scheduler"""


def add_parser(subparsers: Subparsers[argparse.ArgumentParser]) -> None:
    """Add `kcc explore`."""
    parser = subparsers.add_parser(
        "explore",
        help="design-space exploration of GPUs by interval analysis",
        usage="kcc explore FILE --gpu NAME (--sweep KEY=V1,V2 | --what-if) [OPTION ...]\n"
        "       kcc explore FILE.cl --gpu NAME (--sweep KEY=V1,V2 | --what-if) [OPTION ...]",
        description="""\
Predict time and CPI stacks of the launches of a PyOpenCL script or a trace (.kct)
on many variants of a GPU, or rank which change gains most. Also for a kernel source
without a run (`kcc explore FILE.cl --help`).""",
        epilog=_EXAMPLES,
    )
    add_script(parser, also="; or a trace (.kct)")
    assert isinstance(parser, Parser)
    parser.other = source_parser, SOURCE_SUFFIXES
    group = add_exploration(parser)
    add_launch_choice(group, rest="")
    add_interval(parser)
    add_exploration_output(parser)
    add_console(parser, stages=False)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace, sources: SourceLines) -> int:
    """Run the command; raises what :func:`kcc.cli.main` turns into messages."""
    path = arguments.script
    targets = check_exploration(arguments, path)
    if path.endswith(".g"):
        raise usage_error("kcc explore takes a script or a trace of kcc, no list of traces")
    try:
        with launches_of(arguments, sources, quiet=STANDARD in targets) as launches:
            found = explore(arguments, path, launches)
    except SystemExit as end:
        return script_exit_code(end)
    write_exploration(arguments, targets, found)
    return 0
