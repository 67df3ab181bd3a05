"""Writes single instructions for a whole warp."""

from __future__ import annotations

from kcc.base.records import dataclass
from kcc.frontend.ir.builder import Value, const_int, zero
from kcc.frontend.ir.instructions import (
    Alloca,
    AnyInstruction,
    AtomicRmw,
    Binary,
    Branch,
    Call,
    Cast,
    CompareExchange,
    CondBranch,
    ExtractElement,
    ExtractValue,
    Fence,
    FloatCompare,
    GetElementPtr,
    InsertElement,
    InsertValue,
    IntCompare,
    Load,
    Phi,
    Return,
    Select,
    ShuffleVector,
    Store,
    Switch,
    Unary,
    Unreachable,
)
from kcc.frontend.ir.opcodes import Opcode
from kcc.frontend.ir.types import (
    I64,
    VOID,
    ArrayTy,
    IntTy,
    IrType,
    StructTy,
    VecTy,
    field_offsets,
    size_bytes,
)
from kcc.frontend.ir.values import ConstantInt
from kcc.frontend.ir.values import Value as Operand
from kcc.tracegen.simt import arithmetic
from kcc.tracegen.simt.access import write_access
from kcc.tracegen.simt.calls import write_call
from kcc.tracegen.simt.frame import WarpFrame
from kcc.tracegen.simt.layout import FaultKind
from kcc.tracegen.simt.wide import Wide


@dataclass(slots=True)
class InstructionWriter(WarpFrame):
    """Writes every instruction that is not control flow."""

    def write_instruction(self, instruction: AnyInstruction) -> None:
        """Write one instruction that is neither phi, barrier nor terminator."""
        result = self._compute(instruction)
        if instruction.type == VOID or isinstance(instruction, Alloca):
            return
        assert result is not None
        self.finish(instruction, result)

    def finish(self, instruction: AnyInstruction, result: Wide) -> None:
        """Keep the result of an instruction for what follows."""
        self.values[instruction.index] = result
        if instruction.index in self.plan.slots:
            self.write_slot(instruction.index, result, self.mask)

    def _compute(self, instruction: AnyInstruction) -> Wide | None:
        match instruction:
            case Load() | Store() | AtomicRmw() | CompareExchange():
                return write_access(self, instruction)
            case Call():
                return write_call(self, instruction)
            case GetElementPtr():
                return self._address(instruction)
            case Alloca() | Fence():
                return None
            case Phi() | Branch() | CondBranch() | Switch() | Return() | Unreachable():
                raise AssertionError(f"control flow is written elsewhere: {instruction}")
            case (
                ExtractElement() | InsertElement() | ShuffleVector() | ExtractValue()
                | InsertValue()
            ):  # fmt: skip
                return self._rearrange(instruction)
            case _:
                return self._calculate(instruction)

    def _calculate(
        self, instruction: Binary | Unary | Cast | IntCompare | FloatCompare | Select
    ) -> Wide:
        operands = [self.operand(o) for o in instruction.operands]
        match instruction:
            case Binary() if instruction.opcode in arithmetic.DIVISIONS:
                return self._divide(instruction, *operands)
            case Binary():
                return arithmetic.binary(self, instruction, *operands)
            case Unary() if instruction.opcode is Opcode.FNEG:
                return arithmetic.negate(self, *operands)
            case Unary():
                return operands[0]
            case Cast():
                return arithmetic.cast(self, instruction, *operands)
            case IntCompare() | FloatCompare():
                return arithmetic.compare(self, instruction, *operands)
            case Select():
                return arithmetic.select(self, *operands)

    def _rearrange(
        self,
        instruction: ExtractElement | InsertElement | ShuffleVector | ExtractValue | InsertValue,
    ) -> Wide:
        operands = [self.operand(o) for o in instruction.operands]
        match instruction:
            case ExtractElement():
                return arithmetic.extract_element(self, instruction, *operands)
            case InsertElement():
                return arithmetic.insert_element(self, instruction, *operands)
            case ShuffleVector():
                return arithmetic.shuffle(instruction, *operands)
            case ExtractValue():
                return arithmetic.extract_value(instruction, *operands)
            case InsertValue():
                return arithmetic.insert_value(instruction, *operands)

    def _divide(self, instruction: Binary, left: Wide, right: Wide) -> Wide:
        """Division by zero in an active lane is a fault; other lanes divide by one."""
        parts = list[Value]()
        for divisor in right.parts:
            if _is_nonzero(instruction.right):
                parts.append(divisor)
                continue
            is_zero = self.code.compare("icmp", "eq", divisor, zero(divisor.type))
            if isinstance(divisor.type, VecTy):
                lanes = self.code.binary("and", self.bits(is_zero), self.mask)
                self.fail_lanes(FaultKind.DIVISION_BY_ZERO, instruction, lanes, None)
            else:
                self.fail_if(is_zero, FaultKind.DIVISION_BY_ZERO, instruction, self.mask, None)
            one = const_int(divisor.type, 1)
            parts.append(self.code.select(is_zero, one, divisor))
        return arithmetic.divide(self, instruction, left, Wide(tuple(parts)))

    def _address(self, instruction: GetElementPtr) -> Wide:
        """``base`` plus indices times strides, in 64 bits."""
        (address,) = self.operand(instruction.base).parts
        constant = 0
        type_: IrType = instruction.source_type
        for place, index in enumerate(instruction.indices):
            if place == 0:
                stride, inner = size_bytes(type_), type_
            else:
                stride, inner = _step(type_, index)
            if isinstance(index, ConstantInt):
                constant += _constant_step(type_, index, stride, place)
            else:
                address = self._advance(address, self.operand(index).parts[0], stride)
            type_ = inner
        if constant:
            address = self.code.binary("add", address, const_int(address.type, constant))
        return Wide((address,))

    def _advance(self, address: Value, index: Value, stride: int) -> Value:
        source = index.type.element if isinstance(index.type, VecTy) else index.type
        if source != I64:
            assert isinstance(source, IntTy)
            index = arithmetic.convert(self, "sext" if source.bits < 64 else "trunc", index, I64)
        if stride != 1:
            index = self.code.binary("mul", index, const_int(index.type, stride))
        if isinstance(address.type, VecTy) or isinstance(index.type, VecTy):
            return self.code.binary("add", self.lanes(address), self.lanes(index))
        return self.code.binary("add", address, index)


def _is_nonzero(value: Operand) -> bool:
    return isinstance(value, ConstantInt) and value.value != 0


def _step(type_: IrType, index: Operand) -> tuple[int, IrType]:
    """Stride in bytes of an index into ``type_``, and what it leads to."""
    match type_:
        case StructTy(fields):
            assert isinstance(index, ConstantInt)
            return 0, fields[index.value]
        case ArrayTy(_, element):
            return size_bytes(element), element
        case VecTy(_, element):
            return size_bytes(element), element
        case _:
            raise AssertionError(f"no elements in {type_}")


def _constant_step(type_: IrType, index: ConstantInt, stride: int, place: int) -> int:
    if place > 0 and isinstance(type_, StructTy):
        return field_offsets(type_)[index.value]
    return index.value * stride
