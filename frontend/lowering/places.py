"""Places: what an lvalue denotes, and how values are read from and written to it.

A single lane of a vector in memory is accessed alone; a lane of a private vector goes through the
whole vector, which SSA construction turns into register moves.
"""

from __future__ import annotations

from dataclasses import replace

from kcc.base.records import dataclass
from kcc.frontend.ir import types as ir
from kcc.frontend.ir.builder import FunctionBuilder, Value, const_int, zero
from kcc.frontend.lowering.layout import (
    leaf_count,
    leaves,
    memory_type,
    step_type,
)
from kcc.frontend.types import BOOL, AddressSpace, QualType, VectorType, size_of

LARGEST_COPY_LEAVES = 128
"""Aggregates of more parts than this are copied and cleared by an intrinsic, as clang does from
16 bytes on; below it every part is an instruction of its own that analyses can see."""


@dataclass(frozen=True, slots=True)
class Memory:
    """An object at an address; ``align`` in bytes is what is known of the address."""

    type: QualType
    pointer: Value
    align: int
    in_union: bool = False
    """Whether it is part of a union, which has other types for the same bytes."""
    attachment: str = ""
    """What accesses carry about aliasing."""


@dataclass(frozen=True, slots=True)
class Lanes:
    """Some lanes of a vector: ``v.xy``. One lane is a scalar."""

    type: QualType
    vector: Memory
    lanes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Lane:
    """One lane of a vector by an index that is not constant."""

    type: QualType
    vector: Memory | Lanes
    index: Value


Place = Memory | Lanes | Lane


def offset_place(build: FunctionBuilder, base: Memory, offset: int, type_: QualType) -> Memory:
    """The object ``offset`` bytes into ``base``."""
    pointer = base.pointer
    if offset:
        pointer = build.gep(ir.I8, pointer, [const_int(ir.I64, offset)])
    return Memory(type_, pointer, _common_alignment(base.align, offset), base.in_union)


def lanes_of(base: Place, lanes: tuple[int, ...], type_: QualType) -> Place:
    """The place of a swizzle of a vector place."""
    match base:
        case Memory():
            return Lanes(type_, base, lanes)
        case Lanes(_, vector, outer):
            return Lanes(type_, vector, tuple(outer[lane] for lane in lanes))
        case Lane():
            raise AssertionError("a lane is not a vector")


def read(build: FunctionBuilder, place: Place) -> Value:
    """The value of a place that is not an aggregate."""
    match place:
        case Memory():
            return _read_memory(build, place)
        case Lanes(_, vector, (lane,)) if vector.type.space is not AddressSpace.PRIVATE:
            return _read_memory(build, _lane_memory(build, vector, lane))
        case Lanes(_, vector, lanes):
            return pick(build, _read_memory(build, vector), lanes)
        case Lane(_, vector, index):
            if isinstance(vector, Memory) and vector.type.space is not AddressSpace.PRIVATE:
                return _read_memory(build, _lane_memory(build, vector, index))
            return build.extract_element(read(build, vector), index)


def write(build: FunctionBuilder, place: Place, value: Value) -> None:
    """Store a value in a place."""
    match place:
        case Memory():
            _write_memory(build, place, value)
        case Lanes(_, vector, lanes) if vector.type.space is AddressSpace.PRIVATE:
            old = _read_memory(build, vector)
            _write_memory(build, vector, _with_lanes(build, old, lanes, value))
        case Lanes(_, vector, lanes):
            for number, lane in enumerate(lanes):
                part = value if len(lanes) == 1 else build.extract_element(value, number)
                _write_memory(build, _lane_memory(build, vector, lane), part)
        case Lane(_, vector, index):
            if isinstance(vector, Memory) and vector.type.space is not AddressSpace.PRIVATE:
                _write_memory(build, _lane_memory(build, vector, index), value)
            else:
                changed = build.insert_element(read(build, vector), value, index)
                write(build, vector, changed)


def pick(build: FunctionBuilder, vector: Value, lanes: tuple[int, ...]) -> Value:
    """Lanes of a vector value: a scalar for one, else a vector in that order."""
    if len(lanes) == 1:
        return build.extract_element(vector, lanes[0])
    assert isinstance(vector.type, ir.VecTy)
    if lanes == tuple(range(vector.type.lanes)):
        return vector
    return build.shuffle(vector, None, lanes)


def copy(build: FunctionBuilder, target: Memory, source: Memory) -> None:
    """Copy an aggregate from one place to another."""
    type_ = source.type.type
    if leaf_count(type_) > LARGEST_COPY_LEAVES:
        build.emit(
            f"call void @llvm.memcpy.p{_space(target)}.p{_space(source)}.i64("
            f"{_aligned(target)}, {_aligned(source)}, i64 {size_of(type_)}, i1 false)"
        )
        return
    for leaf in leaves(type_):
        value = _load_leaf(build, source, leaf.offset, leaf.type)
        _store_leaf(build, target, leaf.offset, value)


