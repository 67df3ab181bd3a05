"""Counters of a loop that always have one value."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable

from kcc.frontend.ir.instructions import Binary, Phi
from kcc.frontend.ir.model import Function
from kcc.frontend.ir.opcodes import Flags, Opcode
from kcc.frontend.ir.values import ConstantInt, InstructionRef


def sums_without_overflow(function: Function) -> frozenset[int]:
    """The additions that do not overflow without saying so: of a counter that starts and steps as
    one whose own addition says it.

    LLVM makes one of both in a miniature, as it does not in the original, where it is past that
    when loops are unrolled, and keeps what both say.
    """
    alike = defaultdict[Hashable, list[Binary]](list)
    for block in function.blocks:
        for phi in block.instructions:
            if not isinstance(phi, Phi):
                break
            _add(function, phi, alike)
    return frozenset(
        each.index
        for group in alike.values() if any(Flags.NSW in each.flags for each in group)
        for each in group
    )  # fmt: skip


def _add(function: Function, phi: Phi, alike: defaultdict[Hashable, list[Binary]]) -> None:
    ways, sums = list[Hashable](), list[Binary]()
    for value, block in zip(phi.operands, phi.incoming, strict=True):
        step = None
        if isinstance(value, InstructionRef):
            made = function.instructions[value.index]
            if isinstance(made, Binary) and made.opcode is Opcode.ADD:
                step = _step(made, phi)
                if step is not None:
                    sums.append(made)
        ways.append((block, value) if step is None else (block, "step", step.value))
    if sums:
        alike[phi.block, phi.type, tuple(ways)] += sums


def _step(made: Binary, phi: Phi) -> ConstantInt | None:
    for counter, step in ((made.left, made.right), (made.right, made.left)):
        is_own = isinstance(counter, InstructionRef) and counter.index == phi.index
        if is_own and isinstance(step, ConstantInt):
            return step
    return None
