"""The sources of kernels/, compiled with their own options."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from _pytest.mark.structures import ParameterSet

from kcc.base.workload_file import load_workload_file
from kcc.frontend import compile_source
from kcc.frontend.kernel import CompiledUnit
from kcc.frontend.options import BuildOptions, MacroOption, OptLevel, SourceText

FOLDER = Path(__file__).parents[2] / "kernels"

NAMES = sorted(path.parent.name for path in FOLDER.glob("*/kernel.toml"))

STRIDE = 7


def sampled(names: list[str]) -> list[ParameterSet]:
    """Every so-manieth as a test of the default suite, the others under --full."""
    return [
        pytest.param(name, marks=pytest.mark.full if number % STRIDE else ())
        for number, name in enumerate(names)
    ]


@cache
def compiled(name: str, level: OptLevel) -> CompiledUnit:
    """The workload ``name`` at a level."""
    workload = load_workload_file(FOLDER / name / "kernel.toml")
    options = BuildOptions(
        macros=tuple(MacroOption(key, value) for key, value in workload.defines.items()),
        include_dirs=tuple(map(str, workload.includes)),
        opt_level=level,
    )
    text = workload.source.read_text(encoding="utf-8")
    return compile_source(
        SourceText(workload.source.name, text, str(workload.source.parent)), options
    )
