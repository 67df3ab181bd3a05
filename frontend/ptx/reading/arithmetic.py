"""Integer and floating-point arithmetic, comparison and selection (PTX ISA, "Integer arithmetic",
"Floating point", "Comparison and selection", "Half precision").

Directed roundings are computed as rounding to nearest, ``.ftz`` keeps subnormal numbers.
"""

from __future__ import annotations

from collections.abc import Callable

from kcc.frontend.ptx.reading.model import Instruction, Integer, Nothing, Operand, Register, Several
from kcc.frontend.ptx.reading.writer import BITS, Writer, double_text, ir_type

Handler = Callable[[Writer, Instruction], None]

_FLOAT_TYPES = {"f16", "f32", "f64", "bf16", "f16x2", "bf16x2", "f32x2"}


def is_float(item: Instruction) -> bool:
    """Whether an instruction computes with floats, packed ones included."""
    return item.type in _FLOAT_TYPES


# bfloat16 and packed values


def widened(w: Writer, value: str) -> str:
    """The bits of a bfloat16 as a float."""
    wide = w.cast("zext", "i16", value, "i32")
    return w.cast("bitcast", "i32", w.binary("shl", "i32", wide, 16), "float")


def narrowed(w: Writer, value: str) -> str:
    """A float rounded to nearest even as the bits of a bfloat16; NaN is 0x7fff."""
    bits = w.cast("bitcast", "float", value, "i32")
    odd = w.binary("and", "i32", w.binary("lshr", "i32", bits, 16), 1)
    rounded = w.binary("add", "i32", w.binary("add", "i32", bits, 32767), odd)
    half = w.cast("trunc", "i32", w.binary("lshr", "i32", rounded, 16), "i16")
    wrong = w.value(f"fcmp uno float {value}, {value}")
    return w.select(wrong, "i16", 32767, half)


Operation = Callable[[str, list[str]], str]
"""Of a type of the dialect and values."""


def on_floats(w: Writer, item: Instruction, sources: tuple[Operand, ...], do: Operation) -> None:
    """``do`` in the instruction's type, lane by lane for packed ones."""
    type_ = item.type
    match type_:
        case "f16" | "f32" | "f64":
            want = ir_type(w, type_)
            value = do(want, [w.read(o, want) for o in sources])
            w.write(item.operands[0], want, saturated(w, item, want, value))
        case "bf16":
            values = [widened(w, w.read(o, "i16")) for o in sources]
            w.write(item.operands[0], "i16", narrowed(w, do("float", values)))
        case "f16x2" | "bf16x2" | "f32x2":
            _on_pairs(w, item, sources, do)
        case _:
            raise w.refuse(f"'{item.opcode}' is not supported")


def _on_pairs(w: Writer, item: Instruction, sources: tuple[Operand, ...], do: Operation) -> None:
    each, bits = ("float", 32) if item.type == "f32x2" else ("half", 16)
    whole, vector = f"i{2 * bits}", f"<2 x i{bits}>"
    packed = [w.cast("bitcast", whole, w.read(o, whole), vector) for o in sources]
    result = "poison"
    for lane in range(2):
        parts = [w.value(f"extractelement {vector} {p}, i32 {lane}") for p in packed]
        if item.type == "bf16x2":
            value = narrowed(w, do("float", [widened(w, p) for p in parts]))
        else:
            floats = [w.cast("bitcast", f"i{bits}", p, each) for p in parts]
            value = w.cast("bitcast", each, saturated(w, item, each, do(each, floats)), f"i{bits}")
        result = w.value(f"insertelement {vector} {result}, i{bits} {value}, i32 {lane}")
    w.write(item.operands[0], whole, w.cast("bitcast", vector, result, whole))


def saturated(w: Writer, item: Instruction, type_: str, value: str) -> str:
    """Clamped to 0..1 where the opcode says ``.sat``; NaN becomes 0."""
    if "sat" not in item.words:
        return value
    zero, one = double_text(0, BITS[type_]), {"half": "0xH3C00"}.get(type_, "1.0")
    above = w.value(f"fcmp ogt {type_} {value}, {zero}")
    value = w.select(above, type_, value, zero)
    over = w.value(f"fcmp ogt {type_} {value}, {one}")
    return w.select(over, type_, one, value)


