"""cvt and mov (PTX ISA, "Data movement and conversion": cvt, cvt.pack, cvta, mov, isspacep)."""

from __future__ import annotations

from kcc.frontend.ptx.reading.arithmetic import Handler, narrowed, saturated, widened
from kcc.frontend.ptx.reading.model import Instruction, Integer, Operand, Register, Several, Symbol
from kcc.frontend.ptx.reading.pointers import GENERIC, space_of
from kcc.frontend.ptx.reading.typing import pointer_type
from kcc.frontend.ptx.reading.writer import BITS, Writer, double_text, ir_type

_FLOATS = {"f16": "half", "f32": "float", "f64": "double", "bf16": "float"}
_TO_INTEGRAL = {"rni": "rint", "rzi": "trunc", "rmi": "floor", "rpi": "ceil"}


def move(w: Writer, item: Instruction) -> None:
    """``mov``, also of and into parts."""
    target, source = w.operands(item, 2)
    if isinstance(target, Several):
        whole = f"i{BITS[ir_type(w, item.type)]}"
        w.write(target, whole, w.read(source, whole))
        return
    type_ = ir_type(w, item.type)
    if isinstance(target, Register) and target.name in w.types:
        have = w.types[target.name]
        if have.startswith("ptr") or BITS[have] == BITS[type_]:
            type_ = have
    w.write(target, type_, w.read(source, type_))


def convert_address(w: Writer, item: Instruction) -> None:
    """cvta: between generic addresses and those of a space; what is known of the space stays."""
    target, source = w.operands(item, 2)
    space = space_of(item.words)
    specific, generic = pointer_type(space), pointer_type(GENERIC)
    to = item.words[1] == "to"
    have = w.types.get(target.name, "i64") if isinstance(target, Register) else "i64"
    if have.startswith("ptr"):
        known = w.types.get(source.name, "") if isinstance(source, Register) else ""
        if isinstance(source, Symbol) or known.startswith("ptr") or to or have == specific:
            w.write(target, have, w.read(source, have))
            return
        w.write(target, have, w.convert(w.read(source, specific), specific, have))
        return
    first, second = (generic, specific) if to else (specific, generic)
    w.write(target, second, w.convert(w.read(source, first), first, second))


def is_space(w: Writer, item: Instruction) -> None:
    """isspacep: known where the pointer's space is."""
    target, source = w.operands(item, 2)
    have = w.pointers.spaces.get(source.name) if isinstance(source, Register) else None
    if have in (None, GENERIC):
        raise w.refuse("the space of this address is not known")
    w.write(target, "i1", "true" if have == space_of(item.words) else "false")


def convert(w: Writer, item: Instruction) -> None:
    """``cvt``, of which the last two words are the types."""
    if item.words[1] == "pack":
        _pack(w, item)
        return
    to, source_type = item.words[-2:]
    if to in ("f16x2", "bf16x2") and source_type == "f32":
        _convert_pair(w, item, to)
        return
    if to == "tf32":
        _to_tf32(w, item)
        return
    if source_type not in _FLOATS and source_type[0] not in "us":
        raise w.refuse(f"'{item.opcode}' is not supported")
    target, source = w.operands(item, 2)
    if to in _FLOATS:
        _to_float(w, item, to, source_type, target, source)
    elif to[0] in "us" and source_type in _FLOATS:
        _to_integer(w, item, to, source_type, target, source)
    elif to[0] in "us":
        _between_integers(w, item, to, source_type, target, source)
    else:
        raise w.refuse(f"'{item.opcode}' is not supported")


def _source_float(w: Writer, type_: str, operand: Operand) -> str:
    if type_ == "bf16":
        return widened(w, w.read(operand, "i16"))
    return w.read(operand, _FLOATS[type_])


def _integral(w: Writer, item: Instruction, type_: str, value: str) -> str:
    for word, name in _TO_INTEGRAL.items():
        if word in item.words:
            return w.intrinsic(name, type_, value)
    return value


def _to_float(
    w: Writer, item: Instruction, to: str, source_type: str, target: Operand, source: Operand
) -> None:
    want = _FLOATS[to]
    if source_type in _FLOATS:
        have = _FLOATS[source_type]
        value = _integral(w, item, have, _source_float(w, source_type, source))
        value = w.convert_float(value, have, want)
    else:
        type_ = ir_type(w, source_type)
        word = "sitofp" if source_type[0] == "s" else "uitofp"
        value = w.cast(word, type_, w.read(source, type_), want)
    value = saturated(w, item, want, value)
    if "relu" in item.words:
        positive = w.value(f"fcmp ogt {want} {value}, {double_text(0, BITS[want])}")
        value = w.select(positive, want, value, double_text(0, BITS[want]))
    if to == "bf16":
        w.write(target, "i16", narrowed(w, value))
    else:
        w.write(target, want, value)


