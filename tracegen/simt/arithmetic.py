"""Arithmetic, comparisons, conversions, selects and vector shuffles on wide values."""

from __future__ import annotations

from math import gcd

from kcc.frontend.ir.builder import Value, const_int, zero
from kcc.frontend.ir.instructions import (
    Binary,
    Cast,
    ExtractElement,
    ExtractValue,
    FloatCompare,
    GetElementPtr,
    InsertElement,
    InsertValue,
    IntCompare,
    ShuffleVector,
)
from kcc.frontend.ir.opcodes import Opcode
from kcc.frontend.ir.types import (
    DOUBLE,
    FLOAT,
    HALF,
    I32,
    ArrayTy,
    FloatTy,
    IntTy,
    IrType,
    StructTy,
    VecTy,
    field_offsets,
    scalar_of,
    size_bytes,
)
from kcc.frontend.ir.values import ConstantInt
from kcc.tracegen.simt.wide import Part, Wide, Writer, parts_of

DIVISIONS = frozenset({Opcode.UDIV, Opcode.SDIV, Opcode.UREM, Opcode.SREM})
SHIFTS = frozenset({Opcode.SHL, Opcode.LSHR, Opcode.ASHR})


def align_shapes(writer: Writer, *values: Wide) -> tuple[Wide, ...]:
    """The values part by part either all scalars or all vectors."""
    if all(v.is_uniform for v in values):
        return values
    return tuple(Wide(tuple(writer.lanes(p) for p in v.parts)) for v in values)


def binary(writer: Writer, instruction: Binary, left: Wide, right: Wide) -> Wide:
    """Everything but division. Overflow wraps and shift counts are taken as they are (the front
    ends mask them): promises such as nsw are dropped, so nothing is ever poison."""
    left, right = align_shapes(writer, left, right)
    word = instruction.opcode.word
    parts = list[Value]()
    for a, b in zip(left.parts, right.parts, strict=True):
        if instruction.opcode in SHIFTS:
            b = masked_count(writer, b)
        parts.append(writer.code.binary(word, a, b))
    return Wide(tuple(parts))


def masked_count(writer: Writer, count: Value) -> Value:
    """A shift count below the width, so that the result is never poison."""
    if count.text.isdigit():
        return count
    type_ = scalar_of(count.type)
    assert isinstance(type_, IntTy)
    return writer.code.binary("and", count, const_int(count.type, type_.bits - 1))


def divide(writer: Writer, instruction: Binary, left: Wide, right: Wide) -> Wide:
    """Integer division; the divisor is not zero in any lane. The most negative number over -1
    wraps to itself with remainder 0, where the host would trap."""
    left, right = align_shapes(writer, left, right)
    signed = instruction.opcode in (Opcode.SDIV, Opcode.SREM)
    parts = list[Value]()
    for a, b in zip(left.parts, right.parts, strict=True):
        if not signed or _is_safe_constant(b):
            parts.append(writer.code.binary(instruction.opcode.word, a, b))
            continue
        minus_one = writer.code.compare("icmp", "eq", b, const_int(b.type, -1))
        divisor = writer.code.select(minus_one, const_int(b.type, 1), b)
        quotient = writer.code.binary(instruction.opcode.word, a, divisor)
        special = (
            writer.code.binary("sub", zero(a.type), a)
            if instruction.opcode is Opcode.SDIV
            else zero(a.type)
        )
        parts.append(writer.code.select(minus_one, special, quotient))
    return Wide(tuple(parts))


def _is_safe_constant(value: Value) -> bool:
    return value.text.isdigit() or (value.text.startswith("splat (") and "-" not in value.text)


def negate(writer: Writer, operand: Wide) -> Wide:
    """Fneg."""
    return Wide(tuple(writer.code.negate_float(p) for p in operand.parts))


def compare(
    writer: Writer, instruction: IntCompare | FloatCompare, left: Wide, right: Wide
) -> Wide:
    """Icmp and fcmp, part by part."""
    left, right = align_shapes(writer, left, right)
    word = "icmp" if isinstance(instruction, IntCompare) else "fcmp"
    predicate = instruction.predicate.value
    pairs = zip(left.parts, right.parts, strict=True)
    return Wide(tuple(writer.code.compare(word, predicate, a, b) for a, b in pairs))


def select(writer: Writer, condition: Wide, then: Wide, otherwise: Wide) -> Wide:
    """A scalar condition chooses whole values, a vector condition lane by lane."""
    if len(condition.parts) != len(then.parts):
        condition = Wide(condition.parts * len(then.parts))
    if condition.is_uniform:
        then, otherwise = align_shapes(writer, then, otherwise)
    else:
        condition, then, otherwise = align_shapes(writer, condition, then, otherwise)
    rows = zip(condition.parts, then.parts, otherwise.parts, strict=True)
    return Wide(tuple(writer.code.select(c, a, b) for c, a, b in rows))