# sums and products


def add_sub(w: Writer, item: Instruction) -> None:
    """Add and subtract: integers, pointers, floats."""
    word = item.words[0]
    _, left, right = w.operands(item, 3)
    if is_float(item):
        on_floats(w, item, (left, right), lambda t, v: w.binary(f"f{word}", t, v[0], v[1]))
    elif "cc" in item.words:
        _with_carry(w, item, left, right, carry_in=False)
    elif "sat" in item.words:
        type_ = ir_type(w, item.type)
        both = [w.read(o, type_) for o in (left, right)]
        w.write(item.operands[0], type_, w.intrinsic(f"s{word}.sat", type_, *both))
    elif item.type in ("u16x2", "s16x2"):
        raise w.refuse(f"'{item.opcode}' is not supported")
    else:
        _integer_sum(w, item, word, left, right)


def _integer_sum(w: Writer, item: Instruction, word: str, left: Operand, right: Operand) -> None:
    type_ = ir_type(w, item.type)
    pointer = pointer_sum(w, item, word, left, right)
    if pointer is not None:
        w.write(item.operands[0], *pointer)
        return
    value = w.binary(word, type_, w.read(left, type_), w.read(right, type_))
    w.write(item.operands[0], type_, value)


def pointer_sum(
    w: Writer, item: Instruction, word: str, left: Operand, right: Operand
) -> tuple[str, str] | None:
    """A pointer plus or minus bytes, where the result is one; with its type."""
    target = item.operands[0]
    if not isinstance(target, Register) or target.name not in w.pointers.spaces:
        return None
    known = [isinstance(o, Register) and o.name in w.pointers.spaces for o in (left, right)]
    if word == "add" and known[1] and not known[0]:
        left, right, known = right, left, [True, False]
    if not known[0]:
        return None
    type_ = w.types[target.name]
    pointer = w.read(left, type_)
    bytes_ = w.read(right, "i64", signed=True)
    if word == "sub":
        bytes_ = w.binary("sub", "i64", "0", bytes_)
    return type_, w.value(f"getelementptr i8, {type_} {pointer}, i64 {bytes_}")


def _carry(w: Writer) -> str:
    return w.value("load i1, ptr %r.CC")


def _with_carry(
    w: Writer, item: Instruction, left: Operand, right: Operand, *, carry_in: bool
) -> None:
    """Extended-precision addition and subtraction; the carry of a subtraction is the borrow."""
    word, type_ = item.words[0].removesuffix("c"), ir_type(w, item.type)
    kind = "uadd" if word == "add" else "usub"
    value, carry = _overflowing(w, kind, type_, w.read(left, type_), w.read(right, type_))
    if carry_in:
        more = w.cast("zext", "i1", _carry(w), type_)
        value, second = _overflowing(w, kind, type_, value, more)
        carry = w.binary("or", "i1", carry, second)
    if "cc" in item.words:
        w.line(f"store i1 {carry}, ptr %r.CC")
    w.write(item.operands[0], type_, value)


def _overflowing(w: Writer, kind: str, type_: str, left: str, right: str) -> tuple[str, str]:
    symbol, both = f"llvm.{kind}.with.overflow.{type_}", f"{{ {type_}, i1 }}"
    w.declared[symbol] = f"declare {both} @{symbol}({type_}, {type_})"
    pair = w.value(f"call {both} @{symbol}({type_} {left}, {type_} {right})")
    return w.value(f"extractvalue {both} {pair}, 0"), w.value(f"extractvalue {both} {pair}, 1")


def with_carry(w: Writer, item: Instruction) -> None:
    """addc, subc."""
    _, left, right = w.operands(item, 3)
    _with_carry(w, item, left, right, carry_in=True)


