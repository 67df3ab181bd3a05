"""PoCL, the CPU implementation of OpenCL that kernels are compared with."""

from __future__ import annotations

import ctypes
import os
import shutil
import tempfile
import warnings
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from kcc.tracegen.simt.host_cpu import levels_of, own_cpu

if TYPE_CHECKING:
    import pyopencl

POCL_PLATFORM = "Portable Computing Language"
POCL_VERSION = "PoCL 3.0"
"""What pocl-binary-distribution 3.0 calls itself; a PoCL of the system may stand beside it."""

UNKNOWN_PROCESSOR = b"generic\0"
"""What PoCL 3.0 calls a processor newer than its LLVM 14; its clang then refuses that name."""
DEVICE_BYTES = 4096
"""How much of PoCL's record of a device is searched for the name of its processor."""

CACHE_VARIABLE = "POCL_CACHE_DIR"
"""Where PoCL keeps what it has built."""

LINKER_FOLDER = Path(__file__).resolve().parent.parent / ".venv" / "tools"
"""Where scripts/check puts an `ld` on machines without one, or without a compiler's libraries."""


NOT_INSTALLED = "pocl-binary-distribution is not installed: its wheels are for x86-64 Linux only"


def is_installed() -> bool:
    """Whether the tests extra could install PoCL on this machine. Where it could, a PoCL that does
    not work makes its tests fail."""
    return find_spec("pocl_binary_distribution") is not None


def choose_device() -> pyopencl.Device:
    """The CPU device of our PoCL, ready to build for; raises LookupError with what is there when
    it is not."""
    import pyopencl

    provide_linker()

    platforms = pyopencl.get_platforms()
    for platform in platforms:
        if platform.name == POCL_PLATFORM and POCL_VERSION in platform.version:
            device = platform.get_devices(device_type=pyopencl.device_type.CPU)[0]
            name_processor(device.int_ptr)
            return device
    found = ", ".join(f"{p.name}: {p.version}" for p in platforms)
    raise LookupError(f"no {POCL_VERSION} among the OpenCL platforms ({found})")


def name_processor(record: int) -> None:
    """Give PoCL's device the level of x86-64 that the host has, where PoCL does not know the host's
    processor. ``record`` is the address of the device; nothing else in it is changed."""
    memory = os.open("/proc/self/mem", os.O_RDONLY)
    try:
        words = os.pread(memory, DEVICE_BYTES, record)
        for place in range(0, len(words), 8):
            if _text_at(memory, int.from_bytes(words[place : place + 8], "little")):
                copy = ctypes.CDLL(None).strdup
                copy.restype = ctypes.c_void_p
                name = copy(levels_of(own_cpu())[-1].encode())
                ctypes.c_void_p.from_address(record + place).value = name
                return
    finally:
        os.close(memory)


def _text_at(memory: int, address: int) -> bool:
    """Whether a word of the record points to :data:`UNKNOWN_PROCESSOR`."""
    try:
        return os.pread(memory, len(UNKNOWN_PROCESSOR), address) == UNKNOWN_PROCESSOR
    except (OSError, OverflowError):
        return False


def provide_linker() -> None:
    """PoCL runs `ld` for every kernel it builds: put ours first on PATH where it was needed."""
    if (LINKER_FOLDER / "ld").exists():
        os.environ["PATH"] = f"{LINKER_FOLDER}{os.pathsep}{os.environ.get('PATH', os.defpath)}"


def use_own_cache() -> None:
    """Give this process a cache of its own for what PoCL builds, which :func:`remove_own_cache`
    removes: PoCL takes what an interrupted process left in a shared one for whole, and then has a
    program without its kernels."""
    os.environ[CACHE_VARIABLE] = tempfile.mkdtemp(prefix="kcc-pocl-")


def remove_own_cache() -> None:
    """Remove what :func:`use_own_cache` made."""
    if folder := os.environ.pop(CACHE_VARIABLE, None):
        shutil.rmtree(folder, ignore_errors=True)


def build(context: pyopencl.Context, source: str, options: str = "") -> pyopencl.Program:
    """Compile OpenCL C; the compiler's remarks, which pyopencl warns of, are dropped."""
    import pyopencl

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pyopencl.CompilerWarning)
        return pyopencl.Program(context, source).build(options=options)