def cast(writer: Writer, instruction: Cast, operand: Wide) -> Wide:
    """Conversions; pointers are integers already, so casts between pointers do nothing."""
    match instruction.opcode:
        case Opcode.ADDRSPACECAST:
            return operand
        case Opcode.PTRTOINT | Opcode.PTRTOADDR | Opcode.INTTOPTR:
            (target,) = set(parts_of(instruction.type))
            return Wide(tuple(_resize(writer, p, target) for p in operand.parts))
        case Opcode.BITCAST:
            return bitcast(writer, operand, parts_of(instruction.type))
        case Opcode.FPTRUNC if set(parts_of(instruction.type)) == {HALF}:
            return Wide(tuple(to_half(writer, p) for p in operand.parts))
        case Opcode.FPTOSI | Opcode.FPTOUI:
            return _float_to_int(writer, instruction, operand)
        case _:
            targets = parts_of(instruction.type)
            word = instruction.opcode.word
            pairs = zip(operand.parts, targets, strict=True)
            return Wide(tuple(convert(writer, word, p, t) for p, t in pairs))


def convert(writer: Writer, word: str, part: Value, target: Part) -> Value:
    """One conversion of one part."""
    to = writer.vector_type(target) if isinstance(part.type, VecTy) else target
    return writer.code.cast(word, part, to)


def to_half(writer: Writer, part: Value) -> Value:
    """Rounded once. A double goes through float rounded to odd (Boldo and Melquiond, "When double
    rounding is odd", 2005): the host has no direct conversion, and LLVM's library call for it is
    not there when code is compiled at run time."""
    code = writer.code
    if scalar_of(part.type) == DOUBLE:
        near = convert(writer, "fptrunc", part, FLOAT)
        back = convert(writer, "fpext", near, DOUBLE)
        bits = convert(writer, "bitcast", near, I32)
        exact = code.compare("fcmp", "ueq", back, part)
        magnitude, beyond = (_magnitude(writer, v) for v in (part, back))
        outside = code.compare("fcmp", "ogt", beyond, magnitude)
        inward = code.binary("sub", bits, convert(writer, "zext", outside, I32))
        odd = code.binary("or", inward, const_int(bits.type, 1))
        part = convert(writer, "bitcast", code.select(exact, bits, odd), FLOAT)
    return convert(writer, "fptrunc", part, HALF)


def _magnitude(writer: Writer, part: Value) -> Value:
    return writer.call_intrinsic(f"llvm.fabs.{type_suffix(part.type)}", part.type, [part])


def _resize(writer: Writer, part: Value, target: Part) -> Value:
    source = scalar_of(part.type)
    assert isinstance(source, IntTy)
    assert isinstance(target, IntTy)
    return convert(writer, "trunc" if source.bits > target.bits else "zext", part, target)


def _float_to_int(writer: Writer, instruction: Cast, operand: Wide) -> Wide:
    """Out of range saturates and NaN gives 0, where LLVM's plain conversion would be poison."""
    word = "llvm.fptosi.sat" if instruction.opcode is Opcode.FPTOSI else "llvm.fptoui.sat"
    parts = list[Value]()
    for part, target in zip(operand.parts, parts_of(instruction.type), strict=True):
        wide = isinstance(part.type, VecTy)
        to = writer.vector_type(target) if wide else target
        name = f"{word}.{type_suffix(to)}.{type_suffix(part.type)}"
        parts.append(writer.call_intrinsic(name, to, [part]))
    return Wide(tuple(parts))


def bitcast(writer: Writer, operand: Wide, targets: tuple[Part, ...]) -> Wide:
    """Reinterpret the parts, which may differ in number and width (little endian)."""
    if len(operand.parts) == len(targets):
        pairs = zip(operand.parts, targets, strict=True)
        return Wide(tuple(convert(writer, "bitcast", p, t) for p, t in pairs))
    if len(operand.parts) < len(targets):
        ratio = len(targets) // len(operand.parts)
        pieces = _pieces(writer, operand, ratio)
        pairs = zip(pieces, targets, strict=True)
        return Wide(tuple(convert(writer, "bitcast", p, t) for p, t in pairs))
    ratio = len(operand.parts) // len(targets)
    joined = [
        join_parts(writer, operand.parts[i * ratio : (i + 1) * ratio]) for i in range(len(targets))
    ]
    pairs = zip(joined, targets, strict=True)
    return Wide(tuple(convert(writer, "bitcast", p, t) for p, t in pairs))


def _integer_of(part: IrType) -> IntTy:
    scalar = scalar_of(part)
    assert isinstance(scalar, (IntTy, FloatTy))
    return IntTy(scalar.bits)


def _pieces(writer: Writer, operand: Wide, ratio: int) -> list[Value]:
    """Each part cut into ``ratio`` integers, lowest first."""
    pieces = list[Value]()
    for part in operand.parts:
        whole = convert(writer, "bitcast", part, _integer_of(part.type))
        bits = _integer_of(part.type).bits // ratio
        for number in range(ratio):
            shifted = writer.code.binary("lshr", whole, const_int(whole.type, number * bits))
            pieces.append(convert(writer, "trunc", shifted, IntTy(bits)))
    return pieces


