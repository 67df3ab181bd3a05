"""What the definition of a built-in function is written with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from kcc.base.records import dataclass
from kcc.frontend.builtins.mangle import mangle
from kcc.frontend.builtins.overloads import overload_of_symbol
from kcc.frontend.builtins.signatures import ResolvedBuiltin
from kcc.frontend.ir.builder import FunctionBuilder, Value, const_float, const_int
from kcc.frontend.ir.types import (
    FLOAT,
    I1,
    VOID,
    FloatTy,
    IntTy,
    IrType,
    PtrTy,
    VecTy,
    align_bytes,
    scalar_of,
)
from kcc.frontend.types import (
    AddressSpace,
    EventType,
    ImageType,
    PointerType,
    SamplerType,
    ScalarKind,
    ScalarType,
    Type,
    VectorType,
    VoidType,
    element_kind,
)


def ir_type(type_: Type) -> IrType:
    """The IR type of a parameter or result of a built-in function."""
    match type_:
        case VoidType():
            return VOID
        case ScalarType(kind):
            return _scalar(kind)
        case VectorType(element, lanes):
            return VecTy(lanes, _scalar(element.kind))
        case PointerType(pointee):
            return PtrTy(int(pointee.space))
        case ImageType():
            return PtrTy(int(AddressSpace.GLOBAL))
        case SamplerType():
            return PtrTy(int(AddressSpace.CONSTANT))
        case EventType():
            return PtrTy()
        case _:
            raise ValueError(f"no built-in function has a '{type_}'")


def _scalar(kind: ScalarKind) -> IntTy | FloatTy:
    if kind is ScalarKind.BOOL:
        return I1
    bits = 8 * kind.size_bytes
    return FloatTy(bits) if kind.floating else IntTy(bits)


def with_lanes(type_: IrType, like: IrType) -> IrType:
    """The scalar type ``type_`` with as many lanes as ``like`` has."""
    if not isinstance(like, VecTy):
        return type_
    assert isinstance(type_, (IntTy, FloatTy))
    return VecTy(like.lanes, type_)


def bits_of(type_: IrType) -> int:
    """Width of a number, or of the elements of a vector of numbers, in bits."""
    scalar = scalar_of(type_)
    assert isinstance(scalar, (IntTy, FloatTy))
    return scalar.bits


def integer_like(type_: IrType) -> IrType:
    """The integers of the same width and number of lanes."""
    return with_lanes(IntTy(bits_of(type_)), type_)


def type_suffix(type_: IrType) -> str:
    """How the name of an intrinsic spells a type: ``f32``, ``v4i16``."""
    match type_:
        case VecTy(lanes, element):
            return f"v{lanes}{type_suffix(element)}"
        case FloatTy(bits):
            return f"f{bits}"
        case IntTy(bits):
            return f"i{bits}"
        case _:
            raise ValueError(f"no intrinsic is overloaded on {type_}")


@dataclass(slots=True)
class Emitter:
    """The body of one built-in function under construction.

    ``calls`` and ``intrinsics`` collect what the body refers to: other built-in functions, and
    ``declare`` lines of intrinsics by name.
    """

    builtin: ResolvedBuiltin
    build: FunctionBuilder
    args: list[Value]
    calls: list[ResolvedBuiltin] = field(default_factory=list[ResolvedBuiltin])
    intrinsics: dict[str, str] = field(default_factory=dict[str, str])
    sub_group: int = 32
    """Work-items of a full sub-group."""
    in_parts: bool = False
    """Whether a sub-group is only a part of a warp."""

    def void(self) -> Value:
        """What a function without a result gives."""
        return Value(VOID, "void")

    @property
    def result(self) -> IrType:
        return ir_type(self.builtin.result)

    def kind(self, position: int) -> ScalarKind:
        """The element kind of a parameter (its signedness is not in the IR type)."""
        kind = element_kind(self.builtin.parameters[position].type)
        assert kind is not None
        return kind

    def signed(self, position: int = 0) -> bool:
        """Whether a parameter is a signed integer."""
        return self.kind(position).signed

    def intrinsic(
        self, stem: str, *arguments: Value, result: IrType | None = None, suffix: str | None = None
    ) -> Value:
        """Call ``llvm.STEM``, overloaded on the first argument's type or as ``suffix`` says."""
        type_ = result or arguments[0].type
        name = f"llvm.{stem}.{suffix or type_suffix(arguments[0].type)}"
        shown = ", ".join(str(a.type) for a in arguments)
        self.intrinsics[name] = f"declare {type_} @{name}({shown})"
        return self.build.intrinsic(name, type_, arguments)

    def call(self, name: str, types: Sequence[Type], arguments: Sequence[Value]) -> Value:
        """Call the overload of another built-in function with exactly these parameter types."""
        symbol = mangle(name, types)
        target = overload_of_symbol(symbol)
        assert target is not None, symbol
        self.calls.append(target)
        return self.build.call(symbol, ir_type(target.result), arguments)

    def number(self, like: IrType, value: float) -> Value:
        """A floating-point constant of the type of a value, in every lane."""
        return const_float(like, value)

    def integer(self, like: IrType, value: int) -> Value:
        """An integer constant, in every lane."""
        return const_int(like, value)

    def splat_to(self, scalar: Value, like: IrType) -> Value:
        """A scalar in every lane of a vector type; unchanged when it has the type already."""
        if scalar.type == like:
            return scalar
        assert isinstance(like, VecTy)
        return self.build.splat(scalar, like.lanes)

    def resize(self, value: Value, to: IrType, *, signed: bool) -> Value:
        """An integer made wider or narrower."""
        if bits_of(value.type) >= bits_of(to):
            return self.build.cast("trunc", value, to)
        return self.build.cast("sext" if signed else "zext", value, to)

    def pointee_type(self, position: int) -> IrType:
        """What a pointer parameter points to."""
        pointer = self.builtin.parameters[position].type
        assert isinstance(pointer, PointerType)
        return ir_type(pointer.pointee.type)

    def store_result(self, value: Value, pointer: Value) -> None:
        """Store through a pointer parameter, which is aligned as its pointee asks."""
        self.build.store(value, pointer, align_bytes(value.type))

    def to_signed(self, value: Value, to: IrType) -> Value:
        """Floating point to signed integers, towards zero, saturating; NaN gives 0."""
        suffix = f"{type_suffix(to)}.{type_suffix(value.type)}"
        return self.intrinsic("fptosi.sat", value, result=to, suffix=suffix)

    def widen_half(self, value: Value) -> Value:
        """Halves as floats."""
        return self.build.cast("fpext", value, with_lanes(FLOAT, value.type))

    def lanes(self, value: Value) -> list[Value]:
        """The elements of a vector; a scalar is its only element."""
        if not isinstance(value.type, VecTy):
            return [value]
        return [self.build.extract_element(value, n) for n in range(value.type.lanes)]

    def gather(self, elements: Sequence[Value], type_: IrType) -> Value:
        """A vector of elements; the only element for a scalar type."""
        if not isinstance(type_, VecTy):
            return elements[0]
        vector = Value(type_, "poison")
        for n, element in enumerate(elements):
            vector = self.build.insert_element(vector, element, n)
        return vector

    def truth(self, condition: Value) -> Value:
        """An i1 as the language's result of a comparison: 0 and 1, or 0 and -1 in vectors."""
        vector = isinstance(condition.type, VecTy)
        return self.build.cast("sext" if vector else "zext", condition, self.result)
