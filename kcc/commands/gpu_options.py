"""What `--gpu`, `--set`, `--registers` and `--assume` stand for."""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from kcc.base.assumptions import Assumptions, parse_assumptions
from kcc.base.diagnostics import Diagnostic, DiagnosticError, Span
from kcc.commands.errors import UsageError, usage_error
from kcc.commands.sources import SourceLines

if TYPE_CHECKING:
    from kcc.base.gpu.description import GpuDescription
    from kcc.stages.analyze import RegisterRequest

PTXAS_DEFAULT_TARGET = "sm_80"
"""The architecture registers are counted for where no GPU is named: every ptxas from CUDA 11 to 13
knows it."""


def chosen_gpu(arguments: argparse.Namespace) -> GpuDescription | None:
    """The GPU with its changes; None if none is named.

    Raises :class:`DiagnosticError` (K80x) for a name or a value that is not right.
    """
    if arguments.gpu is None:
        if arguments.overrides:
            raise usage_error("--set changes a GPU, and none is named", "add --gpu NAME")
        return None
    from kcc.base.gpu.loading import load_gpu

    return load_gpu(arguments.gpu, arguments.overrides)


def register_request(arguments: argparse.Namespace) -> RegisterRequest | None:
    """How registers are to be counted; None if nobody asked.

    Raises :class:`DiagnosticError` (K810) where ptxas is asked for and not there.
    """
    from kcc.stages.analyze import RegisterRequest

    if arguments.registers is None and arguments.gpu is None:
        return None
    gpu = chosen_gpu(arguments)
    if arguments.registers == "amdgpu":
        capability = gpu.compute_capability if gpu is not None and gpu.is_amd else None
        if capability is None:
            raise usage_error("--registers amdgpu: no GPU of AMD is named", "add --gpu mi210")
        return RegisterRequest(amd_target=capability.value)
    if arguments.registers != "ptxas":
        return RegisterRequest()
    from kcc.passes.registers.counts import ptx_target

    target = PTXAS_DEFAULT_TARGET if gpu is None else ptx_target(gpu)
    if target is None:
        raise usage_error(f"ptxas compiles for NVIDIA's GPUs, and {arguments.gpu} is none")
    path = shutil.which("ptxas")
    if path is None:
        hint = "it comes with CUDA, and in the package nvidia-cuda-nvcc of the package index"
        raise DiagnosticError([Diagnostic("K810", "there is no ptxas on the PATH", hint=hint)])
    return RegisterRequest(Path(path), target)


def read_assumptions(texts: Sequence[str], sources: SourceLines) -> Assumptions:
    """The assumptions of the command line; raises :class:`UsageError` for what is none."""
    sources.add("--assume", "\n".join(texts))
    try:
        places = (Span("--assume", line, 1) for line in range(1, len(texts) + 1))
        return parse_assumptions(zip(texts, places, strict=True))
    except DiagnosticError as error:
        raise UsageError(error.diagnostics) from error
