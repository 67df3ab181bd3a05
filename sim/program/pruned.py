"""The program that the pruning of Wang et al. leaves: arithmetic and accesses to memory.

HPCA 2019, section III-A.1 and table I: of each basic block only additions, subtractions, products,
quotients, remainders, shifts and functions stay, and loads and stores; what computes addresses,
converts, compares, selects or branches is filtered out. Nothing is fused or merged. Each
instruction that stays costs what :data:`kcc.sim.machine.costs.COSTS` has for its class, since the
text's measured latencies are not printed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from kcc.frontend.ir.instructions import AnyInstruction
from kcc.frontend.ir.opcodes import Opcode
from kcc.frontend.kernel import Kernel
from kcc.frontend.types import AddressSpace
from kcc.passes.facts import Facts
from kcc.passes.memory.memory_accesses import AccessOp, MemoryAccess, MemoryAccesses
from kcc.passes.mix.classify import classify
from kcc.passes.mix.instruction_classes import InstructionClass
from kcc.sim.machine.costs import COSTS, Generation, Unit
from kcc.sim.program.lowering import machine_program
from kcc.sim.program.operations import MachineOperation, MachineProgram, Memory

_C = InstructionClass
TABLE_I = frozenset(
    {_C.INT, _C.INT_MUL, _C.INT_DIV, _C.INT64, _C.INT64_MUL, _C.FP16, _C.FP32, _C.FP64, _C.FP_DIV,
     _C.SPECIAL, _C.MATH}
)  # fmt: skip
"""The classes that table I has operations of."""

KINDS = {
    (AddressSpace.GLOBAL, True): Memory.GLOBAL_LOAD,
    (AddressSpace.GLOBAL, False): Memory.GLOBAL_STORE,
    (AddressSpace.LOCAL, True): Memory.SHARED_LOAD,
    (AddressSpace.LOCAL, False): Memory.SHARED_STORE,
    (AddressSpace.CONSTANT, True): Memory.CONSTANT_LOAD,
    (AddressSpace.PRIVATE, True): Memory.PRIVATE,
    (AddressSpace.PRIVATE, False): Memory.PRIVATE_STORE,
    (AddressSpace.GENERIC, True): Memory.GLOBAL_LOAD,
    (AddressSpace.GENERIC, False): Memory.GLOBAL_STORE,
}
"""What a load (true) or a store of each space is."""

SHIFTS = frozenset({Opcode.SHL, Opcode.LSHR, Opcode.ASHR})


def pruned_program(kernel: Kernel, facts: Facts) -> MachineProgram:
    """The operations of each block in the order of the IR. Rows of memory are those of kcc's
    lowering, but each access is by itself; work-item functions are known before the kernel runs."""
    lowered = machine_program(kernel, facts, Generation.VOLTA, None)
    memory = {row.instruction: row for row in lowered.operations if row.memory is not Memory.NONE}
    kinds = {row.access: row.memory for row in memory.values()}
    accesses = {each.instruction: each for each in facts[MemoryAccesses].accesses}
    rows, blocks = list[MachineOperation](), list[tuple[int, ...]]()
    for block in kernel.function.blocks:
        first = len(rows)
        for instruction in block.instructions:
            index = instruction.index
            if index in memory:
                rows.append(replace(memory[index], needs=(), parts=()))
            elif index in accesses:
                rows.append(_access(index, accesses[index], kinds))
            else:
                rows += _arithmetic(instruction)
        blocks.append(tuple(range(first, len(rows))))
    return MachineProgram(tuple(rows), tuple(blocks), lowered.registers, lowered.private_bytes)


def _access(index: int, access: MemoryAccess, kinds: Mapping[int, Memory]) -> MachineOperation:
    """One that kcc merges with another."""
    kind = kinds.get(access.id) or KINDS[access.space, access.op is AccessOp.LOAD]
    size = access.element_bytes if isinstance(access.element_bytes, int) else 4
    line = access.location.line if access.location else 0
    return MachineOperation(
        Unit.MEMORY, InstructionClass.LOAD_GLOBAL, 1, 1, (), kind, access.id, size, line, index
    )


def _arithmetic(instruction: AnyInstruction) -> Iterator[MachineOperation]:
    line = instruction.location.line if instruction.location else 0
    for kind, lanes in classify(instruction):
        if kind in TABLE_I or instruction.opcode in SHIFTS:
            cost = COSTS[kind]
            yield MachineOperation(
                cost.unit, kind, cost.slots * lanes, cost.steps, (), Memory.NONE, -1, 0, line,
                instruction.index,
            )  # fmt: skip
