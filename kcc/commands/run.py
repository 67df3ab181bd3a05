"""`kcc run FILE.py`: run a PyOpenCL-style script on the CPU, and count what its kernels do."""

from __future__ import annotations

import argparse

from kcc.commands.hosts import (
    add_script,
    check_script,
    host_settings,
    run_host,
    script_exit_code,
)
from kcc.commands.options import Parser, Subparsers, add_compiled_for, add_debug
from kcc.commands.outputs import STANDARD, Output, check_targets, write_outputs
from kcc.commands.source_runs import offer_sources
from kcc.commands.sources import SourceLines

_EXAMPLES = """examples:
  kcc run kernels/bfs/workload.py                a workload, its results checked
  kcc run kernels/bfs/workload.py --size large --seed 2
  kcc run script.py -- --steps 100               any script that uses PyOpenCL, unchanged
  kcc run script.py --launches                   each launch, not only each kernel
  kcc run script.py --races                      detect data races
  kcc run script.py --check                      detect uses of uninitialised values
  kcc run script.py --json counts.json
  kcc run vecadd.ptx --global 1024 --arg ...     a source; see `kcc run FILE.cl --help`"""

_SOURCE_EXAMPLES = """examples:
  kcc run kernels/vecadd/vecadd.cl                sizes and arguments of kernel.toml
  kcc run vecadd.ptx --global 1024 --block 256 --arg 0=float[1024]=iota --arg 1=float[1024]=1 \\
      --arg 2=float[1024] --arg 3=1024 --save 2=c.npy
  kcc run kernel.py:axpy --signature 'float32,float32[::1],float32[::1]' --grid 4 --block 256 \\
      --arg a=2 --arg 'x=float[1000]=random(1)' --arg 'y=float[1000]' --save y=y.npy"""


def add_parser(subparsers: Subparsers[argparse.ArgumentParser]) -> None:
    """Add `kcc run`."""
    parser = subparsers.add_parser(
        "run",
        help="run a PyOpenCL script on the CPU and count instructions",
        usage="kcc run FILE [OPTION ...] [-- ARG ...]",
        description="Run a PyOpenCL script without a GPU: its kernels run warp by warp on a CPU,\n"
        "with exact results and counts, and with bounds checks.",
        epilog=_EXAMPLES,
    )
    add_script(parser)
    _add_options(parser)
    offer_sources(
        parser,
        _add_source_options,
        run,
        what="Run kernels of a source without a GPU: warp by warp on a CPU, with exact results "
        "and counts,\nand with bounds checks.",
        examples=_SOURCE_EXAMPLES,
    )
    parser.set_defaults(run=run)


def _add_source_options(parser: Parser) -> None:
    _add_options(parser)
    add_compiled_for(parser)


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--check",
        action="store_true",
        help="report uses of uninitialised values, and out-of-bounds accesses that"
        " optimisation would remove; code is not optimised: slow",
    )
    group = parser.add_argument_group("output")
    group.add_argument("--launches", action="store_true", help="also list each launch")
    group.add_argument(
        "--json",
        metavar="FILE",
        help="write the counts as JSON; '-': to standard output, without the table",
    )
    add_debug(parser)


def run(arguments: argparse.Namespace, sources: SourceLines) -> int:
    """Run the command; raises what :func:`kcc.cli.main` turns into messages."""
    from kcc.report.execution.runs import RunRequest, run_json, run_table

    check_script(arguments)
    if arguments.json:
        check_targets([arguments.json], arguments.script)
    in_place = arguments.json == STANDARD
    try:
        done = run_host(arguments, sources, quiet=in_place)
    except SystemExit as end:
        return script_exit_code(end)
    settings = host_settings(arguments)
    request = RunRequest(
        arguments.script, arguments.size, arguments.seed, settings.width, settings.workers
    )
    outputs = list[Output]()
    if arguments.json:
        outputs.append(Output(arguments.json, run_json(done.launches, request)))
    if not in_place:
        table = run_table(done.launches, request, by_launch=arguments.launches)
        outputs.append(Output(STANDARD, table))
    write_outputs(outputs)
    return 0
