"""`kcc trace FILE.py -o FILE.kct`: write what the kernels of a script did; `--show` looks at it."""

from __future__ import annotations

import argparse
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from kcc.base.diagnostics import Diagnostic, DiagnosticError
from kcc.commands.accelsim import add_format, export_trace, is_export, trace_target
from kcc.commands.accelsim_cut import check_cut, cut_list, is_list
from kcc.commands.console import choose_style
from kcc.commands.errors import usage_error
from kcc.commands.hosts import add_script, run_host, script_exit_code
from kcc.commands.launch_choice import add_launch_choice, whole_number
from kcc.commands.options import Parser, Subparsers, add_console
from kcc.commands.outputs import STANDARD, Output, check_targets, write_outputs, write_standard
from kcc.commands.sources import SourceLines
from kcc.commands.static_trace import SOURCE_SUFFIXES, static_parser

if TYPE_CHECKING:
    from kcc.base.trace.reader import LaunchTrace, TraceFile
    from kcc.base.trace.writer import TraceWriter

DEFAULT_LIMIT = 100

_EXAMPLES = """examples:
  kcc trace kernels/bfs/workload.py -o bfs.kct   every launch: blocks, lanes, addresses
  kcc trace kernels/bfs/workload.py -o bfs.kct --launches 0-3 --kernel BFS_1
  kcc trace script.py -o x.kct --blocks-only -- --steps 10
  kcc trace vecadd.cl --global 2**20 --arg n=2**20 -o vecadd.kct
                                                 without a run; see `kcc trace FILE.cl --help`
  kcc trace bfs.kct --format accelsim -o bfs     a trace as a folder for Accel-Sim
  kcc trace bfs/kernelslist.g --selection points.json -o few
                                                 of such a folder what sampling has chosen
  kcc trace --show bfs.kct                       what the file holds
  kcc trace --show bfs.kct --launch 2 --block 7 --warp 1
  kcc trace --show bfs.kct --json -"""


def add_parser(subparsers: Subparsers[argparse.ArgumentParser]) -> None:
    """Add `kcc trace`."""
    parser = subparsers.add_parser(
        "trace",
        help="write a trace of every warp: of a run, or from source alone",
        usage="kcc trace FILE -o FILE.kct [OPTION ...] [-- ARG ...]\n"
        "       kcc trace FILE.cl -o FILE.kct [OPTION ...]\n"
        "       kcc trace kernelslist.g --selection FILE -o FOLDER\n"
        "       kcc trace --show FILE.kct [OPTION ...]",
        description="""\
Run a PyOpenCL script as `kcc run` does and write a trace of its kernels: basic
blocks, lane masks and addresses, warp by warp. Also for a kernel source without a run
(`kcc trace FILE.cl --help`). Or show a trace.""",
        epilog=_EXAMPLES,
    )
    add_script(parser, also="; or a trace (.kct), to --show or to write in another --format")
    assert isinstance(parser, Parser)
    parser.other = static_parser, SOURCE_SUFFIXES
    group = parser.add_argument_group("trace")
    group.add_argument("-o", dest="output", metavar="FILE", help="the trace to write")
    group.add_argument(
        "--resume", action="store_true",
        help="keep launches in FILE.records after an interrupt, and go on behind those that are "
        "there: kernels run again, without a trace",
    )  # fmt: skip
    add_launch_choice(group)
    group.add_argument(
        "--blocks-only",
        action="store_true",
        help="without addresses: basic blocks and lane masks only",
    )
    add_format(parser)
    _add_show(parser)
    add_console(parser, stages=False)
    parser.set_defaults(run=run)