def multiply(w: Writer, item: Instruction) -> None:
    """``mul`` and ``mul24``."""
    _, left, right = w.operands(item, 3)
    if is_float(item):
        on_floats(w, item, (left, right), lambda t, v: w.binary("fmul", t, v[0], v[1]))
        return
    type_, value = _product(w, item, left, right)
    w.write(item.operands[0], type_, value)


def _product(w: Writer, item: Instruction, left: Operand, right: Operand) -> tuple[str, str]:
    """The part of an integer product that the opcode asks for, with its type."""
    narrow, signed = ir_type(w, item.type), item.type[0] == "s"
    bits = BITS[narrow]
    if item.words[0].endswith("24"):
        return narrow, _product24(w, item, left, right)
    if "wide" in item.words:
        wide = f"i{2 * bits}"
        return wide, w.binary("mul", wide, *_extended(w, left, right, narrow, wide, signed=signed))
    if "hi" in item.words:
        wide = f"i{2 * bits}"
        whole = w.binary("mul", wide, *_extended(w, left, right, narrow, wide, signed=signed))
        return narrow, w.cast("trunc", wide, w.binary("lshr", wide, whole, bits), narrow)
    return narrow, w.binary("mul", narrow, w.read(left, narrow), w.read(right, narrow))


def _extended(
    w: Writer, left: Operand, right: Operand, narrow: str, wide: str, *, signed: bool
) -> tuple[str, str]:
    found = list[str]()
    for operand in (left, right):
        if isinstance(operand, Integer):
            bits = BITS[narrow]
            number = operand.value & ((1 << bits) - 1)
            if signed and number >> (bits - 1):
                number -= 1 << bits
            found.append(w.number(number, wide))
        else:
            word = "sext" if signed else "zext"
            found.append(w.cast(word, narrow, w.read(operand, narrow), wide))
    return found[0], found[1]


def _product24(w: Writer, item: Instruction, left: Operand, right: Operand) -> str:
    word = "ashr" if item.type[0] == "s" else "lshr"
    both = list[str]()
    for operand in (left, right):
        up = w.binary("shl", "i32", w.read(operand, "i32"), 8)
        both.append(w.binary(word, "i32", up, 8))
    if "hi" not in item.words:
        return w.binary("mul", "i32", both[0], both[1])
    extend = "sext" if item.type[0] == "s" else "zext"
    wide = [w.cast(extend, "i32", v, "i64") for v in both]
    whole = w.binary("mul", "i64", wide[0], wide[1])
    return w.cast("trunc", "i64", w.binary("lshr", "i64", whole, 16), "i32")


def multiply_add(w: Writer, item: Instruction) -> None:
    """mad, fma, mad24, madc."""
    target, left, right, third = w.operands(item, 4)
    if is_float(item):
        on_floats(w, item, (left, right, third), lambda t, v: _fused(w, item, t, v))
        return
    type_, product = _product(w, item, left, right)
    carries = item.words[0] == "madc"
    if "cc" in item.words or carries:
        value, carry = _overflowing(w, "uadd", type_, product, w.read(third, type_))
        if carries:
            value, second = _overflowing(
                w, "uadd", type_, value, w.cast("zext", "i1", _carry(w), type_)
            )
            carry = w.binary("or", "i1", carry, second)
        if "cc" in item.words:
            w.line(f"store i1 {carry}, ptr %r.CC")
        w.write(target, type_, value)
        return

    if isinstance(target, Register) and target.name in w.pointers.spaces:
        have = w.types[target.name]
        bytes_ = w.convert(product, type_, "i64", signed=True)
        pointer = w.read(third, have)
        w.write(target, have, w.value(f"getelementptr i8, {have} {pointer}, i64 {bytes_}"))
        return
    if "sat" in item.words:
        w.write(target, type_, w.intrinsic("sadd.sat", type_, product, w.read(third, type_)))
        return
    w.write(target, type_, w.binary("add", type_, product, w.read(third, type_)))


def _fused(w: Writer, item: Instruction, type_: str, values: list[str]) -> str:
    value = w.intrinsic("fma", type_, *values)
    if "relu" not in item.words:
        return value
    zero = double_text(0, BITS[type_])
    positive = w.value(f"fcmp ogt {type_} {value}, {zero}")
    return w.select(positive, type_, value, zero)


