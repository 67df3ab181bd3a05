"""Instructions that only bring something where others want it: numbers into registers, those of
work-items out of special ones, the descriptor of global memory into uniform ones."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from kcc.frontend.ir.instructions import AnyInstruction, Call
from kcc.frontend.ir.model import Function
from kcc.frontend.ir.types import PtrTy, size_bytes
from kcc.frontend.ir.values import (
    ArgumentRef,
    ConstantFloat,
    ConstantInt,
    InstructionRef,
    Value,
)
from kcc.frontend.types import AddressSpace
from kcc.passes.mix.instruction_classes import InstructionClass
from kcc.sim.machine.costs import COSTS, SINCE_VOLTA, Generation, Unit, cost_of
from kcc.sim.program.drafts import Draft, Drafts, constant_move
from kcc.sim.program.folding import function_name, launch_size

_DESCRIBED = frozenset({AddressSpace.GLOBAL, AddressSpace.GENERIC})


_SPECIAL_REGISTERS = {
    "get_global_id": ("CTAID", "TID"), "get_local_id": ("TID",), "get_group_id": ("CTAID",)
}  # fmt: skip
"""Where ptxas 12.9 reads a work-item's numbers (S2R), by the function that asks for them."""


def work_item(drafts: Drafts, instruction: AnyInstruction, generation: Generation) -> int | None:
    """A work-item's number in the grid: its block's and its own in the block, each out of a special
    register (S2R), and a product with a sum (IMAD)."""
    name = function_name(instruction) if isinstance(instruction, Call) else ""
    if name not in _SPECIAL_REGISTERS:
        return None
    dimension = str(instruction.operands[0])
    line = instruction.location.line if instruction.location else 0
    cost = COSTS[InstructionClass.WORK_ITEM]  # Its steps are additions; one of the unit here.
    made = [
        drafts.once((register, dimension), instruction.block, lambda: Draft(
            Unit.SFU, InstructionClass.WORK_ITEM, cost.slots, 1.0, [],
            line=line, instruction=instruction.index,
        ))
        for register in _SPECIAL_REGISTERS[name]
    ]  # fmt: skip
    if len(made) == 1:
        return made[0]
    size = f"get_local_size {dimension}"
    made += from_bank(drafts, instruction.block, [size], (), generation)
    product = cost_of(InstructionClass.INT_MUL, generation) or COSTS[InstructionClass.INT]
    draft = Draft(
        product.unit, InstructionClass.INT, product.slots, product.steps, made,
        line=line, instruction=instruction.index,
    )  # fmt: skip
    return drafts.add(instruction.block, draft)


def describe(drafts: Drafts, block: int, space: AddressSpace, generation: Generation) -> None:
    """The descriptor of global memory (ULDC.64 of c[0x0][0x118]), once in a block before all that
    access it: ptxas 12.9 from sm_80 on. Code for sm_70 begins with one instruction more instead
    (SHFL); that for sm_75 has neither, and is counted one too many."""
    if space in _DESCRIBED and generation in SINCE_VOLTA:
        key = "descriptor"
        drafts.once(key, block, lambda: Draft(Unit.CONTROL, InstructionClass.MOVE, 1.0, 1.0, []))


def operands_of(
    function: Function, fused: Collection[int], instruction: AnyInstruction
) -> Iterator[Value | str]:
    """An instruction's operands, with those of a product that is part of it (``fused``); a size of
    the launch by its name."""
    for value in instruction.operands:
        made = function.definition(value)
        if made is not None and made.index in fused:
            yield from made.operands
        else:
            yield launch_size(function, value) or value


def from_bank(
    drafts: Drafts, block: int, operands: Iterable[Value | str], in_bank: Collection[int],
    generation: Generation,
) -> list[int]:  # fmt: skip
    """What brings an instruction's operands out of the constant bank, each once in a block:
    arguments (ULDC into a uniform register, LDC.64 for an array's beginning), sizes of the launch,
    by name, and loads at constant places of constant memory (``in_bank``), two words at once
    (ULDC.64). Until Ada instructions read them there; so ptxas 12.9 for sm_90, 100 and 120."""
    found = list[int]()
    if generation is not Generation.HOPPER:
        return found
    for value in operands:
        if isinstance(value, ArgumentRef | str):
            slots = 1.0
        elif isinstance(value, InstructionRef) and value.index in in_bank:
            slots = size_bytes(value.type) / _UNIFORM_BYTES
        else:
            continue
        draft = Draft(Unit.CONTROL, InstructionClass.MOVE, slots, 1.0, [])
        found.append(drafts.once(("bank", value, block), block, lambda d=draft: d))
    return found


_UNIFORM_BYTES = 8
"""That one instruction reads out of the constant bank."""


def brought(
    drafts: Drafts, block: int, instruction: AnyInstruction, in_bank: Collection[int], line: int
) -> list[int]:
    """The moves, in a block, of what a store or an atomic operation has to have in a register:
    numbers other than zero, arguments, and loads that are operands from the constant bank
    (``in_bank``), which another instruction would read there (MOV, IMAD.MOV; ptxas 12.9)."""
    found = list[int]()
    for value in instruction.operands:
        if _is_elsewhere(value, in_bank):
            move = constant_move(line)
            move.slots = float(-(-size_bytes(value.type) // 4))
            found.append(drafts.once(("moved", value), block, lambda m=move: m))
    return found


def _is_elsewhere(value: Value, in_bank: Collection[int]) -> bool:
    match value:
        case InstructionRef():
            return value.index in in_bank
        case ConstantInt():
            return value.value != 0
        case ConstantFloat():
            return value.bits != 0
        case ArgumentRef():
            return not isinstance(value.type, PtrTy)
        case _:
            return False
