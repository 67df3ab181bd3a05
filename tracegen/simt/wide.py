"""Values of a whole warp, and the writer that the modules of this package share.

A canonical value is flattened into scalar *parts* (the lanes of an OpenCL vector, the fields of a
struct); each part is one scalar for a uniform value, else an LLVM vector with one element per lane
of the warp. Pointers are 64-bit virtual addresses. Masks are integers of W bits.
"""

from __future__ import annotations

from kcc.base.records import dataclass
from kcc.frontend.ir.builder import FunctionBuilder, ModuleBuilder, Value, const_int, zero
from kcc.frontend.ir.types import (
    I1,
    I8,
    I32,
    I64,
    ArrayTy,
    FloatTy,
    IntTy,
    IrType,
    PtrTy,
    StructTy,
    VecTy,
    VoidTy,
    align_bytes,
    field_offsets,
    size_bytes,
)
from kcc.tracegen.simt.layout import Worker

Part = IntTy | FloatTy


@dataclass(frozen=True, slots=True)
class Wide:
    """The parts of a value; each either a scalar (uniform) or a vector of W elements."""

    parts: tuple[Value, ...]

    @property
    def is_uniform(self) -> bool:
        return not any(isinstance(p.type, VecTy) for p in self.parts)


def parts_of(type_: IrType) -> tuple[Part, ...]:
    """The scalar types a canonical type is flattened into; pointers become 64-bit integers."""
    match type_:
        case PtrTy():
            return (I64,)
        case IntTy() | FloatTy():
            return (type_,)
        case VecTy(lanes, element):
            return parts_of(element) * lanes
        case ArrayTy(length, element):
            return parts_of(element) * length
        case StructTy(fields):
            return tuple(p for f in fields for p in parts_of(f))
        case VoidTy():
            return ()


def memory_parts(type_: IrType, offset: int = 0) -> list[tuple[Part, int]]:
    """The parts of a type in memory: scalar type (i1 as i8) and byte offset."""
    match type_:
        case StructTy(fields):
            places = zip(fields, field_offsets(type_), strict=True)
            return [p for f, o in places for p in memory_parts(f, offset + o)]
        case ArrayTy(length, element):
            step = size_bytes(element)
            return [p for i in range(length) for p in memory_parts(element, offset + i * step)]
        case VecTy(lanes, element):
            step = size_bytes(element)
            return [p for i in range(lanes) for p in memory_parts(element, offset + i * step)]
        case IntTy(1):
            return [(I8, offset)]
        case _:
            return [(p, offset) for p in parts_of(type_)]


def access_bytes(type_: IrType) -> int:
    """Bytes a load or store of the type touches (vectors of 3 touch 3 elements)."""
    last, offset = memory_parts(type_)[-1]
    return offset + size_bytes(last)


@dataclass(slots=True)
class Writer:
    """Writes straight-line code on wide values of ``width`` lanes into one function."""

    module: ModuleBuilder
    code: FunctionBuilder
    width: int

    @property
    def mask_type(self) -> IntTy:
        return IntTy(self.width)

    @property
    def full_mask(self) -> Value:
        return const_int(self.mask_type, -1)

    @property
    def here(self) -> str:
        """The label of the block that is being written."""
        assert self.code.current is not None
        return self.code.current

    def vector_type(self, part: Part) -> VecTy:
        return VecTy(self.width, part)

    def lanes(self, part: Value) -> Value:
        """The part as a vector, splat if it is a scalar."""
        if isinstance(part.type, VecTy):
            return part
        return self.code.splat(part, self.width)

    def splat_like(self, scalar: Value, model: Value) -> Value:
        """The scalar, in every lane if ``model`` is a vector."""
        return self.lanes(scalar) if isinstance(model.type, VecTy) else scalar

    def iota(self, type_: IntTy, step: int = 1) -> Value:
        """The constant vector 0, step, 2*step ..."""
        elements = ", ".join(f"{type_} {i * step}" for i in range(self.width))
        return Value(VecTy(self.width, type_), f"<{elements}>")

    def bits(self, lanes: Value) -> Value:
        """A vector of i1 as a mask."""
        return self.code.cast("bitcast", lanes, self.mask_type)

    def flags(self, mask: Value) -> Value:
        """A mask as a vector of i1."""
        return self.code.cast("bitcast", mask, VecTy(self.width, I1))

    def call_intrinsic(self, name: str, result: IrType, arguments: list[Value]) -> Value:
        """Call ``llvm.NAME``, declaring it."""
        self.declare(name, result, arguments)
        return self.code.intrinsic(name, result, arguments)

    def declare(self, name: str, result: IrType, arguments: list[Value]) -> None:
        shown = ", ".join(str(a.type) for a in arguments)
        self.module.declare(name, f"declare {result} @{name}({shown})")

    def first_lane(self, mask: Value) -> Value:
        """The lowest set bit of a mask that is not empty."""
        name = f"llvm.cttz.i{self.width}"
        return self.call_intrinsic(name, self.mask_type, [mask, const_int(I1, 1)])

    def any_lane(self, mask: Value) -> Value:
        return self.code.compare("icmp", "ne", mask, zero(mask.type))

    def word(self, record: Value, index: int) -> Value:
        """The address of a 64-bit word of a record."""
        return self.code.gep(I64, record, [const_int(I64, index)])

    def load_word(self, record: Value, index: int, type_: IrType = I64) -> Value:
        return self.code.load(type_, self.word(record, index), 8)

    def store_word(self, value: Value, record: Value, index: int) -> None:
        self.code.store(value, self.word(record, index), 8)

    def call_back(self, worker: Value, function: int, *arguments: Value) -> None:
        """Call the function of the Python side that stands in a word of the worker's record."""
        called = self.load_word(worker, function, PtrTy(0))
        shown = ", ".join(str(a) for a in (worker, *arguments))
        self.store_word(const_int(I64, 1), worker, Worker.AWAY)
        self.code.emit(f"call void {called.text}({shown})")
        self.store_word(const_int(I64, 0), worker, Worker.AWAY)

    def narrow(self, mask64: Value) -> Value:
        """A 64-bit word as a mask."""
        return self.code.cast("trunc", mask64, self.mask_type) if self.width < 64 else mask64

    def widen(self, mask: Value) -> Value:
        """A mask as a 64-bit word."""
        return self.code.cast("zext", mask, I64) if self.width < 64 else mask


def slot_bytes(part: Part, width: int, *, uniform: bool) -> int:
    """Room of a part in a warp's state: bits of a mask for a varying i1, else its elements."""
    if part == I1:
        return 8
    return 8 if uniform else size_bytes(part) * width


def slot_alignment(part: Part, width: int, *, uniform: bool) -> int:
    """Alignment of a slot in bytes: that of a cache line for vectors."""
    return 8 if uniform or part == I1 else min(64, align_bytes(part) * width)


__all__ = [
    "I32", "Part", "Wide", "Writer", "access_bytes", "memory_parts", "parts_of", "slot_alignment",
    "slot_bytes",
]  # fmt: skip
