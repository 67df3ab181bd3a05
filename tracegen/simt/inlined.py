"""Functions that are still called (at -O0, or ``noinline``) go into the kernel before it is laid
out: the engine runs one function, as most GPUs do."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from kcc.frontend.ir.instructions import Call
from kcc.frontend.ir.reader import read_module
from kcc.frontend.kernel import CompiledUnit, Kernel
from kcc.frontend.optimise import inline_calls


@lru_cache(maxsize=64)
def inlined(unit: CompiledUnit, kernel: Kernel) -> tuple[CompiledUnit, Kernel]:
    """The unit and the kernel without such calls; as given where there are none. No function calls
    itself: front ends leave such kernels out (K416)."""
    functions = unit.module.functions
    if not any(isinstance(i, Call) and i.callee in functions for i in kernel.function.instructions):
        return unit, kernel
    text = inline_calls(unit.ir)
    module = read_module(text)
    function = next(f for f in module.kernels if f.name == kernel.function.name)
    return replace(unit, ir=text, module=module), replace(kernel, function=function)
