"""What costs a warp nothing: addresses that fold into accesses, fused multiplications, modifiers.

* Address arithmetic that is linear and serves accesses alone is part of their operands.
* A multiplication whose only user is an addition is a fused multiply-add; negation and absolute
  value are modifiers; truth values are predicates.
* A comparison that only chooses between its own operands is a minimum or maximum.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kcc.base.records import dataclass
from kcc.frontend.builtins.matrix import ROW, TRANSPOSED, WORD
from kcc.frontend.builtins.primitives import primitive_of
from kcc.frontend.ir.instructions import (
    AnyInstruction,
    Binary,
    Branch,
    Call,
    Cast,
    GetElementPtr,
    InsertElement,
    IntCompare,
    Load,
    Phi,
    Select,
)
from kcc.frontend.ir.model import Function
from kcc.frontend.ir.opcodes import Flags, Opcode
from kcc.frontend.ir.types import IntTy, PtrTy, scalar_of
from kcc.frontend.ir.values import ConstantFloat, ConstantInt, InstructionRef, Value
from kcc.passes.memory.memory_accesses import MemoryAccess
from kcc.passes.mix.classify import intrinsic_stem

Accesses = Mapping[int, Sequence[MemoryAccess]]
"""By instruction."""
Users = Mapping[int, Sequence[AnyInstruction]]

_AFFINE = frozenset({Opcode.ADD, Opcode.SUB, Opcode.MUL, Opcode.SHL, Opcode.OR})
_FREE_CASTS = frozenset(
    {Opcode.ZEXT, Opcode.SEXT, Opcode.TRUNC, Opcode.PTRTOINT, Opcode.INTTOPTR, Opcode.BITCAST,
     Opcode.ADDRSPACECAST}
)  # fmt: skip
_FREE_CALLS = frozenset({"fabs", "copysign", "canonicalize"})
_CONSTANT_QUERIES = frozenset(
    {"get_local_size", "get_num_groups", "get_global_size", "get_global_offset", "get_work_dim"}
)


@dataclass(frozen=True, slots=True)
class Folding:
    """``users`` of each instruction's value; ``folded`` are the instructions that exist only for
    addresses, ``fused`` the multiplications that are part of an addition."""

    users: Users
    folded: frozenset[int]
    fused: frozenset[int]

    def is_free(self, instruction: AnyInstruction) -> bool:
        """Whether no machine instruction is made for an instruction."""
        type_ = scalar_of(instruction.type)
        if isinstance(instruction, Phi) or instruction.index in self.folded:
            return True
        if instruction.index in self.fused or instruction.opcode is Opcode.FNEG:
            return True
        if is_known_late(instruction):
            return True
        if (
            isinstance(type_, IntTy)
            and type_.bits == 1
            and isinstance(instruction, Binary | Select)
        ):
            return True
        if isinstance(instruction, Call):
            stem = intrinsic_stem(instruction.callee) if instruction.is_intrinsic else None
            name = function_name(instruction)
            return stem in _FREE_CALLS or name in _CONSTANT_QUERIES
        return isinstance(instruction, Branch) or self._is_free_compare(instruction)

    def _is_free_compare(self, instruction: AnyInstruction) -> bool:
        """Minimum and maximum are one instruction: the comparison before a select of the same."""
        users = self.users.get(instruction.index, ())
        if not isinstance(instruction, IntCompare) or len(users) != 1:
            return False
        (user,) = users
        return user.opcode is Opcode.SELECT and set(user.operands[1:]) == set(instruction.operands)


def launch_size(function: Function, value: Value) -> str:
    """The size of the launch that a value is, as widened or narrowed; empty for others."""
    made = function.definition(value)
    while isinstance(made, Cast):
        made = function.definition(made.operand)
    name = function_name(made) if isinstance(made, Call) else ""
    if not isinstance(made, Call) or name not in _CONSTANT_QUERIES:
        return ""
    return " ".join([name, *map(str, made.operands)])


def is_known_late(instruction: AnyInstruction | None) -> bool:
    """Whether it is a number that :mod:`kcc.frontend.constant_math` put in the place of a call."""
    if not isinstance(instruction, Select):
        return False
    _, one, other = instruction.operands
    return one == other and isinstance(one, ConstantInt | ConstantFloat)


def folding_of(function: Function, accesses: Accesses) -> Folding:
    """What costs nothing in a function with these accesses."""
    users = _users(function)
    free = _address_arithmetic(function, accesses, users) | _matrix_moves(function, users)
    return Folding(users, free, _fused(function, users))


def _matrix_moves(function: Function, users: Users) -> frozenset[int]:
    """The exchanges of lanes that a load or a store of matrices does itself (LDSM, STSM),
    transposed ones too; alone the latter are an instruction (MOVM)."""
    found, transposed = set[int](), list[Call]()
    for each in function.instructions:
        if isinstance(each, Call) and each.callee.startswith((WORD, ROW)):
            found.add(each.index)
        elif isinstance(each, Call) and each.callee == TRANSPOSED:
            transposed.append(each)
    for each in transposed:
        made = function.definition(each.operands[0])
        stored = users.get(each.index, ())
        if (made is not None and made.index in found) or (
            stored and all(isinstance(user, InsertElement) for user in stored)
        ):
            found.add(each.index)
    return frozenset(found)


def _address_arithmetic(function: Function, accesses: Accesses, users: Users) -> frozenset[int]:
    """Instructions that are only there for addresses, and linear."""
    folded = {i.index for i in function.instructions if _may_fold(i)}
    pending = [user for users_of in users.values() for user in users_of if user.index not in folded]
    while pending:
        user = pending.pop()
        for each in user.operands:
            index = each.index if isinstance(each, InstructionRef) else -1
            if index in folded and not _is_address_only(index, user, accesses):
                folded.discard(index)
                pending.append(function.instructions[index])
    return frozenset(folded)


def _is_address_only(index: int, user: AnyInstruction, accesses: Accesses) -> bool:
    """Whether an access uses a value as its address, and only so."""
    touches = accesses.get(user.index)
    if not touches or is_apart(user):
        return False
    pointers = {t.pointer.index for t in touches if isinstance(t.pointer, InstructionRef)}
    others = [o for o in user.operands if isinstance(o, InstructionRef) and o.index == index]
    return index in pointers and len(others) == 1


def is_apart(instruction: AnyInstruction) -> bool:
    """Whether a load's address is computed for itself: CUDA's ``__ldg`` is an instruction in the
    program's text (NVIDIA's sm_32_intrinsics.hpp), of whose operand a compiler takes no constant
    apart."""
    return isinstance(instruction, Load) and instruction.nontemporal


def own_addresses(function: Function) -> Mapping[int, float]:
    """Machine instructions of each step of addresses that are computed for themselves: one
    (IMAD.WIDE) from an array's beginning, three (LEA, LEA.HI.X, IMAD.X) from anywhere else, none
    where all is constant (ptxas 12.9 for sm_80)."""
    found = dict[int, float]()
    for load in function.instructions:
        if not isinstance(load, Load) or not is_apart(load):
            continue
        pointer = load.pointer
        while isinstance(pointer, InstructionRef):
            step = function.instructions[pointer.index]
            if not isinstance(step, GetElementPtr):
                break
            pointer, *indices = step.operands
            if all(isinstance(index, ConstantInt) for index in indices):
                found[step.index] = 0.0
            else:
                found[step.index] = 3.0 if isinstance(pointer, InstructionRef) else 1.0
    return found


def _fused(function: Function, users: Users) -> frozenset[int]:
    """Multiplications that become part of an addition."""
    found = set[int]()
    taken = set[int]()
    for each in function.instructions:
        if each.opcode is not Opcode.FMUL:
            continue
        adders = users.get(each.index, ())
        if len(adders) != 1 or Flags.CONTRACT not in each.flags:
            continue
        user = adders[0]
        if user.opcode in (Opcode.FADD, Opcode.FSUB) and user.index not in taken:
            taken.add(user.index)
            found.add(each.index)
    return frozenset(found)


def _may_fold(instruction: AnyInstruction) -> bool:
    if isinstance(instruction, GetElementPtr):
        return True
    type_ = scalar_of(instruction.type)
    if isinstance(instruction, Phi):
        return isinstance(type_, PtrTy | IntTy)
    if not isinstance(type_, IntTy | PtrTy):
        return False
    return instruction.opcode in _AFFINE or (
        isinstance(instruction, Cast) and instruction.opcode in _FREE_CASTS
    )


def _users(function: Function) -> Mapping[int, list[AnyInstruction]]:
    found = dict[int, list[AnyInstruction]]()
    for each in function.instructions:
        for operand in each.operands:
            if isinstance(operand, InstructionRef):
                found.setdefault(operand.index, []).append(each)
    return found


def function_name(call: Call) -> str:
    """The built-in function a call is to; empty for others."""
    if call.is_intrinsic:
        return intrinsic_stem(call.callee) or ""
    primitive = primitive_of(call.callee)
    return primitive.name if primitive else ""
