"""What ptxas says of PTX: the true register counts of NVIDIA's compiler, without a GPU."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from kcc.base.diagnostics import Diagnostic, DiagnosticError
from kcc.base.records import dataclass
from kcc.base.scratch import scratch_folder

TIMEOUT_SECONDS = 300
"""The largest kernels take tens of seconds."""


@dataclass(frozen=True, slots=True)
class PtxasCount:
    """What one kernel needs: registers per thread, and bytes per thread or block."""

    registers: int
    spill_bytes: int
    stack_bytes: int
    shared_bytes: int
    spill_load_bytes: int = 0
    barriers: int = 0


_KERNEL = re.compile(r"Compiling entry function '(?P<name>[^']+)'")
_STACK = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
_USED = re.compile(r"Used (\d+) registers")
_SHARED = re.compile(r"(\d+) bytes smem")
_BARRIERS = re.compile(r"used (\d+) barriers")
_VERSION = re.compile(r"release (\d+\.\d+)")


def count_registers(
    ptx: str, target: str, ptxas: Path, *, max_registers: int | None = None
) -> Mapping[str, PtxasCount]:
    """The needs of each kernel by symbol.

    :raises DiagnosticError: K810 when ptxas cannot be run, or refuses the PTX.
    """
    limit = [] if max_registers is None else [f"--maxrregcount={max_registers}"]
    with scratch_folder() as folder:
        told = assemble(ptx, target, ptxas, folder / "kernel.cubin", limit)
    return parse_report(told)


def assemble(ptx: str, target: str, ptxas: Path, product: Path, options: Sequence[str] = ()) -> str:
    """Make a cubin beside which there is room for the PTX; gives what ptxas says (``-v``).

    :raises DiagnosticError: K810 when ptxas cannot be run, or refuses the PTX.
    """
    source = product.with_suffix(".ptx")
    source.write_text(ptx, encoding="utf-8")
    command = [str(ptxas), "-v", f"-arch={target}", *options, str(source), "-o", str(product)]
    return run_tool(command)


def parse_report(told: str) -> Mapping[str, PtxasCount]:
    """The counts in what ``ptxas -v`` prints."""
    found = dict[str, PtxasCount]()
    name, stack, spill, reload = "", 0, 0, 0
    for line in told.splitlines():
        if match := _KERNEL.search(line):
            name, stack, spill, reload = match["name"], 0, 0, 0
        elif match := _STACK.search(line):
            stack, spill, reload = int(match[1]), int(match[2]), int(match[3])
        elif name and (match := _USED.search(line)):
            shared = _SHARED.search(line)
            barriers = _BARRIERS.search(line)
            found[name] = PtxasCount(
                int(match[1]), spill, stack, int(shared[1]) if shared else 0, reload,
                int(barriers[1]) if barriers else 0,
            )  # fmt: skip
            name = ""
    return found


@cache
def version_of(ptxas: Path) -> str:
    """The release of CUDA that a ptxas is of, which it is asked once; raises
    :class:`DiagnosticError` (K810)."""
    found = _VERSION.search(run_tool([str(ptxas), "--version"]))
    return found[1] if found else "unknown"


def libdevice_beside(ptxas: Path) -> Path | None:
    """NVIDIA's mathematical library where CUDA's folders have it, seen from ptxas."""
    for root in (ptxas.parent.parent, ptxas.resolve().parent.parent):
        path = root / "nvvm" / "libdevice" / "libdevice.10.bc"
        if path.is_file():
            return path
    return None


def run_tool(command: Sequence[str]) -> str:
    """What a tool of NVIDIA's prints; raises :class:`DiagnosticError` (K810) where it fails."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=TIMEOUT_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        reason = getattr(error, "strerror", None) or "it takes too long"
        raise _failed(f"'{command[0]}' cannot be run: {reason}") from None
    if done.returncode:
        lines = [line for line in (done.stderr + done.stdout).splitlines() if line.strip()]
        raise _failed(f"{Path(command[0]).name} fails: {lines[0] if lines else 'without a word'}")
    return done.stdout + done.stderr


def _failed(message: str) -> DiagnosticError:
    hint = "it comes with CUDA, and with the package nvidia-cuda-nvcc-cu12"
    return DiagnosticError([Diagnostic("K810", message, hint=hint)])
