"""Logic, shifts and bit fields (PTX ISA, "Logic and shift", "Integer arithmetic": popc to bmsk,
dp2a, dp4a; "Data movement": prmt)."""

from __future__ import annotations

from kcc.frontend.ptx.reading.arithmetic import Handler
from kcc.frontend.ptx.reading.model import Instruction, Integer
from kcc.frontend.ptx.reading.writer import BITS, Writer, ir_type


def logic(w: Writer, item: Instruction) -> None:
    """``and``, ``or``, ``xor``."""
    target, left, right = w.operands(item, 3)
    type_ = ir_type(w, item.type)
    value = w.binary(item.words[0], type_, w.read(left, type_), w.read(right, type_))
    w.write(target, type_, value)


def invert(w: Writer, item: Instruction) -> None:
    """``not`` and ``cnot``."""
    target, source = w.operands(item, 2)
    type_ = ir_type(w, item.type)
    value = w.read(source, type_)
    if item.words[0] == "cnot":
        zero = w.compare("eq", type_, value, 0)
        w.write(target, type_, w.cast("zext", "i1", zero, type_))
        return
    ones = "true" if type_ == "i1" else -1
    w.write(target, type_, w.binary("xor", type_, value, ones))


def any_logic(w: Writer, item: Instruction) -> None:
    """lop3: the table's bits say for which combinations of bits the result is 1."""
    if item.words[1] in ("and", "or"):
        raise w.refuse(f"'{item.opcode}' is not supported")
    target, first, second, third, table = w.operands(item, 5)
    if not isinstance(table, Integer):
        raise w.refuse("the table of lop3 is a number", "K430")
    a, b, c = (w.read(o, "i32") for o in (first, second, third))
    w.write(target, "i32", truth_table(w, table.value & 255, a, b, c))


def truth_table(w: Writer, table: int, a: str, b: str, c: str) -> str:
    """An expression with this table, by splitting on ``a`` (Shannon's expansion), as short as
    logic of two operands goes: a table of two inputs is one operation."""
    inputs = [(0xF0, a), (0xCC, b), (0xAA, c)]
    short = _short(w, table, inputs)
    if short is not None:
        return short
    for mask, value in inputs:
        others = [i for i in inputs if i[0] != mask]
        for word in ("and", "or", "xor"):
            rest = _rest(table, mask, word, others)
            if rest is not None:
                inner = _short(w, rest, others)
                assert inner is not None
                return w.binary(word, "i32", inner, value)
    high, low = _split(table)
    yes, no = _short(w, high, inputs[1:]), _short(w, low, inputs[1:])
    assert yes is not None
    assert no is not None
    differ = w.binary("xor", "i32", yes, no)
    return w.binary("xor", "i32", w.binary("and", "i32", differ, a), no)


def _split(table: int) -> tuple[int, int]:
    """The tables of b and c where a is 1 and where it is 0, each as one of three inputs."""
    high, low = table >> 4, table & 15
    return high << 4 | high, low << 4 | low


def _rest(table: int, mask: int, word: str, others: list[tuple[int, str]]) -> int | None:
    """A table of the other two inputs that makes ``table`` with this one by ``word``."""
    masks = [m for m, _ in others]
    for code in range(16):
        rest = 0
        for row in range(8):
            p, q = (m >> row & 1 for m in masks)
            rest |= (code >> (2 * p + q) & 1) << row
        made = {"and": rest & mask, "or": rest | mask, "xor": rest ^ mask}[word]
        if made == table:
            return rest
    return None


def _short(w: Writer, table: int, inputs: list[tuple[int, str]]) -> str | None:
    """A table that at most one operation on two inputs, perhaps inverted, makes."""
    if table in (0, 255):
        return "0" if table == 0 else "-1"
    for mask, value in inputs:
        if table in (mask, mask ^ 255):
            return value if table == mask else w.binary("xor", "i32", value, -1)
    for number, (mask, value) in enumerate(inputs):
        for other_mask, other in inputs[number + 1 :]:
            for flips in range(4):
                one = mask ^ (255 if flips & 1 else 0)
                two = other_mask ^ (255 if flips & 2 else 0)
                for word, made in (("and", one & two), ("or", one | two), ("xor", one ^ two)):
                    if made == table:
                        x = w.binary("xor", "i32", value, -1) if flips & 1 else value
                        y = w.binary("xor", "i32", other, -1) if flips & 2 else other
                        return w.binary(word, "i32", x, y)
    return None


