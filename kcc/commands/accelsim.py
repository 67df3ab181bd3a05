"""`kcc trace ... --format accelsim -o FOLDER`: a trace as Accel-Sim's, a folder of kernels."""

from __future__ import annotations

import argparse
import os
import re
import shutil
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from kcc.base.diagnostics import Diagnostic, DiagnosticError
from kcc.base.scratch import scratch_folder
from kcc.commands.errors import usage_error
from kcc.commands.outputs import STANDARD, write_standard
from kcc.commands.progress import shown_progress

if TYPE_CHECKING:
    from kcc.base.trace.reader import LaunchTrace
    from kcc.sim.accelsim.writer import ExportedKernel, ExportOptions

KCT, ACCELSIM = "kct", "accelsim"

ARCHITECTURES = ("sm_60", "sm_61", "sm_70", "sm_75", "sm_80", "sm_86")
DEFAULT_ARCHITECTURE = "sm_70"
"""As :mod:`kcc.sim.accelsim.names` has them; naming them here keeps the command's start quick."""

_OWN_FILE = re.compile(r"kernelslist\.g|kernel-\d+\.traceg(\.xz)?|selection\.json")


def add_format(parser: argparse.ArgumentParser) -> None:
    """The options of the format."""
    group = parser.add_argument_group("format")
    group.add_argument(
        "--format", choices=(KCT, ACCELSIM), default=KCT,
        help="kct: kcc's own; accelsim: FILE is a folder for a list of Accel-Sim's kernels, "
        "version 5 (default: %(default)s)",
    )  # fmt: skip
    group.add_argument(
        "--arch", choices=ARCHITECTURES,
        help=f"accelsim: whose SASS (default: {DEFAULT_ARCHITECTURE})",
    )  # fmt: skip
    group.add_argument(
        "--lineinfo", action="store_true", help="accelsim: instructions with lines of the source"
    )
    group.add_argument("--xz", action="store_true", help="accelsim: kernels compressed by xz")
    group.add_argument(
        "--selection", metavar="FILE",
        help="FILE is a list of Accel-Sim's kernels: keep the thread blocks that a selection "
        "(kcc/selection/1) names",
    )  # fmt: skip


def is_export(arguments: argparse.Namespace) -> bool:
    """Whether Accel-Sim's format is asked for; options that only it has are refused elsewhere."""
    if arguments.format == ACCELSIM:
        return True
    if arguments.arch or arguments.lineinfo or arguments.xz:
        raise usage_error("--arch, --lineinfo and --xz go with --format accelsim")
    return False


@contextmanager
def trace_target(arguments: argparse.Namespace) -> Generator[Path]:
    """Where a trace is to be written: the output itself, or a file that becomes a folder of
    kernels when the caller is done with it."""
    if not is_export(arguments):
        yield Path(arguments.output)
        return
    check_folder(arguments.output)
    with scratch_folder() as folder:
        trace = folder / "trace.kct"
        yield trace
        if trace.exists():
            export_trace(str(trace), arguments)


def export_trace(
    path: str,
    arguments: argparse.Namespace,
    kernels: Sequence[str] = (),
    launches: Sequence[range] = (),
) -> None:
    """Write the launches of a trace file that are asked for, and say what was written.

    Raises K76x for a file that is no good trace, K767 if no launch is left, K870 and K876 for what
    the format cannot hold, K008 where the folder cannot be written.
    """
    from kcc.base.gpu import load_gpu
    from kcc.base.trace.reader import open_trace
    from kcc.sim.accelsim import names
    from kcc.sim.accelsim.writer import ExportOptions

    check_folder(arguments.output)
    architecture = arguments.arch or DEFAULT_ARCHITECTURE
    gpu = load_gpu(names.ARCHITECTURES[architecture].gpu, [])
    options = ExportOptions(architecture, gpu, lines=arguments.lineinfo, packed=arguments.xz)
    with open_trace(path) as trace:
        chosen = [
            each for each in trace.launches
            if (not kernels or each.tables.kernel in kernels)
            and (not launches or any(each.launch.number in r for r in launches))
        ]  # fmt: skip
        if not chosen:
            message = "no launch is one of those asked for: nothing is written"
            raise DiagnosticError([Diagnostic("K767", message)])
        found = _write(chosen, Path(arguments.output), options)
    write_standard(_said(arguments.output, found, options))


