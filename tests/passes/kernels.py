"""Kernels to analyse, from IR text or from the shape of a control-flow graph."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from kcc.base.diagnostics import Span
from kcc.frontend.ir.model import Function, Module
from kcc.frontend.ir.reader import read_module
from kcc.frontend.ir.types import PtrTy
from kcc.frontend.kernel import Argument, Kernel, Language
from kcc.frontend.types import AddressSpace
from kcc.passes.facts import Facts
from kcc.passes.table import analyse

Graph = tuple[tuple[int, ...], ...]
"""Targets of each block: none returns, one jumps, two branch on a truth value, more switch."""


def kernel_of(function: Function) -> Kernel:
    """A function as a front end would deliver it as a kernel."""
    return Kernel(
        name=function.source_name,
        symbol=function.name,
        language=Language.OPENCL,
        arguments=tuple(
            Argument(a.name, str(a.type), _space(a.type), "none", ()) for a in function.arguments
        ),
        function=function,
        span=Span("k.cl", 1),
        required_local_size=None,
    )


def _space(type_: object) -> AddressSpace:
    return AddressSpace(type_.space) if isinstance(type_, PtrTy) else AddressSpace.PRIVATE


def read_kernel(text: str) -> tuple[Kernel, Module]:
    """The first kernel of a module in LLVM's print."""
    module = read_module(text)
    return kernel_of(module.kernels[0]), module


def facts_of(text: str) -> tuple[Kernel, Facts]:
    """The first kernel of a module in LLVM's print, and all facts about it."""
    kernel, module = read_kernel(text)
    return kernel, analyse(kernel, module)


def graph_text(graph: Sequence[Sequence[int]]) -> str:
    """A kernel with the given control flow and nothing else."""
    lines = ["define spir_kernel void @k(i1 %c, i32 %n) {"]
    for block, targets in enumerate(graph):
        lines += [f"b{block}:", f"  {_terminator(targets)}"]
    return "\n".join([*lines, "}", ""])


def _terminator(targets: Sequence[int]) -> str:
    if not targets:
        return "ret void"
    if len(targets) == 1:
        return f"br label %b{targets[0]}"
    if len(targets) == 2:
        return f"br i1 %c, label %b{targets[0]}, label %b{targets[1]}"
    cases = " ".join(f"i32 {n}, label %b{target}" for n, target in enumerate(targets[1:]))
    return f"switch i32 %n, label %b{targets[0]} [ {cases} ]"


def graphs(max_blocks: int = 9) -> st.SearchStrategy[Graph]:
    """Random control-flow graphs; nothing leads to the entry, as LLVM has it."""

    def rows(count: int) -> st.SearchStrategy[Graph]:
        if count == 1:
            return st.just(((),))
        row = st.lists(st.integers(1, count - 1), max_size=3).map(tuple)
        return st.tuples(*[row] * count)

    return st.integers(1, max_blocks).flatmap(rows)