def join_parts(writer: Writer, parts: tuple[Value, ...]) -> Value:
    """Parts glued into one integer, the first lowest."""
    bits = _integer_of(parts[0].type).bits
    whole = IntTy(bits * len(parts))
    total: Value | None = None
    for number, part in enumerate(parts):
        piece = convert(writer, "bitcast", part, IntTy(bits))
        wide = convert(writer, "zext", piece, whole)
        placed = writer.code.binary("shl", wide, const_int(wide.type, number * bits))
        total = placed if total is None else writer.code.binary("or", *_pair(writer, total, placed))
    assert total is not None
    return total


def _pair(writer: Writer, left: Value, right: Value) -> tuple[Value, Value]:
    a, b = align_shapes(writer, Wide((left,)), Wide((right,)))
    return a.parts[0], b.parts[0]


def common_stride(instruction: GetElementPtr) -> int:
    """The greatest common divisor of all steps a getelementptr may take, in bytes."""
    stride, type_ = 0, instruction.source_type
    for place, index in enumerate(instruction.indices):
        step = size_bytes(type_)
        if place > 0:
            match type_:
                case StructTy(fields) if isinstance(index, ConstantInt):
                    stride = gcd(stride, field_offsets(type_)[index.value])
                    type_ = fields[index.value]
                    continue
                case ArrayTy(_, element) | VecTy(_, element):
                    step, type_ = size_bytes(element), element
                case _:
                    return 1
        factor = index.value if isinstance(index, ConstantInt) else 1
        stride = gcd(stride, step * factor)
    return stride


def type_suffix(type_: IrType) -> str:
    """How a type is spelled in the name of an overloaded intrinsic."""
    match type_:
        case VecTy(lanes, element):
            return f"v{lanes}{type_suffix(element)}"
        case IntTy(bits):
            return f"i{bits}"
        case _:
            return {"half": "f16", "float": "f32", "double": "f64"}[str(type_)]


def extract_element(writer: Writer, instruction: ExtractElement, vector: Wide, lane: Wide) -> Wide:
    """One lane of a vector: a part, or a choice between all of them."""
    if isinstance(instruction.lane, ConstantInt):
        return Wide((vector.parts[instruction.lane.value],))
    result = vector.parts[0]
    for number in range(1, len(vector.parts)):
        result = _choose(writer, lane, number, vector.parts[number], result)
    return Wide((result,))


def insert_element(
    writer: Writer, instruction: InsertElement, vector: Wide, element: Wide, lane: Wide
) -> Wide:
    """The vector with one part replaced, or a choice in every part."""
    parts = list(vector.parts)
    if isinstance(instruction.lane, ConstantInt):
        parts[instruction.lane.value] = element.parts[0]
    else:
        for number, old in enumerate(vector.parts):
            parts[number] = _choose(writer, lane, number, element.parts[0], old)
    return Wide(tuple(parts))


def _choose(writer: Writer, lane: Wide, number: int, then: Value, otherwise: Value) -> Value:
    """``then`` where the lane index equals ``number``, else ``otherwise``."""
    (index,) = lane.parts
    hit = Wide((writer.code.compare("icmp", "eq", index, const_int(index.type, number)),))
    a, b = align_shapes(writer, Wide((then,)), Wide((otherwise,)))
    if not hit.is_uniform:
        hit, a, b = align_shapes(writer, hit, a, b)
    return writer.code.select(hit.parts[0], a.parts[0], b.parts[0])


def shuffle(instruction: ShuffleVector, left: Wide, right: Wide) -> Wide:
    """Parts of both vectors in the order of the mask."""
    pool = left.parts + right.parts
    return Wide(tuple(zero(pool[0].type) if m is None else pool[m] for m in instruction.mask))


def extract_value(instruction: ExtractValue, aggregate: Wide) -> Wide:
    """The parts of one field."""
    start, count, _ = field_range(instruction.aggregate.type, instruction.indices)
    return Wide(aggregate.parts[start : start + count])


def insert_value(instruction: InsertValue, aggregate: Wide, element: Wide) -> Wide:
    """The aggregate with the parts of one field replaced."""
    start, count, _ = field_range(instruction.type, instruction.indices)
    parts = aggregate.parts
    return Wide(parts[:start] + element.parts + parts[start + count :])


def field_range(type_: IrType, indices: tuple[int, ...]) -> tuple[int, int, IrType]:
    """Which parts a field of an aggregate is: first part, number of parts, type."""
    start = 0
    for index in indices:
        if isinstance(type_, StructTy):
            start += sum(len(parts_of(f)) for f in type_.fields[:index])
            type_ = type_.fields[index]
        else:
            assert isinstance(type_, ArrayTy)
            start += len(parts_of(type_.element)) * index
            type_ = type_.element
    return start, len(parts_of(type_)), type_
