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
from kcc.frontend.ir.types import I1, I8, IntTy
from kcc.frontend.ir.values import (
    ArgumentRef,
    ConstantFloat,
    ConstantInt,
    GlobalRef,
    InstructionRef,
    Value,
)

MAX_LENGTH = 60
"""Characters a text may have; a longer one is cut at the operations furthest inside."""

_DEPTHS = (8, 5, 4, 3, 2, 1)
"""Operations inside one another that are shown, tried in this order."""

ELLIPSIS = "..."

# Precedences of C (C99 6.5): a higher one binds its operands more strongly.
_PRIMARY, _UNARY, _CONDITIONAL = 20, 15, 1

_OPERATORS: dict[Opcode, tuple[str, int]] = {
    Opcode.MUL: ("*", 13), Opcode.UDIV: ("/", 13), Opcode.SDIV: ("/", 13),
    Opcode.UREM: ("%", 13), Opcode.SREM: ("%", 13), Opcode.FMUL: ("*", 13),
    Opcode.FDIV: ("/", 13), Opcode.ADD: ("+", 12), Opcode.SUB: ("-", 12),
    Opcode.FADD: ("+", 12), Opcode.FSUB: ("-", 12), Opcode.SHL: ("<<", 11),
    Opcode.LSHR: (">>", 11), Opcode.ASHR: (">>", 11), Opcode.AND: ("&", 8),
    Opcode.XOR: ("^", 7), Opcode.OR: ("|", 6),
}  # fmt: skip

_COMPARISONS: dict[IntPredicate | FloatPredicate, tuple[str, int]] = {
    IntPredicate.EQ: ("==", 9), IntPredicate.NE: ("!=", 9), IntPredicate.UGT: (">", 10),
    IntPredicate.UGE: (">=", 10), IntPredicate.ULT: ("<", 10), IntPredicate.ULE: ("<=", 10),
    IntPredicate.SGT: (">", 10), IntPredicate.SGE: (">=", 10), IntPredicate.SLT: ("<", 10),
    IntPredicate.SLE: ("<=", 10),
    FloatPredicate.OEQ: ("==", 9), FloatPredicate.UEQ: ("==", 9), FloatPredicate.OGT: (">", 10),
    FloatPredicate.UGT: (">", 10), FloatPredicate.OGE: (">=", 10), FloatPredicate.UGE: (">=", 10),
    FloatPredicate.OLT: ("<", 10), FloatPredicate.ULT: ("<", 10), FloatPredicate.OLE: ("<=", 10),
    FloatPredicate.ULE: ("<=", 10), FloatPredicate.ONE: ("!=", 9), FloatPredicate.UNE: ("!=", 9),
}  # fmt: skip
"""Whether a NaN counts as true is left out: it is in the IR."""

_AND, _OR = ("&&", 5), ("||", 4)

_UNSIGNED = {IntPredicate.UGT, IntPredicate.UGE, IntPredicate.ULT, IntPredicate.ULE}

_UNSIGNED_TYPES = {8: "uchar", 16: "ushort", 32: "uint", 64: "ulong"}

_UNNAMED = re.compile(r"v?\d+\Z|indvars\Z")
"""Names that front end and optimiser give to values which are no variables."""

_MANGLED = re.compile(r"_Z(\d+)(?P<rest>\w+)\Z")


def condition_text(function: Function, branch: CondBranch | Switch) -> str:
    """What a branch decides on, e.g. ``i < n``; what has no short text is an ellipsis."""
    for depth in _DEPTHS:
        try:
            return _Printer(function, depth).value(branch.operands[0], 0)[0]
        except _TooLongError:
            continue
    return ELLIPSIS


def symbol_text(symbol: str) -> str:
    """The plain name of a function: of an Itanium-mangled one the identifier inside."""
    matched = _MANGLED.match(symbol)
    return matched["rest"][: int(matched[1])] if matched else symbol


Shown = tuple[str, int]
"""A text and the precedence of its outermost operator."""

_UNKNOWN = (ELLIPSIS, _PRIMARY)


class _TooLongError(Exception):
    """A part has more characters than the whole may have."""