def shift(w: Writer, item: Instruction) -> None:
    """shl, shr: amounts of the width and more give 0, or the sign."""
    target, source, amount = w.operands(item, 3)
    type_ = ir_type(w, item.type)
    bits = BITS[type_]
    signed = item.words[0] == "shr" and item.type[0] == "s"
    word = "shl" if item.words[0] == "shl" else "ashr" if signed else "lshr"
    value = w.read(source, type_)
    if isinstance(amount, Integer):
        count = amount.value & 0xFFFFFFFF
        if count >= bits and not signed:
            w.write(target, type_, "0")
        else:
            w.write(target, type_, w.binary(word, type_, value, min(count, bits - 1)))
        return
    count = w.read(amount, "i32")
    w.write(target, type_, shifted(w, word, type_, value, count))


def shifted(w: Writer, word: str, type_: str, value: str, count: str) -> str:
    """A shift by an i32 that may be the width or more."""
    bits = BITS[type_]
    if word == "ashr":
        count = w.intrinsic("umin", "i32", count, str(bits - 1))
        return w.binary(word, type_, value, w.convert(count, "i32", type_))
    inside = w.compare("ult", "i32", count, bits)
    masked = w.binary("and", "i32", count, bits - 1)
    result = w.binary(word, type_, value, w.convert(masked, "i32", type_))
    return w.select(inside, type_, result, 0)


def funnel(w: Writer, item: Instruction) -> None:
    """shf.l and shf.r, clamped or wrapped."""
    target, low, high, amount = w.operands(item, 4)
    count = w.read(amount, "i32")
    if "clamp" in item.words:
        count = w.intrinsic("umin", "i32", count, "32")
    else:
        count = w.binary("and", "i32", count, 31)
    if "wrap" in item.words:
        name = "fshl" if item.words[1] == "l" else "fshr"
        value = w.intrinsic(name, "i32", w.read(high, "i32"), w.read(low, "i32"), count)
        w.write(target, "i32", value)
        return
    upper = w.binary("shl", "i64", w.cast("zext", "i32", w.read(high, "i32"), "i64"), 32)
    both = w.binary("or", "i64", upper, w.cast("zext", "i32", w.read(low, "i32"), "i64"))
    wide = w.cast("zext", "i32", count, "i64")
    if item.words[1] == "l":
        value = w.binary("lshr", "i64", w.binary("shl", "i64", both, wide), 32)
    else:
        value = w.binary("lshr", "i64", both, wide)
    w.write(target, "i32", w.cast("trunc", "i64", value, "i32"))


def count_bits(w: Writer, item: Instruction) -> None:
    """popc, clz, brev."""
    target, source = w.operands(item, 2)
    type_ = ir_type(w, item.type)
    value = w.read(source, type_)
    match item.words[0]:
        case "popc":
            value = w.intrinsic("ctpop", type_, value)
        case "clz":
            value = w.intrinsic("ctlz", type_, value, extra="i1 false")
        case _:
            w.write(target, type_, w.intrinsic("bitreverse", type_, value))
            return
    w.write(target, "i32", w.convert(value, type_, "i32"))


def find_bit(w: Writer, item: Instruction) -> None:
    """bfind: the place of the highest bit (that is not the sign); all ones without one."""
    target, source = w.operands(item, 2)
    type_ = ir_type(w, item.type)
    value = w.read(source, type_)
    if item.type[0] == "s":
        sign = w.binary("ashr", type_, value, BITS[type_] - 1)
        value = w.binary("xor", type_, value, sign)
    zeros = w.convert(w.intrinsic("ctlz", type_, value, extra="i1 false"), type_, "i32")
    if "shiftamt" in item.words:
        none = w.compare("eq", type_, value, 0)
        w.write(target, "i32", w.select(none, "i32", -1, zeros))
        return
    w.write(target, "i32", w.binary("sub", "i32", str(BITS[type_] - 1), zeros))


