"""Compiling through clang in tests."""

from __future__ import annotations

from pathlib import Path

from kcc.base.workload_file import load_workload_file
from kcc.frontend import FrontendName, compile_source
from kcc.frontend.kernel import CompiledUnit, Kernel
from kcc.frontend.options import BuildOptions, MacroOption, OptLevel, SourceText
from kcc.passes.facts import Facts
from kcc.passes.graph.barriers import Barriers
from kcc.passes.graph.loops import Loops
from kcc.passes.table import analyse

KERNELS = Path(__file__).parents[3] / "kernels"


def cuda(text: str, level: OptLevel = OptLevel.O1, **options: tuple[str, ...]) -> CompiledUnit:
    """A source called ``k.cu``."""
    chosen = BuildOptions(opt_level=level, instantiate=options.get("instantiate", ()))
    return compile_source(SourceText("k.cu", text, "."), chosen, "clang")


def workload(path: Path, frontend: FrontendName) -> CompiledUnit:
    """A source of kernels/ with the defines of its kernel.toml."""
    described = load_workload_file(path.parent / "kernel.toml")
    options = BuildOptions(
        macros=tuple(MacroOption(key, value) for key, value in described.defines.items()),
        include_dirs=tuple(map(str, described.includes)),
    )
    source = SourceText(path.name, path.read_text(encoding="utf-8"), str(path.parent))
    return compile_source(source, options, frontend)


def facts_of(unit: CompiledUnit) -> dict[str, tuple[Kernel, Facts]]:
    """The kernels by name, with what the passes say of them."""
    return {k.name: (k, analyse(k, unit.module)) for k in unit.kernels}


def shape_of(facts: Facts) -> tuple[list[int], int]:
    """The depths of the loops, and the number of barriers."""
    return [loop.depth for loop in facts[Loops].loops], len(facts[Barriers].barriers)