def _write(
    launches: list[LaunchTrace], target: Path, options: ExportOptions
) -> list[ExportedKernel]:
    from kcc.report.execution.traces import size_text
    from kcc.sim.accelsim.writer import likely_bytes, write_list

    likely = likely_bytes(launches, options)
    total = sum(each.totals.warp_instructions for each in launches)
    try:
        with new_folder(target) as folder, shown_progress(total) as show:
            free = shutil.disk_usage(folder).free
            if likely > free and not options.packed:
                message = f"about {size_text(likely)} are needed and {size_text(free)} are free"
                raise _cannot_write(target, message, "--xz compresses")

            def watch(done: int, size: int) -> None:
                show(done, done, f"{size_text(size)} of about {size_text(likely)}")

            return list(write_list(launches, folder, options, watch))
    except OSError as error:
        raise _cannot_write(target, error.strerror or str(error)) from error


def check_folder(output: str) -> None:
    """Refuse a target that is not a folder of kernels to be; raises :class:`UsageError`."""
    if output == STANDARD:
        raise usage_error("a folder cannot go to standard output", "-o FOLDER names one")
    target = Path(output)
    if target.exists() and not target.is_dir():
        raise usage_error(f"'{output}' is a file, and Accel-Sim's traces are a folder")
    if target.is_dir() and not _is_own(target):
        raise usage_error(
            f"'{output}' holds other things than a list of kernels", "name a folder that is new"
        )


def _is_own(folder: Path) -> bool:
    """Whether a folder is empty or a list of kernels as this command writes it."""
    return all(_OWN_FILE.fullmatch(each.name) for each in folder.iterdir())


@contextmanager
def new_folder(target: Path) -> Generator[Path]:
    """A folder beside the target that takes its place at the end, if nothing goes wrong."""
    target = target.resolve()
    fresh = target.with_name(f".{target.name[:200]}.{os.urandom(4).hex()}.tmp")
    old = fresh.with_suffix(".old")
    fresh.mkdir()
    try:
        yield fresh
        if target.exists():
            target.rename(old)
        fresh.rename(target)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
        shutil.rmtree(old, ignore_errors=True)


def _cannot_write(target: Path, why: str, hint: str | None = None) -> DiagnosticError:
    return DiagnosticError([Diagnostic("K008", f"cannot write '{target}': {why}", hint=hint)])


def _said(target: str, found: Sequence[ExportedKernel], options: ExportOptions) -> str:
    """What was written, and what of it is not as in the trace."""
    from kcc.report.execution.traces import counted, size_text

    instructions = sum(each.instructions for each in found)
    warps = sum(each.warp_instructions for each in found)
    parts = (
        f"{counted(len(found), 'kernel')} for {options.architecture}",
        f"{counted(instructions, 'machine instruction')} of {warps:,} of the IR",
        size_text(sum(each.bytes for each in found)),
    )
    lines = [f"{target}/kernelslist.g: {', '.join(parts)}"]
    once = {each.kernel: each for each in found}
    for each in once.values():
        notes = [
            f"{counted(each.moves, 'move')} between registers" if each.moves else "",
            f"{counted(each.dropped, 'source')} beyond the four of an instruction left out"
            if each.dropped else "",
            f"{counted(each.shared, 'value')} in registers that were still in use"
            if each.shared else "",
        ]  # fmt: skip
        said = [f"{each.registers} registers", *(note for note in notes if note)]
        lines.append(f"  {each.kernel}: {', '.join(said)}")
    return "\n".join(lines) + "\n"