def extract_field(w: Writer, item: Instruction) -> None:
    """bfe: ``len`` bits from ``pos``; a signed field beyond the end is filled with the sign."""
    target, source, position, length = w.operands(item, 4)
    type_, signed = ir_type(w, item.type), item.type[0] == "s"
    bits, value = BITS[type_], w.read(source, type_)
    if isinstance(position, Integer) and isinstance(length, Integer):
        start, count = position.value & 255, length.value & 255
        w.write(target, type_, _fixed_field(w, type_, value, start, count, signed=signed))
        return
    start = w.binary("and", "i32", w.read(position, "i32"), 255)
    count = w.binary("and", "i32", w.read(length, "i32"), 255)
    end = w.intrinsic("umin", "i32", w.binary("add", "i32", start, count), str(bits))
    inside = w.intrinsic("umin", "i32", start, str(bits))
    kept = w.binary("sub", "i32", end, inside)
    up = shifted(w, "shl", type_, value, w.binary("sub", "i32", str(bits), end))
    down = w.binary("sub", "i32", str(bits), kept)
    result = shifted(w, "ashr" if signed else "lshr", type_, up, down)
    if signed:
        past = w.compare("uge", "i32", start, bits)
        result = w.select(past, type_, w.binary("ashr", type_, value, bits - 1), result)
    none = w.compare("eq", "i32", count, 0)
    w.write(target, type_, w.select(none, type_, 0, result))


def _fixed_field(w: Writer, type_: str, value: str, start: int, count: int, *, signed: bool) -> str:
    bits = BITS[type_]
    if count == 0:
        return "0"
    if start >= bits:
        return w.binary("ashr", type_, value, bits - 1) if signed else "0"
    end = min(start + count, bits)
    if not signed and start == 0 and end == bits:
        return value
    if not signed:
        down = w.binary("lshr", type_, value, start) if start else value
        return down if end == bits else w.binary("and", type_, down, (1 << (end - start)) - 1)
    up = w.binary("shl", type_, value, bits - end) if end < bits else value
    return w.binary("ashr", type_, up, bits - end + start)


def insert_field(w: Writer, item: Instruction) -> None:
    """bfi: ``len`` bits of the first into the second, from ``pos``."""
    target, field, base, position, length = w.operands(item, 5)
    type_ = ir_type(w, item.type)
    ones = _mask(w, type_, w.read(position, "i32"), w.read(length, "i32"))
    start = w.binary("and", "i32", w.read(position, "i32"), 255)
    up = shifted(w, "shl", type_, w.read(field, type_), start)
    old = w.binary("and", type_, w.read(base, type_), w.binary("xor", type_, ones, -1))
    w.write(target, type_, w.binary("or", type_, old, w.binary("and", type_, up, ones)))


def _mask(w: Writer, type_: str, position: str, length: str) -> str:
    """``length`` ones from ``position`` up, of which the lowest 8 bits count."""
    start = w.binary("and", "i32", position, 255)
    count = w.binary("and", "i32", length, 255)
    rest = shifted(w, "shl", type_, "-1", count)
    return shifted(w, "shl", type_, w.binary("xor", type_, rest, -1), start)


def bit_mask(w: Writer, item: Instruction) -> None:
    """bmsk: ``b`` ones from ``a`` up, clamped to 32 or modulo 32."""
    target, position, length = w.operands(item, 3)
    start, count = w.read(position, "i32"), w.read(length, "i32")
    if "wrap" in item.words:
        start, count = (w.binary("and", "i32", v, 31) for v in (start, count))
    rest = shifted(w, "shl", "i32", "-1", count)
    w.write(target, "i32", shifted(w, "shl", "i32", w.binary("xor", "i32", rest, -1), start))


def extend(w: Writer, item: Instruction) -> None:
    """szext: sign- or zero-extended from bit ``b``."""
    target, source, length = w.operands(item, 3)
    count = w.read(length, "i32")
    if "wrap" in item.words:
        count = w.binary("and", "i32", count, 31)
    else:
        count = w.intrinsic("umin", "i32", count, "32")
    away = w.binary("sub", "i32", "32", count)
    up = shifted(w, "shl", "i32", w.read(source, "i32"), away)
    word = "ashr" if item.type[0] == "s" else "lshr"
    value = shifted(w, word, "i32", up, away)
    none = w.compare("eq", "i32", count, 0)
    w.write(target, "i32", w.select(none, "i32", 0, value))


