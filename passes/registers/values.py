"""Which values of a kernel take registers of a GPU, and how many.

A register holds 32 bits. What costs nothing: constants, and kernel arguments, which instructions
read from a constant bank; comparisons, whose results are predicates; casts, which name bits of
another register; address computations, which are made anew beside each access (a base, an index
and a constant fold into one instruction). A value that costs nothing lives in its *roots*: the
values that it is made of.
"""

from __future__ import annotations

from collections.abc import Sequence

from kcc.base.records import dataclass
from kcc.frontend.builtins.primitives import PrimitiveClass, primitive_of
from kcc.frontend.ir.instructions import (
    Alloca,
    AnyInstruction,
    Binary,
    Call,
    Cast,
    GetElementPtr,
    InsertElement,
    InsertValue,
    Load,
    Unary,
)
from kcc.frontend.ir.model import Function
from kcc.frontend.ir.opcodes import Flags, Opcode
from kcc.frontend.ir.types import ArrayTy, FloatTy, IntTy, IrType, PtrTy, StructTy, VecTy
from kcc.frontend.ir.values import ConstantInt, InstructionRef, Poison, Undef, Value

PRIVATE, LOCAL = 0, 3
"""Address spaces whose addresses are 32 bits: they are windows of an SM's own memory."""

CONSTANT = 2
"""The address space of constants."""

_FOLDED_CASTS = frozenset(
    {
        Opcode.TRUNC,
        Opcode.ZEXT,
        Opcode.SEXT,
        Opcode.BITCAST,
        Opcode.PTRTOINT,
        Opcode.INTTOPTR,
        Opcode.ADDRSPACECAST,
    }
)

_FREE_QUERIES = frozenset(
    {
        "get_local_size",
        "get_num_groups",
        "get_global_size",
        "get_global_offset",
        "get_work_dim",
        "get_max_sub_group_size",
    }
)
"""Launch constants, which lie in the constant bank with the arguments."""


@dataclass(frozen=True, slots=True)
class RegisterValues:
    """``units[i]`` are the registers that the result of instruction i takes, 0 where it takes none.
    ``roots[i]`` are the instructions whose registers hold it (itself, if it takes any), ascending.
    ``reads[i]`` are the instructions whose registers instruction i reads, ``uses[i]`` the same as
    bits. What is folded reads none: whoever uses it reads its roots.
    """

    units: tuple[int, ...]
    roots: tuple[tuple[int, ...], ...]
    reads: tuple[frozenset[int], ...]
    uses: tuple[int, ...]

    def roots_of(self, value: Value) -> tuple[int, ...]:
        """The instructions in whose registers an operand lies."""
        return self.roots[value.index] if isinstance(value, InstructionRef) else ()


def register_values(function: Function, *, fold_addresses: bool = True) -> RegisterValues:
    """The values of a function that take registers; unless ``fold_addresses``, an address that
    is not a constant away from another one takes registers of its own.
    """
    count = len(function.instructions)
    units, roots = [0] * count, [tuple[int, ...]()] * count
    pending = list[AnyInstruction]()
    seen = dict[tuple[object, ...], int]()
    for instruction in function.instructions:
        if _is_folded(instruction, fold_addresses):
            pending.append(instruction)
            continue
        key = _key(instruction, function) if isinstance(instruction, GetElementPtr) else None
        if key in seen:
            roots[instruction.index] = (seen[key],)
            continue
        units[instruction.index] = _units(instruction, units)
        if units[instruction.index]:
            roots[instruction.index] = (instruction.index,)
        if key is not None:
            seen[key] = instruction.index
    _find_roots(pending, roots)
    reads = tuple(_reads(instruction, roots) for instruction in function.instructions)
    uses = tuple(sum(1 << root for root in each) for each in reads)
    return RegisterValues(tuple(units), tuple(roots), reads, uses)


def _reads(instruction: AnyInstruction, roots: Sequence[tuple[int, ...]]) -> frozenset[int]:
    own = roots[instruction.index]
    if own and own != (instruction.index,):
        return frozenset()
    return frozenset(
        root for operand in instruction.operands if isinstance(operand, InstructionRef)
        for root in roots[operand.index]
    )  # fmt: skip


