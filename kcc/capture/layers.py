"""Builds the layer, and runs a program with it."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from kcc.base.cache_folder import is_trusted, user_cache_dir
from kcc.base.diagnostics import Diagnostic, DiagnosticError
from kcc.tracegen.simt.host_cpu import levels_of, own_cpu

SOURCES = Path(__file__).parent / "layer"
HEADER = "CL/cl_layer.h"
HEADER_FOLDERS = ("/usr/include", "/usr/local/include")
POCL_CPU = "KCC_CAPTURE_POCL_CPU"
"""Names the level of x86-64 that PoCL 3.0 of the wheels builds for on a processor newer than its
LLVM 14."""
VENDORS = Path("/etc/OpenCL/vendors")


def build_layer(folder: Path) -> Path:
    """The layer as a shared library, from the cache or compiled into ``folder``.

    :raises DiagnosticError: K773 without a compiler or the headers, or where it does not compile.
    """
    sources = sorted(SOURCES.glob("*.[ch]"))
    key = sha256(b"\0".join(each.read_bytes() for each in sources)).hexdigest()[:16]
    cache = user_cache_dir()
    if cache is not None and is_trusted(cache):
        folder = cache
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"capture-layer-{key}.so"
    if target.exists():
        return target
    with TemporaryDirectory(dir=folder) as scratch:
        made = Path(scratch, "layer.so")
        command = [*_compiler(), "-shared", "-fPIC", "-O2", f"-I{_headers()}"]
        command += ["-o", str(made), str(SOURCES / "layer.c"), "-lpthread"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise _cannot(f"the layer does not compile: {done.stderr.strip()[-500:]}")
        made.replace(target)
    return target


def run_captured(
    program: Sequence[str], target: Path, settings: Mapping[str, str]
) -> tuple[int, list[Path]]:
    """Run a program with the layer; gives its exit code and the captures, one for each process that
    used OpenCL, which stand beside ``target``. ``settings`` are those of ``layer/layer.c``."""
    with TemporaryDirectory(dir=target.parent) as scratch:
        layer = build_layer(Path(scratch))
        part = Path(scratch, "part")
        surroundings = {**os.environ, **settings, **_implementation(Path(scratch))}
        before = os.environ.get("OPENCL_LAYERS")
        surroundings["OPENCL_LAYERS"] = f"{before}:{layer}" if before else str(layer)
        surroundings["KCC_CAPTURE"] = str(part)
        try:
            code = subprocess.run(list(program), env=surroundings, check=False).returncode
        except OSError as error:
            message = f"cannot run '{program[0]}': {error.strerror}"
            raise DiagnosticError([Diagnostic("K001", message)]) from error
        parts = sorted(part.parent.glob("part.*"), key=lambda each: each.stat().st_mtime_ns)
        kept = list[Path]()
        for number, each in enumerate(parts):
            name = f"{target.stem}.{number + 1}{target.suffix}" if number else target.name
            kept.append(each.replace(target.with_name(name)))
    return code, kept


def _implementation(scratch: Path) -> dict[str, str]:
    """PoCL of the wheels, where no implementation is installed."""
    if "OCL_ICD_VENDORS" in os.environ or any(VENDORS.glob("*.icd")):
        return {}
    found = importlib.util.find_spec("pyopencl")
    for folder in (found.submodule_search_locations or []) if found else []:
        for each in Path(folder, ".libs").glob("libpocl-*.so"):
            vendor = scratch / "pocl.icd"
            vendor.write_text(f"{each}\n", encoding="utf-8")
            level = levels_of(own_cpu())[-1:]
            return {"OCL_ICD_VENDORS": str(vendor), **({POCL_CPU: level[0]} if level else {})}
    return {}


def _compiler() -> list[str]:
    found = importlib.util.find_spec("ziglang")
    for folder in (found.submodule_search_locations or []) if found else []:
        if Path(folder, "zig").exists():
            return [str(Path(folder, "zig")), "cc"]
    compiler = shutil.which("cc") or shutil.which("clang")
    if compiler is None:
        raise _cannot("a C compiler is needed for the layer", "the extra `clang` brings one")
    return [compiler]


def _headers() -> str:
    for folder in (*os.environ.get("CPATH", "").split(":"), *HEADER_FOLDERS):
        if folder and Path(folder, HEADER).exists():
            return folder
    hint = "the package opencl-headers has it; CPATH names other folders"
    raise _cannot(f"Khronos' header {HEADER} is needed for the layer", hint)


def _cannot(message: str, hint: str | None = None) -> DiagnosticError:
    return DiagnosticError([Diagnostic("K773", message, hint=hint)])
