"""Readable text for values of the IR: what a branch asks, in the words of the source."""

from __future__ import annotations

import re

from kcc.frontend.ir.instructions import (
    Alloca,
    AnyInstruction,
    Binary,
    Call,
    Cast,
    CondBranch,
    FloatCompare,
    GetElementPtr,
    IntCompare,
    Load,
    Phi,
    Select,
    Switch,
    Unary,
)
from kcc.frontend.ir.model import Function
from kcc.frontend.ir.opcodes import FloatPredicate, IntPredicate, Opcode
from kcc.frontend.ir.types import I1, IntTy
from kcc.frontend.ir.values import (
    ArgumentRef,
    ConstantFloat,
    ConstantInt,
    GlobalRef,
    InstructionRef,
    Value,
)

MAX_DEPTH = 5
"""Operations inside one another before the rest becomes an ellipsis."""

ELLIPSIS = "..."

_OPERATORS = {
    Opcode.ADD: "+", Opcode.SUB: "-", Opcode.MUL: "*", Opcode.UDIV: "/", Opcode.SDIV: "/",
    Opcode.UREM: "%", Opcode.SREM: "%", Opcode.FADD: "+", Opcode.FSUB: "-", Opcode.FMUL: "*",
    Opcode.FDIV: "/", Opcode.SHL: "<<", Opcode.LSHR: ">>", Opcode.ASHR: ">>", Opcode.AND: "&",
    Opcode.OR: "|", Opcode.XOR: "^",
}  # fmt: skip

_INT_OPERATORS = {
    IntPredicate.EQ: "==", IntPredicate.NE: "!=", IntPredicate.UGT: ">", IntPredicate.UGE: ">=",
    IntPredicate.ULT: "<", IntPredicate.ULE: "<=", IntPredicate.SGT: ">", IntPredicate.SGE: ">=",
    IntPredicate.SLT: "<", IntPredicate.SLE: "<=",
}  # fmt: skip

_UNSIGNED = {IntPredicate.UGT, IntPredicate.UGE, IntPredicate.ULT, IntPredicate.ULE}

_UNSIGNED_TYPES = {8: "uchar", 16: "ushort", 32: "uint", 64: "ulong"}

_FLOAT_OPERATORS = {
    FloatPredicate.OEQ: "==", FloatPredicate.UEQ: "==", FloatPredicate.OGT: ">",
    FloatPredicate.UGT: ">", FloatPredicate.OGE: ">=", FloatPredicate.UGE: ">=",
    FloatPredicate.OLT: "<", FloatPredicate.ULT: "<", FloatPredicate.OLE: "<=",
    FloatPredicate.ULE: "<=", FloatPredicate.ONE: "!=", FloatPredicate.UNE: "!=",
}  # fmt: skip

_MANGLED = re.compile(r"_Z(\d+)(?P<rest>\w+)\Z")


def condition_text(function: Function, branch: CondBranch | Switch) -> str:
    """What a branch decides on, e.g. ``i < n``; a value that has no short text is an ellipsis."""
    return _Printer(function).value(branch.operands[0], 0)


def symbol_text(symbol: str) -> str:
    """The plain name of a function: of an Itanium-mangled one the identifier inside."""
    matched = _MANGLED.match(symbol)
    return matched["rest"][: int(matched[1])] if matched else symbol


