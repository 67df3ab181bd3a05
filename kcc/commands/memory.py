"""`kcc memory FILE --gpu NAME`: hit rates and latencies of loads as distributions."""

from __future__ import annotations

import argparse

from kcc.commands.errors import usage_error
from kcc.commands.hosts import add_script, script_exit_code
from kcc.commands.launch_choice import add_launch_choice
from kcc.commands.memory_options import (
    add_memory,
    add_memory_output,
    check_memory,
    model_memory,
    write_memory,
)
from kcc.commands.memory_source import source_parser
from kcc.commands.options import Parser, Subparsers, add_console
from kcc.commands.outputs import STANDARD
from kcc.commands.sources import SourceLines
from kcc.commands.static_trace import SOURCE_SUFFIXES
from kcc.commands.traced import launches_of

_EXAMPLES = """examples:
  kcc memory kernels/spmv/workload.py --gpu c2050-baghsorkhi
  kcc memory spmv.kct --gpu v100 --until 0.5% --jobs 2
  kcc memory spmv.kct --gpu all --trials 8
  kcc memory spmv.kct --gpu a100 --what-if --html spmv.html
  kcc memory kernels/matmul/matmul.cl --size large --gpu v100
                                                 without a run; see `kcc memory FILE.cl --help`
  kcc memory traces/kernelslist.g --gpu accelsim-sm7-qv100"""


def add_parser(subparsers: Subparsers[argparse.ArgumentParser]) -> None:
    """Add `kcc memory`."""
    parser = subparsers.add_parser(
        "memory",
        help="hit rates and latencies of loads over random orders of warps",
        usage="kcc memory FILE --gpu NAME [OPTION ...] [-- ARG ...]\n"
        "       kcc memory FILE.cl --gpu NAME [OPTION ...]",
        description="""\
Monte-Carlo model of the memory hierarchy over random orders of warps (Baghsorkhi
et al., PPoPP 2012): hit rates, and latency of each load, with mean and deviation. For
the launches of a PyOpenCL script, of a trace (.kct), of a list of Accel-Sim traces
(kernelslist.g), or of a kernel source without a run (`kcc memory FILE.cl --help`).""",
        epilog=_EXAMPLES,
    )
    add_script(parser, also="; or a trace (.kct); or a list of Accel-Sim's traces (kernelslist.g)")
    assert isinstance(parser, Parser)
    parser.other = source_parser, SOURCE_SUFFIXES
    add_launch_choice(add_memory(parser))
    add_memory_output(parser)
    add_console(parser, stages=False)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace, sources: SourceLines) -> int:
    """Run the command; raises what :func:`kcc.cli.main` turns into messages."""
    path = arguments.script
    targets = check_memory(arguments, path)
    try:
        with launches_of(arguments, sources, quiet=STANDARD in targets) as launches:
            found = model_memory(arguments, path, launches, sources)
    except SystemExit as end:
        return script_exit_code(end)
    if not found.runs[0].results:
        raise usage_error("no launch is there, or none that is asked for")
    write_memory(arguments, targets, found)
    return 0
