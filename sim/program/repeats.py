"""Values that a function computes twice: what was computed before on all ways is there (GVN of LLVM
and of ptxas). IR has such where remainders that LLVM had made masks of were put back."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from kcc.frontend.ir.instructions import (
    AnyInstruction,
    Binary,
    Cast,
    FloatCompare,
    IntCompare,
    Select,
)
from kcc.frontend.ir.model import Function
from kcc.frontend.ir.values import InstructionRef, Value
from kcc.passes.graph.dominance import Dominators


def repeats(function: Function, dominators: Dominators) -> Mapping[int, int]:
    """By instruction that computes what another one has, in its block or in one that dominates
    it, that other one."""
    found, made = dict[int, int](), dict[Hashable, list[AnyInstruction]]()
    for each in function.instructions:
        key = _key(each, found)
        if key is None:
            continue
        own = made.setdefault(key, [])
        before = next((o for o in own if dominators.dominates(o.block, each.block)), None)
        if before is None:
            own.append(each)
        else:
            found[each.index] = before.index
    return found


def _key(each: AnyInstruction, found: Mapping[int, int]) -> Hashable:
    """What an instruction computes; None where it may give another value each time."""

    def name(value: Value) -> Hashable:
        if isinstance(value, InstructionRef):
            return found.get(value.index, value.index)
        return value

    if not isinstance(each, Binary | Cast | IntCompare | FloatCompare | Select):
        return None
    predicate = each.predicate if isinstance(each, IntCompare | FloatCompare) else None
    return each.opcode, each.type, predicate, tuple(map(name, each.operands))
