"""`kcc memory FILE.cl --gpu NAME`: the same from a kernel's source, without data or a run."""

from __future__ import annotations

import argparse

from kcc.commands.memory_options import (
    add_memory,
    add_memory_output,
    check_memory,
    model_memory,
    write_memory,
)
from kcc.commands.options import Parser, add_console
from kcc.commands.source_launches import add_source_launches, run_source_launches
from kcc.commands.sources import SourceLines

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
    add_source_launches(parser)
    add_memory(parser)
    add_memory_output(parser)
    add_console(parser)
    parser.set_defaults(run=run)
    return parser


def run(arguments: argparse.Namespace, sources: SourceLines) -> int:
    """Run the command; raises what :func:`kcc.cli.main` turns into messages."""
    return run_source_launches(
        arguments,
        sources,
        "memory",
        check_memory,
        lambda path, launches, notes: model_memory(arguments, path, launches, sources, notes),
        write_memory,
    )
