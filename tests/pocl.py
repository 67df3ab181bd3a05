"""PoCL, the CPU implementation of OpenCL that kernels are compared with."""

from __future__ import annotations

import os
import warnings
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyopencl

POCL_PLATFORM = "Portable Computing Language"
POCL_VERSION = "PoCL 3.0"
"""What pocl-binary-distribution 3.0 calls itself; a PoCL of the system may stand beside it."""

LINKER_FOLDER = Path(__file__).resolve().parent.parent / ".venv" / "tools"
"""Where scripts/check puts an `ld` on machines without one, or without a compiler's libraries."""


NOT_INSTALLED = "pocl-binary-distribution is not installed: its wheels are for x86-64 Linux only"


def is_installed() -> bool:
    """Whether the tests extra could install PoCL on this machine. Where it could, a PoCL that does
    not work makes its tests fail."""
    return find_spec("pocl_binary_distribution") is not None


def choose_device() -> pyopencl.Device:
    """The CPU device of our PoCL; raises LookupError with what is there when it is not."""
    import pyopencl

    platforms = pyopencl.get_platforms()
    for platform in platforms:
        if platform.name == POCL_PLATFORM and POCL_VERSION in platform.version:
            return platform.get_devices(device_type=pyopencl.device_type.CPU)[0]
    found = ", ".join(f"{p.name}: {p.version}" for p in platforms)
    raise LookupError(f"no {POCL_VERSION} among the OpenCL platforms ({found})")


def provide_linker() -> None:
    """PoCL runs `ld` for every kernel it builds: put ours first on PATH where it was needed."""
    if (LINKER_FOLDER / "ld").exists():
        os.environ["PATH"] = f"{LINKER_FOLDER}{os.pathsep}{os.environ.get('PATH', os.defpath)}"


def build(context: pyopencl.Context, source: str, options: str = "") -> pyopencl.Program:
    """Compile OpenCL C; the compiler's remarks, which pyopencl warns of, are dropped."""
    import pyopencl

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pyopencl.CompilerWarning)
        return pyopencl.Program(context, source).build(options=options)
