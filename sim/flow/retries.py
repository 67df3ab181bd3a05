"""Loops that try a compare-and-exchange again until no other lane was faster.

Such a loop (an atomic addition of what the GPU has no instruction for: CUDA C++ Programming Guide,
atomic functions) ends for a lane when its exchange succeeds. One lane of those that meet at one
address succeeds in an iteration: a warp has one iteration where its lanes' addresses differ, and
one for each lane where they all have the same. Failures against other warps add to that; nothing
says how many there are.
"""

from __future__ import annotations

from collections.abc import Iterator

from kcc.frontend.ir.instructions import CompareExchange, CondBranch, Load, Phi
from kcc.frontend.ir.model import Function
from kcc.frontend.ir.values import InstructionRef, Value
from kcc.frontend.kernel import Kernel
from kcc.passes.control.divergence import Judge
from kcc.passes.facts import Facts
from kcc.passes.graph.loops import Loop
from kcc.passes.symbolic.build import SymbolicValues


def retries(kernel: Kernel, facts: Facts, loop: Loop) -> float | None:
    """Iterations of a loop that a compare-and-exchange ends, None for other loops."""
    function, inside = kernel.function, frozenset(loop.blocks)
    values = facts[SymbolicValues]
    for block in loop.exiting:
        end = function.blocks[block].terminator
        if not isinstance(end, CondBranch):
            continue
        for found in _sources(function, end.condition, inside):
            if isinstance(found, CompareExchange) and _tries_again(function, found, inside):
                address = values.address(found, found.pointer)
                uniform = not Judge(kernel, facts).condition(address).is_divergent
                return float(values.algebra.known.warp) if uniform else 1.0
    return None


def _tries_again(function: Function, exchange: CompareExchange, inside: frozenset[int]) -> bool:
    """Whether it expects what the loop has read; a lock expects the same value each time."""
    return any(
        isinstance(found, Load | Phi) for found in _sources(function, exchange.expected, inside)
    )


def _sources(function: Function, value: Value, inside: frozenset[int]) -> Iterator[object]:
    """The instructions of a loop that a value is computed by, up to what it has read or kept."""
    waiting, seen = [value], set[int]()
    while waiting:
        each = waiting.pop()
        if not isinstance(each, InstructionRef) or each.index in seen:
            continue
        seen.add(each.index)
        made = function.instructions[each.index]
        if made.block in inside:
            yield made
            if not isinstance(made, Load | Phi | CompareExchange):
                waiting += made.operands
