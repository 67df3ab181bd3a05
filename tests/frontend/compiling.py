"""Compiling small sources in tests."""

from __future__ import annotations

from typing import TypeVar

from kcc.frontend import compile_source
from kcc.frontend.ir.instructions import AnyInstruction
from kcc.frontend.ir.model import Function
from kcc.frontend.kernel import CompiledUnit
from kcc.frontend.options import BuildOptions, OptLevel, SourceText

T = TypeVar("T", bound=AnyInstruction)


def compiled(
    text: str, level: OptLevel = OptLevel.O0, options: BuildOptions | None = None
) -> CompiledUnit:
    """A source called ``k.cl``."""
    chosen = options or BuildOptions(opt_level=level)
    return compile_source(SourceText("k.cl", text, "."), chosen)


def kernel(
    body: str, level: OptLevel = OptLevel.O0, parameters: str = "__global int* a, int n, int m"
) -> Function:
    """The kernel ``k`` with this body on the first line of its source."""
    unit = compiled(f"__kernel void k({parameters}) {{ {body} }}", level)
    return unit.module.functions["k"]


def shape(function: Function) -> dict[str, list[str]]:
    """The successors of each block, by label."""
    labels = [block.label for block in function.blocks]
    return {block.label: [labels[s] for s in block.successors] for block in function.blocks}


def of_class(function: Function, class_: type[T]) -> list[T]:
    """The instructions of a class, in order."""
    return [i for i in function.instructions if isinstance(i, class_)]


def texts(unit: CompiledUnit, *words: str) -> list[str]:
    """The lines of the IR that contain every word, without their debug locations."""
    lines = [line.split(", !dbg")[0].strip() for line in unit.ir.split("\n")]
    return [line for line in lines if all(word in line for word in words)]