def divide(w: Writer, item: Instruction) -> None:
    """div, rem. Division by zero gives all ones, the remainder the dividend (as the hardware does;
    PTX leaves it open)."""
    target, left, right = w.operands(item, 3)
    if is_float(item):
        approximate = {"approx", "full"} & set(item.words) and item.type == "f32"

        def quotient(type_: str, v: list[str]) -> str:
            if approximate:
                arguments = f"float {v[0]}, float {v[1]}"
                return w.call("float", "_Z13native_divideff", arguments, "float, float")
            return w.binary("fdiv", type_, v[0], v[1])

        on_floats(w, item, (left, right), quotient)
        return
    type_, signed = ir_type(w, item.type), item.type[0] == "s"
    word = ("s" if signed else "u") + ("div" if item.words[0] == "div" else "rem")
    a, b = w.read(left, type_), w.read(right, type_)
    if isinstance(right, Integer) and right.value not in (0, -1):
        w.write(target, type_, w.binary(word, type_, a, b))
        return
    none = w.compare("eq", type_, b, 0)
    safe = w.select(none, type_, 1, b)
    over = "false"
    if signed:
        lowest = w.compare("eq", type_, a, -(1 << (BITS[type_] - 1)))
        minus = w.compare("eq", type_, b, -1)
        over = w.binary("and", "i1", lowest, minus)
        safe = w.select(over, type_, 1, safe)
    value = w.binary(word, type_, a, safe)
    if signed and item.words[0] == "rem":
        value = w.select(over, type_, 0, value)
    w.write(target, type_, w.select(none, type_, -1 if item.words[0] == "div" else a, value))


def absolute(w: Writer, item: Instruction) -> None:
    """``abs``."""
    target, source = w.operands(item, 2)
    if is_float(item):
        on_floats(w, item, (source,), lambda t, v: w.intrinsic("fabs", t, *v))
        return
    type_ = ir_type(w, item.type)
    value = w.intrinsic("abs", type_, w.read(source, type_), extra="i1 false")
    w.write(target, type_, value)


def negate(w: Writer, item: Instruction) -> None:
    """``neg``."""
    target, source = w.operands(item, 2)
    if is_float(item):
        on_floats(w, item, (source,), lambda t, v: w.value(f"fneg {t} {v[0]}"))
        return
    type_ = ir_type(w, item.type)
    w.write(target, type_, w.binary("sub", type_, "0", w.read(source, type_)))


def extreme(w: Writer, item: Instruction) -> None:
    """min, max; of two or three numbers."""
    _, *sources = w.operands(item, 3, 4)
    word = item.words[0]
    if is_float(item):
        name = f"{word}imum" if "NaN" in item.words else f"{word}num"

        def fold(type_: str, v: list[str]) -> str:
            values = [w.intrinsic("fabs", type_, x) for x in v] if "abs" in item.words else v
            value = values[0]
            for other in values[1:]:
                value = w.intrinsic(name, type_, value, other)
            return value

        on_floats(w, item, tuple(sources), fold)
        return
    if item.type in ("u16x2", "s16x2"):
        raise w.refuse(f"'{item.opcode}' is not supported")
    type_ = ir_type(w, item.type)
    values = [w.read(o, type_) for o in sources]
    value = w.intrinsic(f"{'s' if item.type[0] == 's' else 'u'}{word}", type_, *values)
    if "relu" in item.words:
        value = w.intrinsic("smax", type_, value, "0")
    w.write(item.operands[0], type_, value)


def difference(w: Writer, item: Instruction) -> None:
    """sad: ``c + |a - b|``."""
    target, left, right, third = w.operands(item, 4)
    type_ = ir_type(w, item.type)
    a, b = w.read(left, type_), w.read(right, type_)
    less = w.compare("slt" if item.type[0] == "s" else "ult", type_, a, b)
    one, other = w.binary("sub", type_, b, a), w.binary("sub", type_, a, b)
    away = w.select(less, type_, one, other)
    w.write(target, type_, w.binary("add", type_, w.read(third, type_), away))


