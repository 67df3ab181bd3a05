"""Barriers: where the work-items of a thread block wait for each other."""

from __future__ import annotations

from kcc.base.records import dataclass
from kcc.frontend.ir.instructions import Call, DebugLocation
from kcc.frontend.kernel import Kernel
from kcc.passes.facts import Facts
from kcc.passes.graph.control_flow import ControlFlow
from kcc.passes.mix.classify import primitive_class
from kcc.passes.mix.instruction_classes import InstructionClass


@dataclass(frozen=True, slots=True)
class Barrier:
    """A barrier, instruction ``instruction`` of block ``block``."""

    instruction: int
    block: int
    location: DebugLocation | None


@dataclass(frozen=True, slots=True)
class Barriers:
    """The barriers of the reachable blocks in their order."""

    barriers: tuple[Barrier, ...]


@dataclass(frozen=True, slots=True)
class BarriersPass:
    """Gives :class:`Barriers`."""

    name: str = "barriers"
    requires: tuple[type, ...] = (ControlFlow,)

    def run(self, kernel: Kernel, facts: Facts) -> Barriers:
        reachable = facts[ControlFlow].reachable
        return Barriers(
            tuple(
                Barrier(i.index, i.block, i.location)
                for i in kernel.function.instructions
                if i.block in reachable and isinstance(i, Call) and is_barrier(i)
            )
        )


def is_barrier(call: Call) -> bool:
    """Whether a call is a barrier of the thread block."""
    return not call.is_intrinsic and primitive_class(call.callee) is InstructionClass.BARRIER