class _Printer:
    """Shows values, else raises :class:`_TooLongError`. Values that share parts would be
    exponentially long as text: each is shown once per depth."""

    def __init__(self, function: Function, max_depth: int) -> None:
        self._function = function
        self._max_depth = max_depth
        self._shown: dict[tuple[int, int], Shown] = {}
        self._nested = 0

    def value(self, value: Value, depth: int) -> Shown:
        match value:
            case ArgumentRef() | GlobalRef():
                return _plain_name(value.name), _PRIMARY
            case ConstantInt() | ConstantFloat():
                return _number(value), _PRIMARY
            case InstructionRef():
                return self._instruction(self._function.instructions[value.index], depth)
            case _:
                return _UNKNOWN

    def _instruction(self, instruction: AnyInstruction, depth: int) -> Shown:
        key = (instruction.index, min(depth, self._max_depth))
        found = self._shown.get(key)
        if found is None:
            if self._nested > MAX_LENGTH:
                raise _TooLongError
            self._nested += 1
            found = self._shown[key] = self._made(instruction, depth)
            self._nested -= 1
            if len(found[0]) > MAX_LENGTH:
                raise _TooLongError
        return found

    def _made(self, instruction: AnyInstruction, depth: int) -> Shown:
        if depth >= self._max_depth and isinstance(instruction, Binary | Select | Load):
            return _UNKNOWN
        match instruction:
            case IntCompare() | FloatCompare():
                return self._comparison(instruction, depth)
            case Binary():
                return self._binary(instruction, depth)
            case Select():
                return self._select(instruction, depth)
            case Cast():
                return self.value(instruction.operand, depth)
            case Unary():
                shown = self._operand(instruction.operand, depth, _UNARY)
                return (f"-{shown}", _UNARY) if instruction.opcode is Opcode.FNEG else _UNKNOWN
            case Load():
                return self._pointee(instruction, depth)
            case Call():
                shown = (self._operand(each, depth, 0) for each in instruction.arguments)
                return f"{symbol_text(instruction.callee)}({', '.join(shown)})", _PRIMARY
            case Phi():
                return _source_name(instruction.name), _PRIMARY
            case _:
                return _UNKNOWN

    def _operand(self, value: Value, depth: int, precedence: int) -> str:
        """An operand of an operator of ``precedence``, in parentheses where it binds less."""
        text, own = self.value(value, depth + 1)
        return text if own >= precedence else f"({text})"

    def _infix(self, left: Value, operator: Shown, right: Value, depth: int) -> Shown:
        symbol, precedence = operator
        shown = self._operand(left, depth, precedence)
        return f"{shown} {symbol} {self._operand(right, depth, precedence + 1)}", precedence

    def _comparison(self, instruction: IntCompare | FloatCompare, depth: int) -> Shown:
        operator = _COMPARISONS.get(instruction.predicate)
        if operator is None:
            return _UNKNOWN
        left, right = instruction.left, instruction.right
        text, precedence = self._infix(left, operator, right, depth)
        if instruction.predicate in _UNSIGNED and isinstance(left.type, IntTy):
            type_ = _UNSIGNED_TYPES.get(left.type.bits, "unsigned")
            shown = self._operand(left, depth, _UNARY)
            text = f"({type_}){shown} {operator[0]} {self._operand(right, depth, precedence + 1)}"
        return text, precedence

    def _binary(self, instruction: Binary, depth: int) -> Shown:
        left, right = instruction.left, instruction.right
        if instruction.opcode is Opcode.XOR and _is_true(right):
            return f"!{self._operand(left, depth, _UNARY)}", _UNARY
        if instruction.opcode is Opcode.SUB and isinstance(left, ConstantInt) and not left.value:
            return f"-{self._operand(right, depth, _UNARY)}", _UNARY
        operator = _OPERATORS.get(instruction.opcode)
        if operator is None:
            return _UNKNOWN
        if operator[0] == "+" and isinstance(right, ConstantInt) and right.value < 0:
            return f"{self._operand(left, depth, operator[1])} - {-right.value}", operator[1]
        return self._infix(left, operator, right, depth)

    def _select(self, instruction: Select, depth: int) -> Shown:
        """A short-circuit operator where one side is constant, else a conditional operator."""
        then, otherwise = instruction.then, instruction.otherwise
        if instruction.type == I1 and _is_false(otherwise):
            return self._infix(instruction.condition, _AND, then, depth)
        if instruction.type == I1 and _is_true(then):
            return self._infix(instruction.condition, _OR, otherwise, depth)
        condition = self._operand(instruction.condition, depth, _CONDITIONAL + 1)
        if instruction.type == I1 and _is_false(then):
            negated = self._operand(instruction.condition, depth, _UNARY)
            return f"!{negated} && {self._operand(otherwise, depth, _AND[1] + 1)}", _AND[1]
        sides = (self._operand(side, depth, _CONDITIONAL + 1) for side in (then, otherwise))
        return f"{condition} ? {' : '.join(sides)}", _CONDITIONAL

    def _pointee(self, load: Load, depth: int) -> Shown:
        """The object at an address: ``a[i]``, or the name of a variable."""
        steps, pointer = list[GetElementPtr](), load.pointer
        instruction = self._function.definition(pointer)
        while isinstance(instruction, GetElementPtr):
            steps.append(instruction)
            pointer = instruction.base
            instruction = self._function.definition(pointer)
        if isinstance(instruction, Alloca):
            base = _source_name(f"{instruction.name}.0")
        else:
            base = self._operand(pointer, depth, _UNARY)
            if base == ELLIPSIS:
                return _UNKNOWN
            if not steps:
                return f"*{base}", _UNARY
        indices = [self._indices(step, load, depth) for step in reversed(steps)]
        return base + "".join(indices), _PRIMARY

    def _indices(self, step: GetElementPtr, load: Load, depth: int) -> str:
        if step.source_type == I8 and load.type != I8:
            return f"[{ELLIPSIS}]"  # bytes into a structure: which member, the IR does not say
        shown = [self._operand(index, depth, 0) for index in step.indices]
        if len(shown) > 1 and shown[0] == "0":
            shown = shown[1:]
        return "".join(f"[{index}]" for index in shown)


def _number(value: ConstantInt | ConstantFloat) -> str:
    if isinstance(value, ConstantFloat):
        return f"{value.value:g}"
    return str(value)


def _is_true(value: Value) -> bool:
    return isinstance(value, ConstantInt) and value.type == I1 and bool(value.value)


def _is_false(value: Value) -> bool:
    return isinstance(value, ConstantInt) and value.type == I1 and not value.value


def _plain_name(name: str) -> str:
    """Of ``kernel.tile``, the name of a local array, the part that the source writes."""
    return name.rpartition(".")[2] or name


def _source_name(name: str) -> str:
    """The variable of a name such as ``i.0``, which LLVM makes of a variable's."""
    stem, dot, _ = name.partition(".")
    return stem if dot and not _UNNAMED.match(stem) else ELLIPSIS