def _to_integer(
    w: Writer, item: Instruction, to: str, source_type: str, target: Operand, source: Operand
) -> None:
    """Rounded, then clamped to the type's range; NaN is 0 (PTX ISA, cvt: of 64 bits it is the
    lowest bit pattern, which programs do not rest on)."""
    have, want = _FLOATS[source_type], ir_type(w, to)
    value = _source_float(w, source_type, source)
    if have == "half":
        value, have = w.convert_float(value, have, "float"), "float"
    if "rzi" not in item.words:
        value = _integral(w, item, have, value)
    kind = "fptosi" if to[0] == "s" else "fptoui"
    name = f"llvm.{kind}.sat.{want}.{'f32' if have == 'float' else 'f64'}"
    w.declared[name] = f"declare {want} @{name}({have})"
    result = w.value(f"call {want} @{name}({have} {value})")
    w.write(target, want, result, signed=to[0] == "s")


def _between_integers(
    w: Writer, item: Instruction, to: str, source_type: str, target: Operand, source: Operand
) -> None:
    have, want = ir_type(w, source_type), ir_type(w, to)
    signed, result_signed = source_type[0] == "s", to[0] == "s"
    if isinstance(target, Register) and target.name in w.pointers.spaces:
        type_ = w.types[target.name]
        w.write(target, type_, w.read(source, type_))
        return
    value = w.read(source, have)
    if "sat" in item.words:
        value = _clamped(w, value, have, BITS[want], signed=signed, result_signed=result_signed)
    value = w.convert(value, have, want, signed=signed)
    w.write(target, want, value, signed=result_signed)


def _clamped(
    w: Writer, value: str, type_: str, bits: int, *, signed: bool, result_signed: bool
) -> str:
    low = -(1 << (bits - 1)) if result_signed else 0
    high = (1 << (bits - 1)) - 1 if result_signed else (1 << bits) - 1
    own_high = (1 << (BITS[type_] - 1)) - 1 if signed else (1 << BITS[type_]) - 1
    own_low = -(1 << (BITS[type_] - 1)) if signed else 0
    if high < own_high:
        value = w.intrinsic("smin" if signed else "umin", type_, value, w.number(high, type_))
    if low > own_low:
        value = w.intrinsic("smax", type_, value, w.number(low, type_))
    return value


def _convert_pair(w: Writer, item: Instruction, to: str) -> None:
    """Two floats: the first into the upper half."""
    target, high, low = w.operands(item, 3)
    halves = list[str]()
    for operand in (low, high):
        value = saturated(w, item, "float", w.read(operand, "float"))
        if "relu" in item.words:
            positive = w.value(f"fcmp ogt float {value}, 0.0")
            value = w.select(positive, "float", value, "0.0")
        if to == "bf16x2":
            halves.append(narrowed(w, value))
        else:
            half = w.cast("fptrunc", "float", value, "half")
            halves.append(w.cast("bitcast", "half", half, "i16"))
    vector = "<2 x i16>"
    both = w.value(f"insertelement {vector} poison, i16 {halves[0]}, i32 0")
    both = w.value(f"insertelement {vector} {both}, i16 {halves[1]}, i32 1")
    w.write(target, "i32", w.cast("bitcast", vector, both, "i32"))


def _to_tf32(w: Writer, item: Instruction) -> None:
    """10 bits of mantissa, ties away from zero (``rna``) or to even (``rn``)."""
    target, source = w.operands(item, 2)
    bits = w.read(source, "i32")
    if "rna" in item.words:
        bits = w.binary("add", "i32", bits, 0x1000)
    elif "rn" in item.words:
        odd = w.binary("and", "i32", w.binary("lshr", "i32", bits, 13), 1)
        bits = w.binary("add", "i32", w.binary("add", "i32", bits, 0xFFF), odd)
    w.write(target, "i32", w.binary("and", "i32", bits, -8192))


def _pack(w: Writer, item: Instruction) -> None:
    """cvt.pack.sat: two clamped integers, ``b`` the lowest; of bytes ``c`` shifted above them."""
    to, source_type = item.words[3], item.words[4]
    target, first, second, *third = w.operands(item, 3, 4)
    bits, signed = int(to[1:]), to[0] == "s"
    if source_type != "s32" or bits not in (8, 16):
        raise w.refuse(f"'{item.opcode}' is not supported")
    parts = list[str]()
    for operand in (second, first):
        value = w.read(operand, "i32")
        value = _clamped(w, value, "i32", bits, signed=True, result_signed=signed)
        parts.append(w.binary("and", "i32", value, (1 << bits) - 1))
    both = w.binary("or", "i32", parts[0], w.binary("shl", "i32", parts[1], bits))
    if third and not isinstance(third[0], Integer):
        above = w.binary("shl", "i32", w.read(third[0], "i32"), 2 * bits)
        both = w.binary("or", "i32", both, above)
    w.write(target, "i32", both)


HANDLERS: dict[str, Handler] = {
    "mov": move, "cvta": convert_address, "isspacep": is_space, "cvt": convert,
}  # fmt: skip
"""By the first word of the opcode."""
