"""What a loop costs beside its body, and how compilers share that by unrolling."""

from __future__ import annotations

from collections.abc import Sequence

from kcc.base.records import dataclass
from kcc.frontend.ir.instructions import (
    AnyInstruction,
    AtomicRmw,
    Binary,
    Call,
    CompareExchange,
    CondBranch,
    IntCompare,
    Load,
    Phi,
    Store,
    Switch,
)
from kcc.frontend.ir.model import Function
from kcc.frontend.ir.opcodes import Opcode
from kcc.frontend.ir.values import ConstantInt, InstructionRef
from kcc.passes.graph.loops import Loop, Loops
from kcc.passes.symbolic.build import SymbolicValues
from kcc.passes.symbolic.expr import Number
from kcc.sim.program.folding import Users

UNROLL_LIMIT = 8
UNROLL_SIZE = 150
"""Innermost loops are unrolled up to 8 times while they have no more than 150 operations: LLVM's
NVPTX target lets loops be unrolled at run time by up to 8; the size is such that the branches
counted on a 2080 Ti over Coulomb sums (7 for 64 iterations) come out best."""

PTXAS_TIMES, PTXAS_SIZE = 4, 320
"""Since Maxwell, ptxas 12.9 unrolls by four, then two, then one, loops of one way out that count by
a constant and have no access under a condition, up to about so many instructions in four
iterations (copies of accesses in 79 innermost loops of kernels/, sm_80)."""

COUNTED_TIMES, COUNTED_SIZE, COUNTED_ARITHMETIC = 8, 200, 64
"""Likewise where the trip count is known: by eight while that is no more than so many instructions,
loops without accesses while they have that much arithmetic (64 in each of two loops of four and
sixteen; tables of the 2080 Ti count 7 branches in 64 iterations of Coulomb sums)."""

FULL_UNROLL_SIZE = 1000
"""Operations up to which a loop with a constant trip count is fully unrolled (nvcc's default
threshold is not published; LLVM's NVPTX target takes 300 times bonuses for folded constants)."""


