"""What `--code` stands for: finds the compilers of GPUs, and brings NVIDIA's into a clone."""

from __future__ import annotations

import argparse
import importlib.util
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from kcc.base.cache_folder import user_cache_dir
from kcc.base.diagnostics import Diagnostic, DiagnosticError
from kcc.base.records import dataclass
from kcc.base.scratch import scratch_folder
from kcc.commands.clang import STANDARD_ERROR
from kcc.commands.console import say
from kcc.commands.errors import usage_error

if TYPE_CHECKING:
    from kcc.base.gpu.description import GpuDescription
    from kcc.frontend.machine_code.nvidia import NvidiaTools
    from kcc.sim.cycle.compiled import CompilerCode
    from kcc.stages.machine_code import CodeRequest

CODE_VARIABLE = "KCC_CODE"
"""Of the environment: what `--code` is where it is not given."""

DEFAULT_CAPABILITY: tuple[int, int] = (8, 0)
"""The one where no GPU is named: every ptxas from CUDA 11 on knows it."""

OLDEST_PTXAS_12, OLDEST_NVDISASM_13 = (5, 0), (7, 5)
"""The oldest compute capabilities that ptxas of CUDA 12 and nvdisasm of CUDA 13 know."""

OLDEST_PTXAS_11 = (3, 5)

_ALIASES = {"estimate": "kcc", "ptxas": "compiler", "amdgpu": "compiler"}
"""What `--registers` means."""


@dataclass(frozen=True, slots=True)
class _Wheel:
    """A program that stands in a wheel which does not belong into this environment."""

    package: str
    member: str
    name: str
    megabytes: int


_OLD_NVDISASM = _Wheel("triton==3.4.0", "triton/backends/nvidia/bin/nvdisasm", "nvdisasm-12.8", 156)
_OLD_PTXAS = _Wheel(
    "nvidia-cuda-nvcc-cu11==11.8.89", "nvidia/cuda_nvcc/bin/ptxas", "ptxas-11.8", 20
)
"""CUDA 11's wheel writes the same file as CUDA 12's; triton brings much that is not wanted here."""


def asked_code(arguments: argparse.Namespace) -> str | None:
    """The choice of `--code`, else of `--registers`, else of the environment; None for none."""
    alias = _ALIASES.get(getattr(arguments, "registers", None) or "")
    if arguments.code and alias and arguments.code != alias:
        raise usage_error("--registers is an older name of --code: give one of them")
    chosen = arguments.code or alias or os.environ.get(CODE_VARIABLE) or None
    if chosen not in (None, "kcc", "auto", "compiler"):
        raise usage_error(f"{CODE_VARIABLE}={chosen} is not kcc, auto or compiler")
    return chosen


def code_request(choice: str | None, gpu: GpuDescription | None) -> CodeRequest | None:
    """Whose code is meant for a GPU; None for kcc's own, which is the default but for AMD's GPUs,
    whose compiler is always there. Without a GPU it is sm_80.

    :raises DiagnosticError: K810 where the compiler is asked for and cannot be had.
    """
    from kcc.stages.analyze import warp_size
    from kcc.stages.machine_code import CodeRequest

    if choice == "kcc" or (choice is None and not (gpu is not None and gpu.is_amd)):
        return None
    if gpu is not None and gpu.is_amd:
        target = gpu.compute_capability
        if target is None or not target.value.startswith("gfx"):
            return _none(choice, f"LLVM's name of {gpu.stem} is not known")
        chosen = target.value.startswith("gfx1") and warp_size(gpu) == 64
        return CodeRequest(amd_target=target.value, wave64=chosen)
    capability = DEFAULT_CAPABILITY if gpu is None else gpu.capability
    if capability is None or capability < OLDEST_PTXAS_11:
        name = "this GPU" if gpu is None else gpu.stem
        return _none(choice, f"no ptxas that can be had compiles for {name}")
    tools = _nvidia_tools(capability, install=choice == "compiler")
    if tools is None:
        return _none(choice, "there is no ptxas")
    return CodeRequest(tools)


def traced_code(choice: str | None, gpu: GpuDescription) -> CompilerCode | None:
    """Whose code launches of traces are timed in; None for kcc's own, the default.

    :raises DiagnosticError: K810 where the compiler is asked for and cannot be had.
    """
    from kcc.stages.machine_code import compiler_code

    return compiler_code(None if choice is None else code_request(choice, gpu))


