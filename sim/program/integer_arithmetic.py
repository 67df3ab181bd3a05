"""How many machine instructions integer arithmetic is since Maxwell: what joins into one.

NVIDIA's machine adds three numbers at once (IADD3), multiplies and adds (IMAD; three XMAD before
Volta), shifts and adds (LEA, ISCADD) and does any logic of three words (LOP3); numbers of 64 bits
take an instruction a half, since Volta a product of two narrow ones a single one (IMAD.WIDE). An
index is computed like other numbers; only constants added without wrapping go into the offset of
the access. Seen in what ptxas 12.9 makes for sm_61 and sm_80, instruction of the IR by instruction
(``python -m benchmarks.machine_code``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kcc.base.records import dataclass
from kcc.frontend.ir.instructions import AnyInstruction, Call, Cast, GetElementPtr, Phi
from kcc.frontend.ir.model import Function
from kcc.frontend.ir.opcodes import Flags, Opcode
from kcc.frontend.ir.types import ArrayTy, IntTy, size_bytes
from kcc.frontend.ir.values import ConstantInt, InstructionRef, Value
from kcc.frontend.types import AddressSpace
from kcc.passes.mix.instruction_classes import InstructionClass
from kcc.sim.machine.costs import COSTS, SINCE_VOLTA, Generation, Unit, cost_of
from kcc.sim.program.folding import Accesses, Folding, function_name
from kcc.sim.program.low_halves import low_halves

_SUMS = frozenset({Opcode.ADD, Opcode.SUB})
_LOGIC = frozenset({Opcode.AND, Opcode.OR, Opcode.XOR})
_SHIFTS = frozenset({Opcode.SHL, Opcode.LSHR, Opcode.ASHR})
_WIDENING = frozenset({Opcode.SEXT, Opcode.ZEXT})
_JOINS: tuple[tuple[frozenset[Opcode], frozenset[Opcode]], ...] = (
    (_SUMS, frozenset({Opcode.MUL})),
    (_SUMS, frozenset({Opcode.SHL})),
    (_SUMS, _SUMS),
    (_LOGIC, _LOGIC),
    (frozenset({Opcode.MUL}), _SUMS),
)
"""An operation of the first kind takes in one operand of the second, earlier pairs first: IMAD,
LEA, IADD3, LOP3; of a product a sum with one: (x + 1) y, which LLVM makes of x y + y, is IMAD."""

NO_WRAP = Flags.NSW | Flags.NUW | Flags.DISJOINT
_LOW_HALF = (1 << 32) - 1
_NEAR = frozenset({AddressSpace.LOCAL, AddressSpace.PRIVATE})
NARROW_IDS = frozenset({"get_global_id", "get_local_id", "get_group_id", "get_global_size",
                        "get_local_size", "get_num_groups"})  # fmt: skip
"""What the machine keeps in 32 bits though OpenCL gives 64."""


@dataclass(frozen=True, slots=True)
class IntegerCost:
    """``slots`` machine instructions on ``unit``, none where it is part of another one."""

    unit: Unit
    slots: float


_NOTHING = IntegerCost(Unit.ALU, 0.0)


def integer_costs(
    function: Function, folding: Folding, accesses: Accesses, generation: Generation
) -> Mapping[int, IntegerCost]:
    """The cost of each scalar integer addition, product, logic, shift and widening of a function,
    those for addresses too, by instruction."""
    near = _near(function, folding, accesses) | low_halves(function, folding.users)
    return dict(_Integers(function, folding, near, generation).costs())


def _near(function: Function, folding: Folding, accesses: Accesses) -> frozenset[int]:
    """What is computed for addresses of shared and private memory alone, which have 32 bits: all
    wraps round alike there."""
    far = {
        touch.pointer.index
        for touches in accesses.values() for touch in touches
        if touch.space not in _NEAR and isinstance(touch.pointer, InstructionRef)
    }  # fmt: skip
    waiting = list(far)
    while waiting:
        for operand in function.instructions[waiting.pop()].operands:
            if isinstance(operand, InstructionRef) and operand.index not in far:
                far.add(operand.index)
                waiting.append(operand.index)
    return folding.folded - far


def _is_low_half(function: Function, made: AnyInstruction) -> bool:
    """Whether a shift by 32 takes back one to the left: the low half with its sign."""
    shifted, *amount = made.operands or (None,)
    if made.opcode is not Opcode.ASHR or not isinstance(shifted, InstructionRef):
        return False
    before = function.instructions[shifted.index]
    return before.opcode is Opcode.SHL and all(
        isinstance(each, ConstantInt) and each.unsigned == 32
        for each in (*amount, before.operands[1])
    )


@dataclass(frozen=True, slots=True)
class AddressCost:
    """What it takes to add an index to an address of 64 bits. ``first`` is what must be in a
    register before, ``first_slots`` instructions, whatever the base: the factor of a product
    (IMAD.WIDE), the high half of a narrow index, or the index in bytes; None where there is
    nothing."""

    unit: Unit
    slots: float
    first: object = None
    first_slots: float = 1.0
    first_unit: Unit = Unit.EITHER


_HALVES = AddressCost(Unit.ALU, 2.0)
"""IADD3 and IADD3.X, or LEA and LEA.HI.X."""


def address_cost(function: Function, pointer: Value, generation: Generation) -> AddressCost:
    """The last step of an address: one IMAD.WIDE for a 32-bit index of more than bytes, three
    products for a 64-bit index of what has no size of a power of two, else a sum a half."""
    step = moving_step(function, pointer)
    if step is None:
        return _HALVES
    moving = [each for each in step.indices if not isinstance(each, ConstantInt)]
    size = _step_bytes(step)
    is_narrow = all(_is_narrow(function, each) for each in moving)
    if generation not in SINCE_VOLTA:
        return _of_maxwell(moving[-1], size, is_narrow=is_narrow)
    if is_narrow and size & (size - 1) == 0:
        wide = [each for each in moving if _is_from_elsewhere(function, each, step)]
        if wide:
            return _of_wide(function, step, wide[-1], size)
    if size > 1 and is_narrow:
        # On Hopper its beginning is in a register, and one operand may be a number.
        return AddressCost(Unit.FMA, 1.0, None if generation is Generation.HOPPER else size)
    return AddressCost(Unit.FMA, 3.0) if size & (size - 1) else _HALVES


def moving_step(function: Function, pointer: Value) -> GetElementPtr | None:
    """The last step of an address that adds an index; None where all are constant."""
    while isinstance(pointer, InstructionRef):
        step = function.instructions[pointer.index]
        if isinstance(step, Cast):
            pointer = step.operand
            continue
        if not isinstance(step, GetElementPtr):
            break
        if any(not isinstance(each, ConstantInt) for each in step.indices):
            return step
        pointer = step.base
    return None


def _of_maxwell(index: Value, size: int, *, is_narrow: bool) -> AddressCost:
    """An index in bytes is shifted (SHR of the high half, ISCADD.CC, IADD.X with the base); a size
    that is no power of two takes seven XMAD and an IADD3 of a narrow index, eight, two sums and a
    constant of a wide one (ptxas 12.9, sm_52)."""
    if size & (size - 1):
        slots = 8.0 if is_narrow else 11.0
        return AddressCost(Unit.ALU, 2.0, (index, size), slots, Unit.FMA)
    return AddressCost(Unit.ALU, 2.0, index if is_narrow else None)


def _is_from_elsewhere(function: Function, value: Value, user: AnyInstruction) -> bool:
    return isinstance(value, InstructionRef) and _is_wide_in(
        function.instructions[value.index], user
    )


def _is_wide_in(made: AnyInstruction, user: AnyInstruction) -> bool:
    """Whether a narrow number has 64 bits where it is used: LLVM chooses instructions block by
    block, so that one which is widened in another block is a word with its sign there."""
    return made.block != user.block and _bits(made) > 32


def _of_wide(function: Function, step: GetElementPtr, index: Value, size: int) -> AddressCost:
    """An index of 64 bits: LEA and LEA.HI.X; where several addresses of a block have the same one,
    it is shifted once (SHL, SHF.L.U64.HI) and added to each base (IADD3, IADD3.X): ptxas 12.9,
    sm_80."""
    alike = {
        each.base for each in function.blocks[step.block].instructions
        if isinstance(each, GetElementPtr) and index in each.indices and _step_bytes(each) == size
    }  # fmt: skip
    if len(alike) < 2 or size == 1:
        return _HALVES
    return AddressCost(Unit.ALU, 2.0, (index, size, step.block), 2.0)


def _step_bytes(step: GetElementPtr) -> int:
    """How far apart the elements are that the last moving index of an address chooses among."""
    if not isinstance(step.indices[0], ConstantInt):
        return size_bytes(step.source_type)
    type_ = step.source_type
    return size_bytes(type_.element) if isinstance(type_, ArrayTy) else 4


def _is_narrow(function: Function, value: Value) -> bool:
    """Whether a number is one of 32 bits, widened."""
    if not isinstance(value, InstructionRef):
        return isinstance(value.type, IntTy) and value.type.bits <= 32
    made = function.instructions[value.index]
    if (isinstance(made, Cast) and made.opcode in _WIDENING) or _is_low_half(function, made):
        return True
    if isinstance(made, Call):
        return function_name(made) in NARROW_IDS
    return isinstance(made.type, IntTy) and made.type.bits <= 32


def never_wraps(function: Function, pointer: Value, inside: frozenset[int]) -> bool:
    """Whether no part of an address that is computed in these blocks may wrap round in 32 bits."""
    waiting, seen = [pointer], set[int]()
    while waiting:
        value = waiting.pop()
        if not isinstance(value, InstructionRef) or value.index in seen:
            continue
        seen.add(value.index)
        made = function.instructions[value.index]
        if made.block not in inside:
            continue
        if 1 < _bits(made) <= 32 and made.opcode in _SUMS | _LOGIC | _SHIFTS | {Opcode.MUL}:
            if not made.flags & NO_WRAP:
                return False
        elif not isinstance(made, GetElementPtr | Cast | Phi):
            continue
        waiting += made.operands
    return True


class _Integers:
    def __init__(
        self, function: Function, folding: Folding, near: frozenset[int], generation: Generation
    ) -> None:
        self.function, self.folding, self.near = function, folding, near
        self.products = {
            is_wide: cost_of(kind, generation) or COSTS[kind]
            for is_wide, kind in ((False, InstructionClass.INT_MUL),
                                  (True, InstructionClass.INT64_MUL))
        }  # fmt: skip
        self.has_wide_products = generation in SINCE_VOLTA
        self.wide = self._wide_products() if self.has_wide_products else frozenset[object]()
        """Operands of 32 bits and blocks of products of which all 64 bits are computed."""
        self.high = _high_words(function)
        self.joined, self.taken = set[int](), dict[int, Opcode]()
        """Operations that are part of another, and of that one what it took in."""

    def costs(self) -> Iterator[tuple[int, IntegerCost]]:
        for each in self.function.instructions:
            self._join(each)
        for each in self.function.instructions:
            found = self._cost(each)
            if found is not None:
                yield each.index, found

    def _join(self, user: AnyInstruction) -> None:
        if not _bits(user) > 1:
            return
        for kinds, operands in _JOINS:
            if user.opcode not in kinds:
                continue
            for operand in user.operands:
                inner = self._made(operand)
                if inner is None or inner.opcode not in operands or not self._may_join(inner, user):
                    continue
                self.joined.add(inner.index)
                self.taken[user.index] = inner.opcode
                return

    def _may_join(self, inner: AnyInstruction, user: AnyInstruction) -> bool:
        if inner.block != user.block or inner.index in self.taken or self._is_offset(inner):
            return False
        if inner.opcode is Opcode.SHL and not isinstance(inner.operands[1], ConstantInt):
            return False
        if inner.index in self.high and _shifts_by(inner, 32):
            return False
        if inner.opcode is Opcode.MUL and _bits(inner) > 32 and not self._is_wide_product(inner):
            return False
        if user.opcode is Opcode.MUL and not _adds_one(inner):
            return False
        return len(self.folding.users.get(inner.index, ())) == 1

    def _made(self, value: Value) -> AnyInstruction | None:
        if not isinstance(value, InstructionRef):
            return None
        return self.function.instructions[value.index]

    def _is_offset(self, each: AnyInstruction) -> bool:
        """Whether a constant is added that goes into the offset of accesses."""
        return (
            each.index in self.folding.folded
            and each.opcode in (Opcode.ADD, Opcode.SUB, Opcode.OR)
            and (each.index in self.near or bool(each.flags & NO_WRAP))
            and any(isinstance(operand, ConstantInt) for operand in each.operands)
        )

    def _cost(self, each: AnyInstruction) -> IntegerCost | None:
        is_half = each.index in self.near or each.index in self.high
        bits = min(_bits(each), 32) if is_half else _bits(each)
        if bits <= 1:
            return None
        if each.index in self.joined or self._is_offset(each):
            return _NOTHING
        if each.opcode is Opcode.SEXT or _is_low_half(self.function, each):
            return self._extension(each, bits)
        if each.opcode is Opcode.MUL:
            if bits == 32 and (each.block, frozenset(map(_low_word, each.operands))) in self.wide:
                return _NOTHING  # the low half of another product
            return self._product(each, bits)
        if each.opcode in _SUMS:
            if self.taken.get(each.index) is Opcode.MUL:
                return self._product(each, bits)
            return IntegerCost(Unit.ALU, _halves(bits))
        if each.opcode in _LOGIC:
            return IntegerCost(Unit.ALU, _logic(each, bits))
        if each.index in self.high and _shifts_by(each, 32):
            return _NOTHING  # Another name for the register.
        if each.opcode in _SHIFTS:
            return self._shift(each, bits)
        return None

    def _extension(self, each: AnyInstruction, bits: int) -> IntegerCost:
        """The sign's word, which an address with a narrow index needs not."""
        users = self.folding.users.get(each.index, ())
        for_addresses = all(
            isinstance(user, GetElementPtr)
            and not (self.has_wide_products and _is_wide_in(each, user))
            for user in users
        )
        narrow = bits <= 32 or all(user.opcode is Opcode.MUL for user in users)
        return _NOTHING if for_addresses or narrow else IntegerCost(Unit.ALU, 1.0)

    def _product(self, each: AnyInstruction, bits: int) -> IntegerCost:
        """A product, or one with a sum, which takes in no product of 64 bits but of narrow ones."""
        if bits > 32 and (each.opcode is not Opcode.MUL or self._is_wide_product(each)):
            return IntegerCost(Unit.FMA, 1.0)
        cost = self.products[bits > 32]
        return IntegerCost(cost.unit, cost.slots)

    def _wide_products(self) -> frozenset[object]:
        """The factors of each product of two narrow numbers that has 64 bits (IMAD.WIDE)."""
        return frozenset(
            (each.block, frozenset(map(self._narrow_word, each.operands)))
            for each in self.function.instructions
            if each.opcode is Opcode.MUL and _bits(each) == 64
            and all(map(self._narrow_word, each.operands))
        )  # fmt: skip

    def _narrow_word(self, value: Value) -> object:
        """The number of 32 bits of which one of 64 is made; None where it is not."""
        if isinstance(value, ConstantInt):
            return _low_word(value) if value.unsigned <= _LOW_HALF else None
        made = self._made(value)
        if made is None or made.opcode not in _WIDENING or _bits_of(made.operands[0]) != 32:
            return None
        return _low_word(made.operands[0])

    def _is_wide_product(self, each: AnyInstruction) -> bool:
        """Whether a product of 64 bits is one of narrow numbers (IMAD.WIDE)."""
        return self.has_wide_products and all(
            _is_narrow(self.function, o) or _is_masked(self._made(o))
            for o in each.operands if isinstance(o, InstructionRef)
        )  # fmt: skip

    def _shift(self, each: AnyInstruction, bits: int) -> IntegerCost:
        if bits <= 32:
            return IntegerCost(Unit.ALU, 1.0)
        amount = each.operands[1]
        users = self.folding.users.get(each.index, ())
        is_move = isinstance(amount, ConstantInt) and amount.unsigned >= 32
        if each.opcode is Opcode.SHL and is_move and all(u.opcode is Opcode.ASHR for u in users):
            return _NOTHING  # With the shift back it is the extension of the low half.
        is_high = isinstance(amount, ConstantInt) and amount.unsigned == 32
        if is_high and each.opcode is not Opcode.SHL and all(
            user.opcode is Opcode.TRUNC and _bits(user) <= 32 for user in users
        ):  # fmt: skip
            return _NOTHING  # The register that has the high half.
        return IntegerCost(Unit.ALU, 1.0 if is_move else 2.0)