# functions


_NATIVE = {
    "sin": "native_sin", "cos": "native_cos", "ex2": "native_exp2", "lg2": "native_log2",
    "rsqrt": "native_rsqrt", "rcp": "native_recip", "sqrt": "native_sqrt", "tanh": "tanh",
}  # fmt: skip


def function(w: Writer, item: Instruction) -> None:
    """rcp, sqrt, rsqrt, sin, cos, ex2, lg2, tanh."""
    word = item.words[0]
    _, source = w.operands(item, 2)

    def compute(type_: str, v: list[str]) -> str:
        exact = "approx" not in item.words
        if word == "sqrt" and (exact or type_ != "float"):
            return w.intrinsic("sqrt", type_, *v)
        if word == "rcp" and (exact or type_ != "float"):
            return w.value(f"fdiv {type_} {_one(type_)}, {v[0]}")
        if type_ == "double" and word == "rsqrt":
            return w.call("double", "_Z5rsqrtd", f"double {v[0]}", "double")
        value = w.convert_float(v[0], type_, "float")
        name = _NATIVE[word]
        value = w.call("float", f"_Z{len(name)}{name}f", f"float {value}", "float")
        return w.convert_float(value, "float", type_)

    on_floats(w, item, (source,), compute)


def _one(type_: str) -> str:
    return "0xH3C00" if type_ == "half" else "1.0"


def copy_sign(w: Writer, item: Instruction) -> None:
    """copysign: the sign of the first, the magnitude of the second."""
    _, left, right = w.operands(item, 3)
    on_floats(w, item, (left, right), lambda t, v: w.intrinsic("copysign", t, v[1], v[0]))


_CLASSES = {"finite": 0x1F8, "infinite": 0x204, "number": 0x3FC, "notanumber": 0x3,
            "normal": 0x108, "subnormal": 0x090}  # fmt: skip
"""Masks of llvm.is.fpclass; zeros are normal for none of PTX's tests."""


def test_property(w: Writer, item: Instruction) -> None:
    """``testp``."""
    target, source = w.operands(item, 2)
    type_, mask = ir_type(w, item.type), _CLASSES.get(item.words[1])
    if mask is None:
        raise w.refuse(f"'{item.opcode}' is not supported")
    mask |= 0x60 if item.words[1] in ("finite", "number") else 0
    symbol = f"llvm.is.fpclass.{'f32' if type_ == 'float' else 'f64'}"
    w.declared[symbol] = f"declare i1 @{symbol}({type_}, i32 immarg)"
    value = w.value(f"call i1 @{symbol}({type_} {w.read(source, type_)}, i32 {mask})")
    w.write(target, "i1", value)


# comparison and selection

_COMPARISONS = {"eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs"}
_UNSIGNED = {"lo": "ult", "ls": "ule", "hi": "ugt", "hs": "uge"}
_UNORDERED = {"equ": "ueq", "neu": "une", "ltu": "ult", "leu": "ule", "gtu": "ugt", "geu": "uge",
              "num": "ord", "nan": "uno"}  # fmt: skip
_BOOLEANS = {"and", "or", "xor"}


def compared(w: Writer, item: Instruction, type_: str, left: Operand, right: Operand) -> str:
    """What a comparison operator, the second word of the opcode, gives."""
    word = item.words[1]
    if type_ in ("f16x2", "bf16x2"):
        raise w.refuse(f"'{item.opcode}' is not supported")
    if type_ == "bf16":
        a, b = (widened(w, w.read(o, "i16")) for o in (left, right))
        return _float_compared(w, item, "float", a, b)
    want = ir_type(w, type_)
    a, b = w.read(left, want), w.read(right, want)
    if type_ in _FLOAT_TYPES:
        return _float_compared(w, item, want, a, b)
    if word not in _COMPARISONS:
        raise w.refuse(f"'.{word}' does not compare integers", "K430")
    if word in _UNSIGNED:
        return w.compare(_UNSIGNED[word], want, a, b)
    if word not in ("eq", "ne"):
        word = ("s" if type_[0] == "s" else "u") + word
    return w.compare(word, want, a, b)