def _find_roots(folded: Sequence[AnyInstruction], roots: list[tuple[int, ...]]) -> None:
    """A folded value may stand before what it is made of, in the order of the blocks."""
    changed = True
    while changed:
        changed = False
        for instruction in folded:
            found = set[int]()
            for operand in instruction.operands:
                if isinstance(operand, InstructionRef):
                    found.update(roots[operand.index])
            ordered = tuple(sorted(found))
            if ordered != roots[instruction.index]:
                roots[instruction.index] = ordered
                changed = True


def _is_folded(instruction: AnyInstruction, fold_addresses: bool) -> bool:
    match instruction:
        case GetElementPtr():
            constant = all(isinstance(index, ConstantInt) for index in instruction.indices)
            return fold_addresses or constant
        case Cast():
            return instruction.opcode in _FOLDED_CASTS
        case Unary():
            return instruction.opcode in (Opcode.FREEZE, Opcode.FNEG)
        case _:
            return False


def _key(address: GetElementPtr, function: Function) -> tuple[object, ...]:
    """Addresses of one block with equal keys are constants apart: one register serves them all,
    as LLVM's NVPTX back end splits constants off indices.
    """
    indices = tuple(_without_constant(index, function) for index in address.indices)
    return (address.block, address.base, str(address.source_type), *indices)


def _without_constant(value: Value, function: Function) -> object:
    """An index without a constant that is added to it."""
    if isinstance(value, ConstantInt):
        return "constant"
    definition = function.definition(value)
    if isinstance(definition, Cast) and definition.opcode in _FOLDED_CASTS:
        return _without_constant(definition.operand, function)
    if isinstance(definition, Binary) and isinstance(definition.right, ConstantInt):
        is_or = definition.opcode is Opcode.OR and Flags.DISJOINT in definition.flags
        if is_or or definition.opcode is Opcode.ADD:
            return _without_constant(definition.left, function)
    return value


def _units(instruction: AnyInstruction, units: Sequence[int]) -> int:
    match instruction:
        case Alloca():
            return 0
        case Load() if _is_bank_operand(instruction):
            return 0
        case Call() if not instruction.is_intrinsic:
            return _call_units(instruction)
        case InsertElement() | InsertValue():
            return _insert_units(instruction, units)
        case _:
            return units_of(instruction.type)


def _is_bank_operand(load: Load) -> bool:
    """A constant at a known address is an operand of the instruction that uses it, as arguments
    are (``c[3][0x40]`` in NVIDIA's machine code)."""
    pointer = load.pointer
    if isinstance(pointer, InstructionRef) or not isinstance(pointer.type, PtrTy):
        return False
    return pointer.type.space == CONSTANT and isinstance(load.type, IntTy | FloatTy)


def _call_units(call: Call) -> int:
    primitive = primitive_of(call.callee)
    if primitive is not None:
        if primitive.name in _FREE_QUERIES:
            return 0
        if primitive.primitive_class in (PrimitiveClass.WORK_ITEM, PrimitiveClass.SUBGROUP):
            return 1
    return units_of(call.type)


def _insert_units(insert: InsertElement | InsertValue, units: Sequence[int]) -> int:
    """One element more than the vector or structure had, which may be empty."""
    before, element = insert.operands[0], insert.operands[1]
    if isinstance(before, Poison | Undef):
        return units_of(element.type)
    if isinstance(before, InstructionRef) and before.index < insert.index:
        return min(units_of(insert.type), units[before.index] + units_of(element.type))
    return units_of(insert.type)


def units_of(type_: IrType) -> int:
    """The registers that a value of a type takes."""
    match type_:
        case IntTy(bits):
            return 0 if bits == 1 else -(-bits // 32)
        case FloatTy(bits):
            return -(-bits // 32)
        case PtrTy(space):
            return 1 if space in (PRIVATE, LOCAL) else 2
        case VecTy(lanes, element):
            return lanes * units_of(element)
        case ArrayTy(length, element):
            return length * units_of(element)
        case StructTy(fields):
            return sum(units_of(field) for field in fields)
        case _:
            return 0
