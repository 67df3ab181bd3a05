"""Branches: where a work-item decides which way to go."""

from __future__ import annotations

from kcc.base.records import dataclass
from kcc.frontend.ir.instructions import CondBranch, DebugLocation, Switch
from kcc.frontend.ir.values import Value
from kcc.frontend.kernel import Kernel
from kcc.passes.facts import Facts
from kcc.passes.graph.control_flow import ControlFlow


@dataclass(frozen=True, slots=True)
class BranchPoint:
    """The decision at the end of block ``block`` (its terminator, ``instruction``) on
    ``condition``: a truth value, or the value of a switch.
    """

    id: int
    instruction: int
    block: int
    condition: Value
    location: DebugLocation | None


@dataclass(frozen=True, slots=True)
class Branches:
    """The branches of the reachable blocks, in their order, that lead to different blocks."""

    branches: tuple[BranchPoint, ...]


@dataclass(frozen=True, slots=True)
class BranchesPass:
    """Gives :class:`Branches`."""

    name: str = "branches"
    requires: tuple[type, ...] = (ControlFlow,)

    def run(self, kernel: Kernel, facts: Facts) -> Branches:
        reachable = facts[ControlFlow].reachable
        found = list[BranchPoint]()
        for block in kernel.function.blocks:
            end = block.terminator
            decides = isinstance(end, CondBranch | Switch) and len(block.successors) > 1
            if decides and block.index in reachable:
                found.append(
                    BranchPoint(len(found), end.index, block.index, end.operands[0], end.location)
                )
        return Branches(tuple(found))
