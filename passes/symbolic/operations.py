"""Symbolic values of instructions without control flow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kcc.frontend.builtins.primitives import PrimitiveClass, primitive_of
from kcc.frontend.builtins.sub_groups import NARROWEST_WARP
from kcc.frontend.ir.instructions import (
    AnyInstruction,
    Binary,
    Call,
    Cast,
    ExtractElement,
    ExtractValue,
    FloatCompare,
    GetElementPtr,
    InsertElement,
    InsertValue,
    Instruction,
    IntCompare,
    Select,
    ShuffleVector,
    Unary,
)
from kcc.frontend.ir.opcodes import Flags, Opcode
from kcc.frontend.ir.types import I1, I64, ArrayTy, FloatTy, IntTy, IrType, StructTy, VecTy
from kcc.frontend.ir.values import ConstantInt, Value
from kcc.frontend.kernel import Language
from kcc.passes.mix.classify import intrinsic_stem
from kcc.passes.symbolic.expr import Expr, SymbolKind
from kcc.passes.symbolic.operands import Components, components_of, element_address

if TYPE_CHECKING:
    from kcc.passes.symbolic.build import SymbolicValues

_QUERIES = {
    kind.value: kind
    for kind in (
        SymbolKind.GLOBAL_ID, SymbolKind.LOCAL_ID, SymbolKind.GROUP_ID, SymbolKind.GLOBAL_SIZE,
        SymbolKind.LOCAL_SIZE, SymbolKind.NUM_GROUPS, SymbolKind.GLOBAL_OFFSET,
    )
}  # fmt: skip

_SIZES = frozenset({SymbolKind.GLOBAL_SIZE, SymbolKind.LOCAL_SIZE, SymbolKind.NUM_GROUPS})

ELEMENTWISE = frozenset({
    "abs", "smax", "smin", "umax", "umin", "sadd.sat", "ssub.sat", "uadd.sat", "usub.sat",
    "fshl", "fshr", "ctpop", "ctlz", "cttz", "bitreverse", "bswap", "fabs", "floor", "ceil",
    "trunc", "rint", "nearbyint", "roundeven", "round", "fma", "fmuladd", "sqrt", "copysign",
    "minnum", "maxnum", "minimum", "maximum", "fptosi.sat", "fptoui.sat",
})  # fmt: skip
"""Intrinsics that are evaluated lane by lane, exactly."""

_FIRST_ONLY = frozenset({"abs", "ctlz", "cttz"})
"""Those whose last operand is a promise about poison."""


class Computation:
    """Gives the components of an instruction's result from those of its operands."""

    def __init__(self, values: SymbolicValues) -> None:
        self._values, self._algebra = values, values.algebra

    def __call__(self, instruction: AnyInstruction) -> Components:
        if any(part.bits > 64 for part in components_of(instruction.type)):
            return self._opaque(instruction, "an integer of more than 64 bits")
        match instruction:
            case Binary() | IntCompare() | FloatCompare():
                return self._pairwise(instruction)
            case Unary():
                return self._unary(instruction)
            case Cast():
                return self._cast(instruction)
            case Select():
                return self._select(instruction)
            case GetElementPtr():
                return self._element(instruction)
            case ExtractElement() | InsertElement() | ShuffleVector():
                return self._rearranged(instruction)
            case ExtractValue() | InsertValue():
                return self._field(instruction)
            case Call():
                return self._call(instruction)
            case _:
                return self._opaque(instruction, f"what {instruction.opcode.word} gives")

    def _opaque(self, instruction: AnyInstruction, reason: str) -> Components:
        return self._values.opaque(instruction, reason)

    def _operand(self, instruction: Instruction, value: Value) -> Components:
        return self._values.of(value, instruction.block)

    def _pairwise(self, instruction: Binary | IntCompare | FloatCompare) -> Components:
        left = self._operand(instruction, instruction.left)
        right = self._operand(instruction, instruction.right)
        detail = None if isinstance(instruction, Binary) else instruction.predicate
        types = components_of(instruction.type)
        if Flags.DISJOINT in instruction.flags and types[0] != I1:
            # Or of numbers that share no bits is addition, which the algebra knows more about.
            return tuple(map(self._algebra.add, left, right))
        return tuple(
            self._algebra.operation(instruction.opcode, type_, [a, b], detail)
            for type_, a, b in zip(types, left, right, strict=True)
        )

    def _unary(self, instruction: Unary) -> Components:
        operand = self._operand(instruction, instruction.operand)
        if instruction.opcode is Opcode.FREEZE:
            return operand
        return tuple(
            self._algebra.operation(instruction.opcode, part.type, [part]) for part in operand
        )

    def _cast(self, cast: Cast) -> Components:
        operand = self._operand(cast, cast.operand)
        types = components_of(cast.type)
        match cast.opcode:
            case Opcode.ADDRSPACECAST:
                return operand
            case Opcode.SEXT | Opcode.ZEXT if len(types) == 1:
                (type_,) = types
                assert isinstance(type_, IntTy)
                return (self._values.extended(cast.operand, cast.block, cast.opcode, type_),)
            case Opcode.PTRTOINT | Opcode.PTRTOADDR | Opcode.INTTOPTR:
                return tuple(self._resized(part, type_) for part, type_ in zip(operand, types))  # noqa: B905
            case Opcode.BITCAST if [p.type for p in operand] == list(types):
                return operand
            case Opcode.BITCAST if len(operand) != len(types):
                return self._opaque(cast, "the bits of a vector read as another type")
            case _:
                return tuple(
                    self._algebra.operation(cast.opcode, type_, [part])
                    for part, type_ in zip(operand, types, strict=True)
                )

    def _resized(self, part: Expr, type_: IntTy | FloatTy) -> Expr:
        assert isinstance(type_, IntTy)
        assert isinstance(part.type, IntTy)
        operator = Opcode.TRUNC if type_.bits < part.type.bits else Opcode.ZEXT
        return self._algebra.convert(operator, part, type_)

    def _select(self, select: Select) -> Components:
        condition = self._operand(select, select.condition)
        then = self._operand(select, select.then)
        otherwise = self._operand(select, select.otherwise)
        if len(condition) != len(then):
            condition = condition * len(then)
        return tuple(map(self._algebra.select, condition, then, otherwise))

    def _element(self, gep: GetElementPtr) -> Components:
        if isinstance(gep.type, VecTy):
            return self._opaque(gep, "a vector of pointers")
        (base,) = self._operand(gep, gep.base)
        indices = list[Expr]()
        for index in gep.indices:
            assert isinstance(index.type, IntTy)
            operator = Opcode.SEXT if index.type.bits <= 64 else Opcode.TRUNC
            indices.append(self._values.extended(index, gep.block, operator, I64))
        return (element_address(self._algebra, base, gep.source_type, indices),)

    def _rearranged(
        self, instruction: ExtractElement | InsertElement | ShuffleVector
    ) -> Components:
        match instruction:
            case ShuffleVector():
                both = (
                    *self._operand(instruction, instruction.left),
                    *self._operand(instruction, instruction.right),
                )
                types = components_of(instruction.type)
                return tuple(
                    self._algebra.opaque(type_, -1, place, "the value is not set")
                    if lane is None
                    else both[lane]
                    for place, (lane, type_) in enumerate(zip(instruction.mask, types, strict=True))
                )
            case ExtractElement():
                parts = self._operand(instruction, instruction.vector)
                lane = instruction.lane
                if isinstance(lane, ConstantInt) and lane.unsigned < len(parts):
                    return (parts[lane.unsigned],)
            case InsertElement():
                parts = self._operand(instruction, instruction.vector)
                lane = instruction.lane
                if isinstance(lane, ConstantInt) and lane.unsigned < len(parts):
                    (new,) = self._operand(instruction, instruction.element)
                    return (*parts[: lane.unsigned], new, *parts[lane.unsigned + 1 :])
        return self._opaque(instruction, "a lane of a vector that is chosen at run time")

    def _field(self, instruction: ExtractValue | InsertValue) -> Components:
        whole = self._operand(instruction, instruction.aggregate)
        first, count = _place(instruction.aggregate.type, instruction.indices)
        if isinstance(instruction, ExtractValue):
            return whole[first : first + count]
        new = self._operand(instruction, instruction.element)
        return (*whole[:first], *new, *whole[first + count :])

    def _call(self, call: Call) -> Components:
        if call.is_intrinsic:
            return self._intrinsic(call)
        primitive = primitive_of(call.callee)
        if primitive is None:
            return self._opaque(call, f"what {call.callee} gives")
        name = primitive.name
        if name == SymbolKind.WORK_DIM.value:
            return (self._algebra.symbol(SymbolKind.WORK_DIM, 0, _int(call.type)),)
        if name in ("get_sub_group_local_id", "get_sub_group_id"):
            return self._place_in_block(call, name)
        if name in _QUERIES:
            return self._query(call, _QUERIES[name])
        if primitive.primitive_class in (PrimitiveClass.MATH, PrimitiveClass.SPECIAL):
            return self._math(call, name)
        return self._opaque(call, f"what {name}() gives")

    def _place_in_block(self, call: Call, name: str) -> Components:
        """A work-item's warp, or its lane in it, by its place in the block: where the block's size
        and the warp's are known, which OpenCL leaves to the device unless the kernel says it."""
        kernel, sizes, type_ = self._values.kernel, self._algebra.known.local_size, _int(call.type)
        is_cuda = kernel.language in (Language.CUDA, Language.PTX)
        width = kernel.required_sub_group_size or NARROWEST_WARP * is_cuda
        if sizes is None or not width:
            return self._opaque(call, f"what {name}() gives")
        width = max(width, NARROWEST_WARP)  # smaller sub-groups are lowered as parts of a warp
        if name == "get_sub_group_local_id" and width == NARROWEST_WARP:
            return (self._algebra.symbol(SymbolKind.LANE, 0, type_),)
        place, stride = self._algebra.number(0, type_), 1
        for dimension, size in enumerate(sizes):
            own = self._algebra.symbol(SymbolKind.LOCAL_ID, dimension, type_)
            scaled = self._algebra.multiply(own, self._algebra.number(stride, type_))
            place, stride = self._algebra.add(place, scaled), stride * size
        operator = Opcode.UREM if name == "get_sub_group_local_id" else Opcode.UDIV
        operands = [place, self._algebra.number(width, type_)]
        return (self._algebra.operation(operator, type_, operands),)

    def _query(self, call: Call, kind: SymbolKind) -> Components:
        dimension, type_ = call.operands[0], _int(call.type)
        if not isinstance(dimension, ConstantInt):
            return self._opaque(call, f"{kind.value}() of a dimension chosen at run time")
        if not 0 <= dimension.value <= 2:
            return (self._algebra.number(int(kind in _SIZES), type_),)
        return (self._algebra.symbol(kind, dimension.value, type_),)

    def _math(self, call: Call, name: str) -> Components:
        """A math function, of which the last digits differ between devices."""
        types = components_of(call.type)
        rows = [self._operand(call, operand) for operand in call.operands]
        if any(len(row) != len(types) for row in rows):
            return self._opaque(call, f"what {name}() gives")
        return tuple(
            self._algebra.operation(f"{name}()", type_, [row[place] for row in rows])
            for place, type_ in enumerate(types)
        )

    def _intrinsic(self, call: Call) -> Components:
        stem = intrinsic_stem(call.callee)
        types = components_of(call.type)
        if stem == "is.constant":
            return (self._algebra.false(),)
        if stem is None or stem not in ELEMENTWISE:
            return self._opaque(call, f"what {call.callee} gives")
        operands = call.operands[:1] if stem in _FIRST_ONLY else call.operands
        rows = [self._operand(call, operand) for operand in operands]
        if any(len(row) != len(types) for row in rows):
            return self._opaque(call, f"what {call.callee} gives")
        return tuple(
            self._algebra.operation(stem, type_, [row[place] for row in rows])
            for place, type_ in enumerate(types)
        )


def _int(type_: IrType) -> IntTy:
    assert isinstance(type_, IntTy)
    return type_


def _place(type_: IrType, indices: tuple[int, ...]) -> tuple[int, int]:
    """Which components of an aggregate indices lead to: the first, and how many."""
    first = 0
    for index in indices:
        if isinstance(type_, StructTy):
            first += sum(len(components_of(item)) for item in type_.fields[:index])
            type_ = type_.fields[index]
        else:
            assert isinstance(type_, ArrayTy)
            type_ = type_.element
            first += index * len(components_of(type_))
    return first, len(components_of(type_))


__all__ = ["ELEMENTWISE", "Computation", "FloatTy"]
