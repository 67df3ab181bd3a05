"""`kcc explore FILE.cl --gpu NAME`: the same from a kernel's source, without data or a run."""

from __future__ import annotations

import argparse

from kcc.commands.exploring import (
    add_exploration,
    add_exploration_output,
    check_exploration,
    explore,
    write_exploration,
)
from kcc.commands.interval_options import add_interval
from kcc.commands.options import Parser, add_console
from kcc.commands.source_launches import add_source_launches, run_source_launches
from kcc.commands.sources import SourceLines

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
        description="""\
Predict the time of each kernel of a source on many variants of a GPU, from source,
launch and scalar arguments (as `kcc trace FILE.cl`), or rank which change gains most.""",
        epilog=_EXAMPLES,
    )
    add_source_launches(parser)
    add_exploration(parser)
    add_interval(parser)
    add_exploration_output(parser)
    add_console(parser)
    parser.set_defaults(run=run)
    return parser


def run(arguments: argparse.Namespace, sources: SourceLines) -> int:
    """Run the command; raises what :func:`kcc.cli.main` turns into messages."""
    return run_source_launches(
        arguments,
        sources,
        "explore",
        check_exploration,
        lambda path, launches, notes: explore(arguments, path, launches, notes),
        write_exploration,
    )