def _float_compared(w: Writer, item: Instruction, type_: str, a: str, b: str) -> str:
    word = item.words[1]
    if word in _UNORDERED:
        return w.value(f"fcmp {_UNORDERED[word]} {type_} {a}, {b}")
    if word not in _COMPARISONS or word in _UNSIGNED:
        raise w.refuse(f"'.{word}' does not compare floats", "K430")
    return w.value(f"fcmp o{word} {type_} {a}, {b}")


def set_predicate(w: Writer, item: Instruction) -> None:
    """``setp``, with a second predicate and one to combine with."""
    target, left, right, *third = w.operands(item, 3, 4)
    value = compared(w, item, item.type, left, right)
    opposite = w.binary("xor", "i1", value, "true")
    if third:
        word = next((x for x in item.words[2:] if x in _BOOLEANS), None)
        if word is None:
            raise w.refuse("a predicate is given and nothing to do with it", "K430")
        other = w.read(third[0], "i1")
        value, opposite = (w.binary(word, "i1", v, other) for v in (value, opposite))
    if isinstance(target, Several) and target.paired:
        w.write(target.parts[0], "i1", value)
        if not isinstance(target.parts[1], Nothing):
            w.write(target.parts[1], "i1", opposite)
        return
    w.write(target, "i1", value)


def set_value(w: Writer, item: Instruction) -> None:
    """set: all ones, or 1.0, where the comparison holds."""
    target, left, right, *third = w.operands(item, 3, 4)
    value = compared(w, item, item.type, left, right)
    if third:
        word = next((x for x in item.words[2:] if x in _BOOLEANS), "and")
        value = w.binary(word, "i1", value, w.read(third[0], "i1"))
    result = item.words[-2]
    type_ = ir_type(w, result)
    yes = _one(type_) if result in ("f16", "f32") else "-1"
    w.write(target, type_, w.select(value, type_, yes, double_text(0, 32) if type_ == "float"
                                    else "0xH0000" if type_ == "half" else "0"))  # fmt: skip


def choose(w: Writer, item: Instruction) -> None:
    """Selp."""
    target, left, right, predicate = w.operands(item, 4)
    type_ = ir_type(w, item.type)
    if isinstance(target, Register) and target.name in w.types and not w.condition:
        have = w.types[target.name]
        same_size = have.startswith("ptr") or BITS[have] == BITS[type_]
        type_ = have if same_size else type_
    condition = w.read(predicate, "i1")
    w.write(target, type_, w.select(condition, type_, w.read(left, type_), w.read(right, type_)))


def choose_by_sign(w: Writer, item: Instruction) -> None:
    """slct: a where c >= 0, else b."""
    target, left, right, third = w.operands(item, 4)
    type_ = ir_type(w, item.words[-2])
    if item.type == "f32":
        positive = w.value(f"fcmp oge float {w.read(third, 'float')}, 0.0")
    else:
        positive = w.compare("sge", "i32", w.read(third, "i32"), 0)
    w.write(target, type_, w.select(positive, type_, w.read(left, type_), w.read(right, type_)))


HANDLERS: dict[str, Handler] = {
    "add": add_sub, "sub": add_sub, "addc": with_carry, "subc": with_carry, "mul": multiply,
    "mul24": multiply, "mad": multiply_add, "mad24": multiply_add, "madc": multiply_add,
    "fma": multiply_add, "div": divide, "rem": divide, "abs": absolute, "neg": negate,
    "min": extreme, "max": extreme, "sad": difference, "rcp": function, "sqrt": function,
    "rsqrt": function, "sin": function, "cos": function, "ex2": function, "lg2": function,
    "tanh": function, "copysign": copy_sign, "testp": test_property, "setp": set_predicate,
    "set": set_value, "selp": choose, "slct": choose_by_sign,
}  # fmt: skip
"""By the first word of the opcode."""