def _add_show(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("showing a trace")
    group.add_argument("--show", action="store_true", help="FILE is a trace: show its contents")
    group.add_argument("--launch", metavar="N", type=whole_number, help="this launch")
    group.add_argument("--block", metavar="N", type=whole_number, help="this thread block")
    group.add_argument("--warp", metavar="N", type=whole_number, help="this warp of it")
    group.add_argument(
        "--limit",
        metavar="N",
        type=whole_number,
        default=DEFAULT_LIMIT,
        help="segments of a warp to show at most (default: %(default)s)",
    )
    group.add_argument(
        "--json",
        metavar="FILE",
        help="write the contents as JSON; '-': to standard output, without text",
    )


def run(arguments: argparse.Namespace, sources: SourceLines) -> int:
    """Run the command; raises what :func:`kcc.cli.main` turns into messages."""
    check_cut(arguments)
    if is_list(arguments.script):
        cut_list(arguments)
        return 0
    if arguments.show:
        _check_show(arguments)
        _show(arguments)
        return 0
    _check_trace(arguments)
    if arguments.script.endswith(".kct"):
        export_trace(arguments.script, arguments, arguments.kernels, arguments.launches)
        return 0
    try:
        _trace(arguments, sources)
    except SystemExit as end:
        return script_exit_code(end)
    return 0


def _check_show(arguments: argparse.Namespace) -> None:
    if arguments.output or arguments.blocks_only or arguments.launches:
        raise usage_error("--show writes no trace: -o, --launches and --blocks-only mean nothing")
    is_path = arguments.block is not None or arguments.warp is not None
    if arguments.json and is_path:
        raise usage_error("--json tells what a trace holds, not what one warp did")
    if arguments.json:
        check_targets([arguments.json], arguments.script)


def _check_trace(arguments: argparse.Namespace) -> None:
    path = arguments.script
    if path.endswith(".kct") and not is_export(arguments):
        hint = f"kcc trace --show {path}, or --format accelsim"
        raise usage_error(f"'{path}' is a trace", hint)
    if any(getattr(arguments, name) is not None for name in ("launch", "block", "warp", "json")):
        raise usage_error("--launch, --block, --warp and --json go with --show")
    if not arguments.output:
        raise usage_error("-o FILE is missing")
    if arguments.resume and is_export(arguments):
        raise usage_error("--resume is for traces (.kct), not for --format accelsim")
    if arguments.output == STANDARD:
        raise usage_error("a trace cannot go to standard output", "-o FILE names a file")
    check_targets([arguments.output], path)


def _trace(arguments: argparse.Namespace, sources: SourceLines) -> None:
    """Run the script and write the trace; then say what is in it."""
    with trace_target(arguments) as target:
        written = _write(arguments, sources, target)
    if not is_export(arguments):
        write_standard(written)


def _write(arguments: argparse.Namespace, sources: SourceLines, target: Path) -> str:
    """Run the script and write its trace; gives what is said of it."""
    from kcc.base.trace.writer import TraceWriter
    from kcc.report.execution.traces import size_text
    from kcc.stages.tracing import Tracer, header_of

    with (
        _resumed(arguments) as partial,
        TraceWriter(target, header_of(arguments.script), partial) as writer,
    ):
        tracer = Tracer(
            writer,
            addresses=not arguments.blocks_only,
            kernels=arguments.kernels,
            launches=arguments.launches,
        )
        began = time.monotonic()

        def status() -> str:
            rate = writer.warp_instructions / max(time.monotonic() - began, 1e-3) / 1e6
            return f", {size_text(writer.bytes_written)} of trace, {rate:,.1f} M/s"

        run_host(arguments, sources, tracer, status=status)
        tracer.finish()
        if writer.launches == 0:
            raise _nothing(arguments)
    return _written(target, writer)


@contextmanager
def _resumed(arguments: argparse.Namespace) -> Generator[Path | None]:
    """With --resume where the launches so far are kept, until all are there. The journal beside
    says of which work they are.

    :raises DiagnosticError: K893 where they are of other work.
    """
    from kcc.commands.journal import NOTHING, Journal, digest_of

    journal, records = Path(f"{arguments.output}.partial"), Path(f"{arguments.output}.records")
    if not arguments.resume:
        yield None
        return
    if not journal.exists():
        records.unlink(missing_ok=True)
    with Journal(journal, digest_of(arguments), NOTHING, resume=True) as kept:
        yield records
        kept.remove()


def _nothing(arguments: argparse.Namespace) -> DiagnosticError:
    asked = bool(arguments.kernels or arguments.launches)
    message = "no launch is one of those asked for" if asked else "the script launched no kernel"
    return DiagnosticError([Diagnostic("K767", f"{message}: no trace is written")])


def _written(target: Path, writer: TraceWriter) -> str:
    from kcc.report.execution.traces import counted, size_text

    size, instructions = writer.bytes_written, writer.warp_instructions
    each = f", {size / instructions:.3f} bytes each" if instructions else ""
    return (
        f"{target}: {counted(writer.launches, 'launch', 'es')}, "
        f"{counted(instructions, 'warp instruction')}, {size_text(size)}{each}\n"
    )


def _show(arguments: argparse.Namespace) -> None:
    from kcc.base.trace.reader import open_trace
    from kcc.report.execution.traces import trace_json, trace_summary
    from kcc.report.execution.warp_path import warp_path

    with open_trace(arguments.script) as trace:
        launches = _chosen(trace, arguments)
        outputs = list[Output]()
        if arguments.block is not None or arguments.warp is not None:
            launch, block, warp = launches[0], arguments.block or 0, arguments.warp
            _check_place(launch, block, warp or 0)
            warps = range(launch.launch.warps(launch.tables.width)) if warp is None else [warp]
            paths = (warp_path(launch, block, number, arguments.limit) for number in warps)
            outputs.append(Output(STANDARD, "\n".join(paths)))
        elif arguments.json:
            outputs.append(Output(arguments.json, trace_json(trace, launches)))
        if not outputs or arguments.json not in (None, STANDARD):
            style = choose_style(arguments.color, arguments.width, STANDARD)
            outputs.append(Output(STANDARD, trace_summary(trace, launches, style)))
        write_outputs(outputs)


def _chosen(trace: TraceFile, arguments: argparse.Namespace) -> list[LaunchTrace]:
    """The launches that are asked for; raises K766 if there are none."""
    wanted = frozenset(arguments.kernels)
    found = [
        launch
        for launch in trace.launches
        if (not wanted or launch.tables.kernel in wanted)
        and arguments.launch in (None, launch.launch.number)
    ]
    if not found and (wanted or arguments.launch is not None or not trace.launches):
        numbers = [launch.launch.number for launch in trace.launches]
        names = ", ".join(sorted({launch.tables.kernel for launch in trace.launches}))
        hint = f"launches {min(numbers)} to {max(numbers)} of {names}" if numbers else None
        raise DiagnosticError([Diagnostic("K766", "the trace has no such launch", hint=hint)])
    return found


def _check_place(launch: LaunchTrace, block: int, warp: int) -> None:
    blocks = launch.launch.thread_blocks
    warps = launch.launch.warps(launch.tables.width)
    number = launch.launch.number
    if block >= blocks:
        message = f"launch {number} has {blocks:,} thread blocks, numbered from 0"
        raise DiagnosticError([Diagnostic("K766", message)])
    if warp >= warps:
        message = f"the thread blocks of launch {number} have {warps} warps, numbered from 0"
        raise DiagnosticError([Diagnostic("K766", message)])
