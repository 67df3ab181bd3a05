"""Machine operations: what a warp issues, in basic blocks, and what stands for it in a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import IntEnum

from kcc.base.records import dataclass
from kcc.frontend.builtins.matrix import MatrixProduct
from kcc.passes.mix.instruction_classes import InstructionClass
from kcc.sim.machine.costs import Unit


class Memory(IntEnum):
    """What an operation does to memory."""

    NONE = 0
    SHARED_LOAD = 1
    SHARED_STORE = 2
    GLOBAL_LOAD = 3
    GLOBAL_STORE = 4
    CONSTANT_LOAD = 5
    PRIVATE = 6
    SHARED_ATOMIC = 7
    GLOBAL_ATOMIC = 8
    BARRIER = 9
    IMAGE = 10
    PRIVATE_STORE = 11
    GROUP = 12
    """What a warp began becomes a group (:mod:`kcc.sim.program.groups`): it does not wait here, and
    the result is there when all that the operation needs is."""
    WAIT = 13
    """For groups: no fence of other memory."""
    SHUFFLE = 14
    """What lanes give each other goes through the banks of shared memory, whose latency it has: 23
    and 22 cycles on a V100 (Jia et al., "Dissecting the NVIDIA Volta GPU", 2018)."""


WALLS = frozenset({Memory.BARRIER, Memory.GROUP, Memory.WAIT})
"""Across which a compiler moves nothing."""


@dataclass(frozen=True, slots=True)
class MachineOperation:
    """``slots`` warp instructions on ``unit``; the result is there ``steps`` latencies of ``kind``
    after issue. ``needs`` are operations of the program whose results it waits for. ``access`` is
    the id of the memory access, -1 for none; ``bytes`` what a lane moves. ``instruction`` is the
    IR's, -1 for what has none. ``place`` is the byte of local memory at which a spilled value of a
    work-item lies, -1 for all else. ``parts`` are the accesses of the IR that one load does, where
    they are several. What the iterations of an unrolled loop share is issued in one of ``every``,
    with ``whole`` instructions, of which ``slots`` is the mean. ``has_doubles``: a conversion from
    or to double precision; ``joined``: an atomic operation that the lanes of a warp, which have one
    address, do among themselves first."""

    unit: Unit
    kind: InstructionClass
    slots: float
    steps: float
    needs: tuple[int, ...]
    memory: Memory
    access: int
    bytes: int
    line: int
    instruction: int
    place: int = -1
    parts: tuple[int, ...] = ()
    every: int = 1
    whole: float = 0.0
    has_doubles: bool = False
    product: MatrixProduct | None = None
    """What the tensor cores compute."""
    joined: bool = False
    copied: bool = False
    """What it loads goes to shared memory past registers."""

    @property
    def at_once(self) -> float:
        """Warp instructions where it is issued."""
        return self.whole if self.every > 1 else self.slots


@dataclass(frozen=True, slots=True)
class Rounds:
    """What a warp issues in rounds of a program's loops, as operations beyond the program's own:
    operation ``len(program.operations) + i`` is as ``of[i]`` but for its ``slots`` and ``needs``,
    and its result is number ``results[i]``. ``blocks``: by the block that a loop is, how many
    iterations are a round, and its operations."""

    of: tuple[int, ...] = ()
    slots: tuple[float, ...] = ()
    needs: tuple[tuple[int, ...], ...] = ()
    results: tuple[int, ...] = ()
    blocks: Mapping[int, tuple[int, tuple[int, ...]]] = field(
        default_factory=dict[int, tuple[int, tuple[int, ...]]]
    )


@dataclass(frozen=True, slots=True)
class MachineProgram:
    """``blocks[b]`` are the operations of basic block b in the order in which they are issued."""

    operations: tuple[MachineOperation, ...]
    blocks: tuple[tuple[int, ...], ...]
    registers: int
    """Of a work-item: values of 32 bits that live at once, at most, in this order of operations,
    and what a program keeps beside them."""
    private_bytes: int
    """Of a work-item's arrays and spilled values that lie in memory."""
    array_places: Mapping[int, int] = field(default_factory=dict[int, int])
    """At which byte of that each array begins, by the instruction that makes it."""
    rounds: Rounds = Rounds()
    """Of loops that are unrolled."""
    idle: Mapping[int, tuple[int, int]] = field(default_factory=dict[int, tuple[int, int]])
    """By predicated block, the block whose warps issue it, and the operation that takes the slots
    of its accesses where a warp has no lane there: in no block, unless it is known how often."""
    reads: tuple[float, ...] = ()
    """By block, registers that one of two banks gives for an instruction, in the mean; empty where
    they are not known."""


LOADS = frozenset(
    {
        Memory.SHARED_LOAD,
        Memory.GLOBAL_LOAD,
        Memory.CONSTANT_LOAD,
        Memory.PRIVATE,
        Memory.IMAGE,
        Memory.SHUFFLE,
    }
)
KEPT_AFTER = {
    Memory.SHARED_STORE: Memory.SHARED_LOAD,
    Memory.GLOBAL_STORE: Memory.GLOBAL_LOAD,
    Memory.PRIVATE_STORE: Memory.PRIVATE,
    Memory.SHARED_ATOMIC: Memory.SHARED_LOAD,
    Memory.GLOBAL_ATOMIC: Memory.GLOBAL_LOAD,
}
"""Loads that a store keeps after it."""