class _Printer:
    def __init__(self, function: Function) -> None:
        self._function = function

    def value(self, value: Value, depth: int) -> str:
        match value:
            case ArgumentRef() | GlobalRef():
                return _plain_name(value.name)
            case ConstantInt() | ConstantFloat():
                return _number(value)
            case InstructionRef():
                if depth > MAX_DEPTH:
                    return ELLIPSIS
                return self._instruction(self._function.instructions[value.index], depth)
            case _:
                return ELLIPSIS

    def _instruction(self, instruction: AnyInstruction, depth: int) -> str:
        match instruction:
            case IntCompare() | FloatCompare():
                return self._comparison(instruction, depth)
            case Binary():
                return self._binary(instruction, depth)
            case Select() if instruction.type == I1:
                return self._logical(instruction, depth)
            case Select():
                condition = self._inner(instruction.condition, depth)
                then = self._inner(instruction.then, depth)
                return f"{condition} ? {then} : {self._inner(instruction.otherwise, depth)}"
            case Cast():
                return self.value(instruction.operand, depth)
            case Unary():
                negated = "-" if instruction.opcode is Opcode.FNEG else ""
                return f"{negated}{self._inner(instruction.operand, depth)}"
            case Load():
                return self._pointee(instruction.pointer, depth)
            case Call():
                shown = (self.value(argument, depth + 1) for argument in instruction.arguments)
                return f"{symbol_text(instruction.callee)}({', '.join(shown)})"
            case Phi():
                return _source_name(instruction.name)
            case _:
                return ELLIPSIS

    def _inner(self, value: Value, depth: int) -> str:
        """An operand, in parentheses where it is an operation."""
        shown = self.value(value, depth + 1)
        return f"({shown})" if " " in shown and not _is_call(shown) else shown

    def _comparison(self, instruction: IntCompare | FloatCompare, depth: int) -> str:
        left = self._inner(instruction.left, depth)
        right = self._inner(instruction.right, depth)
        if isinstance(instruction, FloatCompare):
            operator = _FLOAT_OPERATORS.get(instruction.predicate)
            return f"{left} {operator} {right}" if operator else ELLIPSIS
        operand_type = instruction.left.type
        if instruction.predicate in _UNSIGNED and isinstance(operand_type, IntTy):
            left = f"({_UNSIGNED_TYPES.get(operand_type.bits, 'unsigned')}){left}"
        return f"{left} {_INT_OPERATORS[instruction.predicate]} {right}"

    def _binary(self, instruction: Binary, depth: int) -> str:
        left, right = instruction.left, instruction.right
        if instruction.opcode is Opcode.XOR and instruction.type == I1 and _is_true(right):
            return f"!{self._inner(left, depth)}"
        operator = _OPERATORS.get(instruction.opcode)
        if operator is None:
            return ELLIPSIS
        if operator == "+" and isinstance(right, ConstantInt) and right.value < 0:
            return f"{self._inner(left, depth)} - {-right.value}"
        return f"{self._inner(left, depth)} {operator} {self._inner(right, depth)}"

    def _logical(self, instruction: Select, depth: int) -> str:
        """A select of truth values: a short-circuit operator when one side is constant."""
        condition = self._inner(instruction.condition, depth)
        if isinstance(instruction.otherwise, ConstantInt) and not instruction.otherwise.value:
            return f"{condition} && {self._inner(instruction.then, depth)}"
        if _is_true(instruction.then):
            return f"{condition} || {self._inner(instruction.otherwise, depth)}"
        if isinstance(instruction.then, ConstantInt):
            return f"!{condition} && {self._inner(instruction.otherwise, depth)}"
        then = self._inner(instruction.then, depth)
        return f"{condition} ? {then} : {self._inner(instruction.otherwise, depth)}"

    def _pointee(self, pointer: Value, depth: int) -> str:
        """The object at an address: ``a[i]``, or the name of a variable."""
        indices = list[str]()
        instruction = self._function.definition(pointer)
        while isinstance(instruction, GetElementPtr):
            shown = [self.value(index, depth + 1) for index in instruction.indices]
            if len(shown) > 1 and shown[0] == "0":
                shown = shown[1:]
            indices[:0] = [f"[{index}]" for index in shown]
            pointer = instruction.base
            instruction = self._function.definition(pointer)
        if isinstance(instruction, Alloca | Phi | Select):
            base = _source_name(instruction.name)
        else:
            base = self.value(pointer, depth + 1)
        return base + "".join(indices) if indices or isinstance(instruction, Alloca) else f"*{base}"


def _number(value: ConstantInt | ConstantFloat) -> str:
    if isinstance(value, ConstantFloat):
        return f"{value.value:g}"
    return str(value)


def _is_true(value: Value) -> bool:
    return isinstance(value, ConstantInt) and value.type == I1 and bool(value.value)


def _is_call(text: str) -> bool:
    return bool(re.match(r"\w+\([^()]*\)\Z", text))


def _plain_name(name: str) -> str:
    """Of ``kernel.tile``, the name of a local array, the part that the source writes."""
    return name.rpartition(".")[2] or name


def _source_name(name: str) -> str:
    """Of ``i.0`` or ``i.addr``, names that come from a variable, the variable."""
    stem = name.partition(".")[0]
    return stem if stem and not stem[0].isdigit() else ELLIPSIS