def code_for(target: str) -> CodeRequest:
    """The compiler for a target such as sm_80 or gfx90a, where it is there.

    :raises DiagnosticError: K810 where it is not.
    """
    from kcc.stages.machine_code import CodeRequest

    if target.startswith("gfx"):
        return CodeRequest(amd_target=target)
    tools = _nvidia_tools((int(target[3:-1]), int(target[-1])), install=False)
    if tools is None:
        raise DiagnosticError([Diagnostic("K810", f"there is no ptxas for {target}")])
    return CodeRequest(tools)


def _none(choice: str | None, message: str) -> None:
    """Nothing for `auto`; else the error."""
    if choice == "compiler":
        hint = "install the packages nvidia-cuda-nvcc-cu12==12.9.86 and nvidia-cuda-nvdisasm"
        raise DiagnosticError([Diagnostic("K810", message, hint=hint)])


def _nvidia_tools(capability: tuple[int, int], *, install: bool) -> NvidiaTools | None:
    from kcc.frontend.machine_code.nvidia import NvidiaTools

    if install and _own_ptxas(capability) is None:
        _install(capability)
    ptxas = _own_ptxas(capability)
    if ptxas is None:
        return None
    if install and _nvdisasm(capability) is None and capability >= OLDEST_PTXAS_12:
        _unpack(_OLD_NVDISASM, "the disassembler for GPUs before Turing")
    folder = user_cache_dir()
    return NvidiaTools(
        f"sm_{capability[0]}{capability[1]}", ptxas, _nvdisasm(capability), _libdevice(),
        None if folder is None else folder / "machine-code",
    )  # fmt: skip


def _packages() -> Iterator[Path]:
    """Folders of NVIDIA's packages in this environment."""
    spec = importlib.util.find_spec("nvidia")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        yield Path(folder)


def _existing(paths: Iterator[Path]) -> Path | None:
    return next((path for path in paths if path.exists()), None)


def _own_ptxas(capability: tuple[int, int]) -> Path | None:
    if capability < OLDEST_PTXAS_12:
        return _kept(_OLD_PTXAS)
    found = _existing(folder / "cuda_nvcc" / "bin" / "ptxas" for folder in _packages())
    on_path = shutil.which("ptxas")
    return found or (Path(on_path) if on_path else None)


def _nvdisasm(capability: tuple[int, int]) -> Path | None:
    if capability < OLDEST_PTXAS_12:
        return None
    new = _existing(folder / "cu13" / "bin" / "nvdisasm" for folder in _packages())
    if capability >= OLDEST_NVDISASM_13 and new is not None:
        return new
    on_path = shutil.which("nvdisasm")
    return _kept(_OLD_NVDISASM) or (Path(on_path) if on_path else None)


def _libdevice() -> Path | None:
    parts = ("cuda_nvcc", "nvvm", "libdevice", "libdevice.10.bc")
    return _existing(folder.joinpath(*parts) for folder in _packages())


# bringing it


def _kept(wheel: _Wheel) -> Path | None:
    folder = user_cache_dir()
    path = None if folder is None else folder / "tools" / wheel.name
    return path if path is not None and path.exists() else None


def _install(capability: tuple[int, int]) -> None:
    """Bring ptxas and nvdisasm where the environment is a clone's; else nothing."""
    if capability < OLDEST_PTXAS_12:
        _unpack(_OLD_PTXAS, "ptxas for GPUs before Maxwell")
        return
    root = Path(__file__).resolve().parents[2]
    script = root / "scripts" / "environment.py"
    if Path(sys.prefix) == root / ".venv" and script.exists():
        say("kcc: this needs NVIDIA's ptxas and nvdisasm: installing kcc[nvidia], once (140 MB, "
            "under NVIDIA's licence)\n")  # fmt: skip
        subprocess.run([sys.executable, str(script), "nvidia"], check=False, stdout=STANDARD_ERROR)
        importlib.invalidate_caches()


def _unpack(wheel: _Wheel, what: str) -> None:
    """Take one program out of a wheel into kcc's cache folder; nothing where that fails."""
    folder = user_cache_dir()
    if folder is None:
        return
    say(f"kcc: this needs {what}: taking it out of {wheel.package}, once ({wheel.megabytes} MB)\n")
    with scratch_folder() as scratch:
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet", "--no-input",
                   "--only-binary", ":all:", "--python-version", "3.11", "--dest", str(scratch),
                   wheel.package]  # fmt: skip
        done = subprocess.run(command, check=False, stdout=STANDARD_ERROR)
        found = next(iter(scratch.glob("*.whl")), None)
        if done.returncode or found is None:
            return
        target = folder / "tools" / wheel.name
        target.parent.mkdir(parents=True, exist_ok=True)
        beside = target.with_suffix(f".{os.getpid()}")
        with zipfile.ZipFile(found) as archive:
            beside.write_bytes(archive.read(wheel.member))
        beside.chmod(0o755)
        beside.replace(target)