def _logic(each: AnyInstruction, bits: int) -> float:
    """Of 64 bits only the halves that a constant leaves to compute."""
    if bits <= 32:
        return 1.0
    for operand in each.operands:
        if isinstance(operand, ConstantInt) and each.opcode is Opcode.AND:
            low, high = operand.unsigned & _LOW_HALF, operand.unsigned >> 32
            return float((low not in (0, _LOW_HALF)) + (high not in (0, _LOW_HALF)))
    return 2.0


def _is_masked(made: AnyInstruction | None) -> bool:
    """Whether no more than the low half is left of a number."""
    mask = made.operands[1] if made is not None and made.opcode is Opcode.AND else None
    return isinstance(mask, ConstantInt) and mask.unsigned <= _LOW_HALF


def _shifts_by(each: AnyInstruction, bits: int) -> bool:
    amount = each.operands[1] if each.opcode in _SHIFTS else None
    return isinstance(amount, ConstantInt) and amount.unsigned == bits


def _high_words(function: Function) -> frozenset[int]:
    """The numbers of 64 bits whose low half is zero, as a narrow sum is that was shifted up to take
    its sign from there: one word is computed."""
    found = set[int]()
    for each in function.instructions:
        if _bits(each) != 64:
            continue
        if each.opcode is Opcode.SHL:
            amount = each.operands[1]
            is_high = isinstance(amount, ConstantInt) and 32 <= amount.unsigned < 64
        else:
            is_high = each.opcode in _SUMS | _LOGIC and all(
                o.index in found if isinstance(o, InstructionRef)
                else isinstance(o, ConstantInt) and o.unsigned & _LOW_HALF == 0
                for o in each.operands
            )  # fmt: skip
        if is_high:
            found.add(each.index)
    return frozenset(found)


def _adds_one(each: AnyInstruction) -> bool:
    """Whether one is added or taken away, in no more than 32 bits."""
    mask = (1 << _bits(each)) - 1
    return _bits(each) <= 32 and any(
        isinstance(operand, ConstantInt) and operand.unsigned in (1, mask)
        for operand in each.operands[1 if each.opcode is Opcode.SUB else 0 :]
    )


def _halves(bits: int) -> float:
    return float(max(1, -(-bits // 32)))


def _low_word(value: Value) -> object:
    """What tells a number's low 32 bits from others."""
    return value.unsigned & _LOW_HALF if isinstance(value, ConstantInt) else value


def _bits_of(value: Value) -> int:
    return value.type.bits if isinstance(value.type, IntTy) else 0


def _bits(each: AnyInstruction) -> int:
    """The width of a scalar integer; 0 of all else."""
    return each.type.bits if isinstance(each.type, IntTy) else 0
