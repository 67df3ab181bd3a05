"""What `--gpu`, `--set`, `--code` and `--assume` stand for."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from kcc.base.assumptions import Assumptions, parse_assumptions
from kcc.base.diagnostics import DiagnosticError, Span
from kcc.commands.errors import UsageError, usage_error
from kcc.commands.sources import SourceLines

if TYPE_CHECKING:
    from kcc.base.gpu.description import GpuDescription
    from kcc.stages.analyze import RegisterRequest


def chosen_gpu(arguments: argparse.Namespace) -> GpuDescription | None:
    """The GPU with its changes; None if none is named.

    Raises :class:`DiagnosticError` (K80x) for a name or a value that is not right.
    """
    if arguments.gpu is None:
        if arguments.overrides:
            raise usage_error("--set changes a GPU: --gpu is missing", "add --gpu NAME")
        return None
    from kcc.base.gpu.loading import load_gpu

    return load_gpu(arguments.gpu, arguments.overrides)


def register_request(arguments: argparse.Namespace) -> RegisterRequest | None:
    """How registers are to be counted; None if nobody asked.

    Raises :class:`DiagnosticError` (K810) where a compiler is asked for and not there.
    """
    from kcc.commands.machine_code import asked_code, code_request
    from kcc.stages.analyze import RegisterRequest

    choice = asked_code(arguments)
    if getattr(arguments, "machine_code", False):
        choice = "compiler"
    wanted = arguments.code or arguments.registers or arguments.gpu
    if not wanted and not getattr(arguments, "machine_code", False):
        return None
    if choice in (None, "kcc"):
        return RegisterRequest()
    gpu = chosen_gpu(arguments)
    if arguments.registers == "amdgpu" and not (gpu is not None and gpu.is_amd):
        raise usage_error("--registers amdgpu: no GPU of AMD is named", "add --gpu mi210")
    if arguments.registers == "ptxas" and gpu is not None and gpu.is_amd:
        raise usage_error(f"ptxas compiles for NVIDIA's GPUs, and {arguments.gpu} is none")
    return RegisterRequest(code_request(choice, gpu))


def read_assumptions(texts: Sequence[str], sources: SourceLines) -> Assumptions:
    """The assumptions of the command line; raises :class:`UsageError` for what is none."""
    sources.add("--assume", "\n".join(texts))
    try:
        places = (Span("--assume", line, 1) for line in range(1, len(texts) + 1))
        return parse_assumptions(zip(texts, places, strict=True))
    except DiagnosticError as error:
        raise UsageError(error.diagnostics) from error
