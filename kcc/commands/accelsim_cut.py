"""`kcc trace LIST.g --selection FILE -o FOLDER`: Accel-Sim kernels cut to what is simulated."""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from kcc.base.diagnostics import Diagnostic, DiagnosticError
from kcc.commands.accelsim import check_folder, new_folder
from kcc.commands.errors import usage_error
from kcc.commands.outputs import write_standard

if TYPE_CHECKING:
    from kcc.stages.selection import SelectedLaunch


def is_list(path: str) -> bool:
    """Whether the argument is a list of Accel-Sim's kernels."""
    return path.endswith(".g")


def check_cut(arguments: argparse.Namespace) -> None:
    """Raise where options do not go together."""
    if not is_list(arguments.script):
        if arguments.selection:
            hint = "`kcc simulate --sample ... --accelsim FOLDER` writes one of a trace"
            raise usage_error("--selection cuts lists of Accel-Sim kernels (.g)", hint)
        return
    if not arguments.selection:
        raise usage_error("of a list of Accel-Sim kernels --selection FILE says what is kept")
    if not arguments.output:
        raise usage_error("-o FOLDER is missing: where the list goes")
    others = {"--kernel": arguments.kernels, "--launches": arguments.launches,
              "--blocks-only": arguments.blocks_only, "--show": arguments.show,
              "--arch": arguments.arch, "--lineinfo": arguments.lineinfo,
              "--xz": arguments.xz}  # fmt: skip
    if wrong := [name for name, value in others.items() if value]:
        raise usage_error(f"{wrong[0]} does not go with --selection")
    check_folder(arguments.output)


def cut_list(arguments: argparse.Namespace) -> None:
    """Write the list. Raises K001, K008, K873, K966 and K967."""
    from kcc.sim.accelsim.files import read_list
    from kcc.stages.selection import read_selection

    path, target = Path(arguments.script), Path(arguments.output)
    chosen = read_selection(Path(arguments.selection))
    kernels = read_list(path)
    if chosen[-1].launch >= len(kernels):
        raise _apart(f"launch {chosen[-1].launch} is not one of the list's {len(kernels)}")
    try:
        with new_folder(target) as folder:
            size = _write(path, kernels, chosen, folder)
            shutil.copyfile(arguments.selection, folder / "selection.json")
    except OSError as error:
        message = f"cannot write '{target}': {error.strerror or error}"
        raise DiagnosticError([Diagnostic("K008", message)]) from error
    blocks, everything = (sum(n) for n in zip(
        *((one.selected_blocks, one.thread_blocks) for one in chosen), strict=True
    ))  # fmt: skip
    from kcc.report.execution.traces import size_text

    write_standard(
        f"{target}/kernelslist.g: {len(chosen)} of {len(kernels)} kernels, with {blocks:,} of "
        f"their {everything:,} thread blocks, {size_text(size)}\n"
    )


def _write(
    path: Path, kernels: Sequence[Path], chosen: Sequence[SelectedLaunch], folder: Path
) -> int:
    """The kernels that are chosen under their names, and all copies of the list: kernels that are
    left out may be what made the data of later ones."""
    from kcc.sim.accelsim.cut import cut_kernel
    from kcc.sim.accelsim.files import COPIES
    from kcc.sim.accelsim.reader import read_header

    size, kept = 0, {one.launch: one for one in chosen}
    for number, source in enumerate(kernels):
        if number not in kept:
            continue
        own = kept[number]
        kernel = read_header(source, number)
        if kernel.thread_blocks != own.thread_blocks:
            raise _apart(
                f"launch {number} ({own.kernel}) has {own.thread_blocks:,} thread blocks there, "
                f"{source.name} ({kernel.name}) {kernel.thread_blocks:,}"
            )
        ranges = [(each.first, each.end) for each in own.ranges]
        size += cut_kernel(kernel, folder / _written(source), ranges)
    files = iter(enumerate(kernels))
    listed = list[str]()
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        if line.startswith(COPIES):
            listed.append(line)
        elif line.strip().startswith("kernel"):
            number, source = next(files)
            listed += [_written(source)] if number in kept else []
    (folder / "kernelslist.g").write_text("\n".join(listed) + "\n", encoding="utf-8")
    return size


def _written(source: Path) -> str:
    """The name of a kernel's file as it is written: nothing is packed by Zstandard."""
    return source.name.removesuffix(".zst")


def _apart(reason: str) -> DiagnosticError:
    message = f"the selection is of another program than the list: {reason}"
    return DiagnosticError([Diagnostic("K967", message)])