def clear(build: FunctionBuilder, target: Memory) -> None:
    """Set a large aggregate to zero bytes."""
    build.emit(
        f"call void @llvm.memset.p{_space(target)}.i64({_aligned(target)}, i8 0, "
        f"i64 {size_of(target.type.type)}, i1 false)"
    )


def clear_any(build: FunctionBuilder, target: Memory) -> None:
    """Set an object of any type to zero."""
    if leaf_count(target.type.type) > LARGEST_COPY_LEAVES:
        clear(build, target)
        return
    for leaf in leaves(target.type.type):
        _store_leaf(build, target, leaf.offset, zero(leaf.type))


def element_place(build: FunctionBuilder, array: Memory, index: Value, type_: QualType) -> Memory:
    """An element of an array."""
    size = size_of(type_.type)
    align = _common_alignment(array.align, size)
    if index.text.isdecimal():
        align = _common_alignment(array.align, int(index.text) * size)
    pointer = build.gep(step_type(type_.type), array.pointer, [index])
    return Memory(type_, pointer, align, array.in_union)


def element_memory(vector: Memory) -> Memory:
    """The first lane of a vector in memory as an object of its own."""
    type_ = vector.type.type
    assert isinstance(type_, VectorType)
    size = type_.element.kind.size_bytes
    return Memory(replace(vector.type, type=type_.element), vector.pointer, min(vector.align, size))


def _read_memory(build: FunctionBuilder, place: Memory) -> Value:
    type_ = place.type.type
    loaded = _load(build, place, memory_type(type_))
    return build.cast("trunc", loaded, ir.I1) if type_ == BOOL else loaded


def _write_memory(build: FunctionBuilder, place: Memory, value: Value) -> None:
    type_ = place.type.type
    if type_ == BOOL:
        value = build.cast("zext", value, ir.I8)
    _store(build, place, value)


def _load_leaf(build: FunctionBuilder, place: Memory, offset: int, type_: ir.IrType) -> Value:
    part = offset_place(build, place, offset, place.type)
    return _load(build, part, type_)


def _store_leaf(build: FunctionBuilder, place: Memory, offset: int, value: Value) -> None:
    part = offset_place(build, place, offset, place.type)
    _store(build, part, value)


def _load(build: FunctionBuilder, place: Memory, type_: ir.IrType) -> Value:
    word = "load volatile" if place.type.volatile else "load"
    return build.value(
        type_, f"{word} {type_}, {place.pointer}, align {place.align}{place.attachment}"
    )


def _store(build: FunctionBuilder, place: Memory, value: Value) -> None:
    word = "store volatile" if place.type.volatile else "store"
    build.emit(f"{word} {value}, {place.pointer}, align {place.align}{place.attachment}")


def _lane_memory(build: FunctionBuilder, vector: Memory, lane: int | Value) -> Memory:
    first = element_memory(vector)
    element = memory_type(first.type.type)
    if lane == 0:
        return Memory(first.type, first.pointer, vector.align)
    index = const_int(ir.I64, lane) if isinstance(lane, int) else lane
    pointer = build.gep(element, first.pointer, [index])
    align = first.align
    if isinstance(lane, int):
        align = _common_alignment(vector.align, lane * size_of(first.type.type))
    return Memory(first.type, pointer, align)


def _with_lanes(build: FunctionBuilder, old: Value, lanes: tuple[int, ...], value: Value) -> Value:
    """``old`` with some lanes replaced by those of ``value`` in order."""
    assert isinstance(old.type, ir.VecTy)
    if len(lanes) == 1:
        return build.insert_element(old, value, lanes[0])
    count = old.type.lanes
    if len(lanes) == count:
        order = [lanes.index(lane) for lane in range(count)]
        return pick(build, value, tuple(order))
    widened = build.shuffle(value, None, [n if n < len(lanes) else None for n in range(count)])
    mask = [count + lanes.index(lane) if lane in lanes else lane for lane in range(count)]
    return build.shuffle(old, widened, mask)


def _common_alignment(align: int, offset: int) -> int:
    """The alignment of an address ``offset`` bytes after one aligned to ``align``."""
    return min(align, offset & -offset) if offset else align


def _aligned(place: Memory) -> str:
    return f"{place.pointer.type} align {place.align} {place.pointer.text}"


def _space(place: Memory) -> int:
    assert isinstance(place.pointer.type, ir.PtrTy)
    return place.pointer.type.space
