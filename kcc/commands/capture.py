"""`kcc capture -- PROGRAM`: log what a program asks of OpenCL."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from kcc.base.diagnostics import Diagnostic, DiagnosticError
from kcc.commands.console import say
from kcc.commands.errors import usage_error
from kcc.commands.options import Parser, Subparsers, add_debug
from kcc.commands.outputs import check_targets, write_standard
from kcc.commands.sources import SourceLines

_EXAMPLES = """examples:
  kcc capture -- ./app input.dat                 writes app.capture
  kcc capture -o run.capture --as-gpu -- ./app   CPUs call themselves GPUs
  kcc capture --outputs 100 --max-size 2G -- ./app
  kcc run app.capture              replays it; so do trace, profile, estimate, simulate, synth"""

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
DEFAULT_MAX = "4G"
DEFAULT_OUTPUTS = 16


def add_parser(subparsers: Subparsers[argparse.ArgumentParser]) -> None:
    """Add `kcc capture`."""
    parser = subparsers.add_parser(
        "capture",
        help="log the OpenCL calls of a program in C or C++",
        usage="kcc capture [OPTION ...] -- PROGRAM [ARG ...]",
        description="Run a program that uses OpenCL on the installed implementation, and log what\n"
        "it asks of it, with the data, for kcc run, trace, profile, simulate and synth.",
        epilog=_EXAMPLES,
    )
    assert isinstance(parser, Parser)
    parser.rest = "program"
    parser.add_argument(
        "-o", dest="output", metavar="FILE", help="the capture (default: PROGRAM.capture)"
    )
    parser.add_argument(
        "--max-size",
        type=_size,
        default=DEFAULT_MAX,
        metavar="N",
        help="bytes after which the log ends; K, M and G are powers of 1024 (default: %(default)s)",
    )
    parser.add_argument(
        "--outputs",
        type=_count,
        default=DEFAULT_OUTPUTS,
        metavar="N",
        help="keep the memory objects after every N-th launch of each kernel, to compare them in a"
        " replay; 0: of none (default: %(default)s)",
    )
    parser.add_argument(
        "--as-gpu",
        action="store_true",
        help="let CPU devices call themselves GPUs, with the limits of kcc's device",
    )
    add_debug(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace, _sources: SourceLines) -> int:
    """Run the command; gives 1 where the program fails."""
    from kcc.capture.layers import run_captured
    from kcc.opencl.device import LOCAL_MEM_BYTES
    from kcc.tracegen.launch_checks import MAX_LOCAL_ITEMS

    program: list[str] = arguments.program
    if not program:
        raise usage_error("a program is missing", "kcc capture -- ./app")
    target = Path(arguments.output or f"{Path(program[0]).name}.capture")
    check_targets([str(target)], program[0])
    settings = {
        "KCC_CAPTURE_MAX": str(arguments.max_size),
        "KCC_CAPTURE_OUTPUTS": str(arguments.outputs),
    }
    if arguments.as_gpu:
        settings["KCC_CAPTURE_AS_GPU"] = f"{MAX_LOCAL_ITEMS},{LOCAL_MEM_BYTES}"
    code, captures = run_captured(program, target.absolute(), settings)
    if not captures:
        message = f"'{program[0]}' asked nothing of OpenCL through a loader that has layers"
        hint = "ocl-icd from 2.3.0 and Khronos' ICD loader have them (OPENCL_LAYERS)"
        raise DiagnosticError([Diagnostic("K774", message, hint=hint)])
    for each in captures:
        write_standard(f"{each.name}: {each.stat().st_size:,} bytes\n")
    if code:
        say(f"kcc: the program ended with {code}\n")
    return 1 if code else 0


def _size(text: str) -> int:
    found = re.fullmatch(r"(\d{1,12})([KMG]?)", text)
    if found is None or not int(found[1]):
        raise argparse.ArgumentTypeError(f"'{text}' is not a size such as 500M")
    return int(found[1]) * _UNITS[found[2]]


def _count(text: str) -> int:
    if not re.fullmatch(r"\d{1,9}", text):
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number")
    return int(text)