@dataclass(frozen=True, slots=True)
class Unrolling:
    """How a compiler treats the loops of a function."""

    function: Function
    loops: Loops
    values: SymbolicValues
    users: Users
    trips: Sequence[float] = ()
    """Iterations of each loop per entry, in the mean."""
    by_ptxas: bool = False
    """Whether loops are unrolled by what was seen of ptxas, from Maxwell on."""
    was_ptx: bool = False
    """Whether NVVM has unrolled fully what it would, since its PTX is what was read."""

    def is_whole(self, loop: int) -> bool:
        """Whether a loop is fully unrolled; one that was unrolled in part stays."""
        trips = self.values.back_edges(loop)
        if not isinstance(trips, Number) or self.loops.loops[loop].unroll == 1 or self.was_ptx:
            return False
        blocks = self.loops.loops[loop].blocks
        size = sum(len(self.function.blocks[b].instructions) for b in blocks)
        return (trips.value + 1) * size <= FULL_UNROLL_SIZE

    def times(self, loop: Loop, operations: float) -> int:
        """How many iterations of an innermost loop of so many operations share its overhead."""
        if loop.children or loop.unroll == 1 or (self.by_ptxas and not self._may_unroll(loop)):
            return 1
        limit, size = self._limits(loop)
        times = 1
        while times < limit and 2 * times * operations <= size:
            times *= 2
        trips = self.values.back_edges(loop.id)
        if isinstance(trips, Number) and self.is_whole(loop.id):
            times = max(times, trips.value + 1)
        return times

    def _limits(self, loop: Loop) -> tuple[int, float]:
        """How many iterations a compiler may join, and up to how many operations."""
        if not self.by_ptxas:
            return UNROLL_LIMIT, UNROLL_SIZE
        if not isinstance(self.values.back_edges(loop.id), Number):
            return PTXAS_TIMES, PTXAS_SIZE
        inside = [i for b in loop.blocks for i in self.function.blocks[b].instructions]
        if not any(isinstance(each, Load | Store) for each in inside):
            body = sum(not isinstance(each, Phi) and not self.is_overhead(each) for each in inside)
            times = max(COUNTED_ARITHMETIC // max(body, 1), 1)
            return max(times, PTXAS_TIMES), PTXAS_SIZE
        if COUNTED_TIMES * len(inside) <= COUNTED_SIZE:
            return COUNTED_TIMES, PTXAS_SIZE
        return PTXAS_TIMES, PTXAS_SIZE

    def sharing(self, loop: Loop, operations: float) -> float:
        """The same in the mean: iterations that are left over are run one by one, each with its own
        overhead (nvcc 13 does so before the unrolled ones), as all are of a loop that is too short.
        Without ``trips`` loops are taken to be long."""
        times = float(self.times(loop, operations))
        iterations = self.trips[loop.id] if self.trips else 0.0
        if iterations <= 0.0:
            return times
        rest = iterations % times
        if self.by_ptxas:
            rest = rest // 2 + rest % 2
        return max(iterations / (iterations // times + rest), 1.0)

    def _may_unroll(self, loop: Loop) -> bool:
        """Whether a loop has one way out, counts by a constant and accesses memory in each
        iteration alike."""
        if len(loop.exiting) != 1 or not self._counts(loop):
            return False
        (leaving,), blocks = loop.exiting, self.function.blocks
        sure = {loop.header, leaving, *loop.latches}
        return not any(
            isinstance(each, Load | Store | AtomicRmw | CompareExchange | Call)
            for block in loop.blocks if block not in sure
            for each in blocks[block].instructions
        )  # fmt: skip

    def _counts(self, loop: Loop) -> bool:
        """Whether the way out compares a counter that moves by a constant."""
        end = self.function.blocks[loop.exiting[0]].instructions[-1]
        instructions = self.function.instructions
        if not isinstance(end, CondBranch) or not isinstance(end.condition, InstructionRef):
            return False
        test = instructions[end.condition.index]
        if not isinstance(test, IntCompare):
            return False
        for operand in test.operands:
            if not isinstance(operand, InstructionRef):
                continue
            made = instructions[operand.index]
            if isinstance(made, Binary) and self._is_counter_step(made):
                return True
            if isinstance(made, Phi) and made.block == loop.header:
                steps = [instructions[o.index] for o in made.operands
                         if isinstance(o, InstructionRef)]  # fmt: skip
                return any(isinstance(s, Binary) and self._is_counter_step(s) for s in steps)
        return False

    def leaves_rest(self, loop: Loop, operations: float) -> bool:
        """Whether a loop of so many operations is unrolled and its trip count is not known, so
        that there may be iterations left over."""
        known = isinstance(self.values.back_edges(loop.id), Number)
        return not known and self.times(loop, operations) > 1

    def is_overhead(self, instruction: AnyInstruction) -> bool:
        """Whether an instruction counts or tests the iterations of its loop."""
        inner = self.loops.innermost[instruction.block]
        if inner is None:
            return False
        loop = self.loops.loops[inner]
        if isinstance(instruction, CondBranch | Switch):
            return instruction.block in loop.exiting
        if isinstance(instruction, IntCompare):
            users = self.users.get(instruction.index, ())
            return all(isinstance(u, CondBranch) and u.block in loop.exiting for u in users)
        if isinstance(instruction, Binary) and instruction.opcode in (Opcode.ADD, Opcode.SUB):
            return self._is_counter_step(instruction)
        return False

    def _is_counter_step(self, instruction: Binary) -> bool:
        phis = {
            o.index for o in instruction.operands
            if isinstance(o, InstructionRef)
            and isinstance(self.function.instructions[o.index], Phi)
        }  # fmt: skip
        if instruction.opcode not in (Opcode.ADD, Opcode.SUB):
            return False
        constant = any(isinstance(o, ConstantInt) for o in instruction.operands)
        back = any(u.index in phis for u in self.users.get(instruction.index, ()))
        return constant and back