def dot(w: Writer, item: Instruction) -> None:
    """dp4a, dp2a: sums of products of bytes, or of halves of words and bytes."""
    target, left, right, third = w.operands(item, 4)
    kinds = item.words[-2:]
    a, b, total = w.read(left, "i32"), w.read(right, "i32"), w.read(third, "i32")
    two = item.words[0] == "dp2a"
    first = 2 if two and "hi" in item.words else 0
    for number in range(2 if two else 4):
        width = 16 if two else 8
        x = _part(w, a, number * width, width, signed=kinds[0][0] == "s")
        y = _part(w, b, (first + number) * 8, 8, signed=kinds[1][0] == "s")
        total = w.binary("add", "i32", total, w.binary("mul", "i32", x, y))
    w.write(target, "i32", total)


def _part(w: Writer, value: str, start: int, width: int, *, signed: bool) -> str:
    return _fixed_field(w, "i32", value, start, width, signed=signed)


_MODES = {"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"}


def permute(w: Writer, item: Instruction) -> None:
    """prmt: each byte of the result one of eight, or its sign."""
    target, low, high, selector = w.operands(item, 4)
    mode = next((x for x in item.words if x in _MODES), None)
    a, b = w.read(low, "i32"), w.read(high, "i32")
    if isinstance(selector, Integer) and mode is None:
        w.write(target, "i32", _fixed_permutation(w, selector.value, a, b))
        return
    upper = w.binary("shl", "i64", w.cast("zext", "i32", b, "i64"), 32)
    both = w.binary("or", "i64", upper, w.cast("zext", "i32", a, "i64"))
    chosen, total = w.read(selector, "i32"), "0"
    for byte in range(4):
        which = _selected(w, mode, chosen, byte)
        place = w.binary("shl", "i32", w.binary("and", "i32", which, 7), 3)
        wide = w.binary("lshr", "i64", both, w.cast("zext", "i32", place, "i64"))
        value = w.binary("and", "i32", w.cast("trunc", "i64", wide, "i32"), 255)
        sign = _part(w, value, 7, 1, signed=True)
        signed = w.compare("ne", "i32", w.binary("and", "i32", which, 8), 0)
        value = w.select(signed, "i32", w.binary("and", "i32", sign, 255), value)
        total = w.binary("or", "i32", total, w.binary("shl", "i32", value, 8 * byte))
    w.write(target, "i32", total)


def _selected(w: Writer, mode: str | None, chosen: str, byte: int) -> str:
    """Which of the eight bytes stands in this one (PTX ISA, prmt, table of modes)."""
    if mode is None:
        return w.binary("and", "i32", w.binary("lshr", "i32", chosen, 4 * byte), 15)
    own = w.binary("and", "i32", chosen, 3)
    match mode:
        case "f4e":
            return w.binary("add", "i32", own, byte)
        case "b4e":
            return w.binary("and", "i32", w.binary("sub", "i32", own, byte), 7)
        case "rc8":
            return own
        case "ecl":
            return w.intrinsic("umax", "i32", own, str(byte))
        case "ecr":
            return w.intrinsic("umin", "i32", own, str(byte))
        case _:
            pair = w.binary("shl", "i32", w.binary("and", "i32", chosen, 1), 1)
            return w.binary("add", "i32", pair, byte & 1)


def _fixed_permutation(w: Writer, selector: int, a: str, b: str) -> str:
    vector = "<4 x i8>"
    sources = [w.cast("bitcast", "i32", v, vector) for v in (a, b)]
    chosen = [selector >> 4 * byte & 15 for byte in range(4)]
    mask = ", ".join(f"i32 {c & 7}" for c in chosen)
    result = w.value(
        f"shufflevector {vector} {sources[0]}, {vector} {sources[1]}, <4 x i32> <{mask}>"
    )
    for byte, which in enumerate(chosen):
        if which & 8:
            part = w.value(f"extractelement {vector} {result}, i32 {byte}")
            sign = w.binary("ashr", "i8", part, 7)
            result = w.value(f"insertelement {vector} {result}, i8 {sign}, i32 {byte}")
    return w.cast("bitcast", vector, result, "i32")


HANDLERS: dict[str, Handler] = {
    "and": logic, "or": logic, "xor": logic, "not": invert, "cnot": invert, "lop3": any_logic,
    "shl": shift, "shr": shift, "shf": funnel, "popc": count_bits, "clz": count_bits,
    "brev": count_bits, "bfind": find_bit, "bfe": extract_field, "bfi": insert_field,
    "bmsk": bit_mask, "szext": extend, "dp4a": dot, "dp2a": dot, "prmt": permute,
}  # fmt: skip
"""By the first word of the opcode."""
