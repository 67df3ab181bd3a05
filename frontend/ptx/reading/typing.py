"""Of which type a register is: PTX's say how many bits, and often no more.

A register of ``.b32`` or ``.b16`` that only instructions on floats compute with is a float. What
only moves bits (``mov``, ``ld.b32``, ``shfl`` ...) says nothing, but ties its operands together.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from kcc.frontend.ptx.reading.flatten import Flat
from kcc.frontend.ptx.reading.model import (
    Address,
    Instruction,
    Operand,
    Register,
    Several,
    Symbol,
)
from kcc.frontend.ptx.reading.pointers import Pointers

IR_TYPES = {
    "pred": "i1", "b8": "i8", "u8": "i8", "s8": "i8", "b16": "i16", "u16": "i16", "s16": "i16",
    "b32": "i32", "u32": "i32", "s32": "i32", "b64": "i64", "u64": "i64", "s64": "i64",
    "b128": "i128", "f16": "half", "f32": "float", "f64": "double", "bf16": "i16", "tf32": "i32",
    "f16x2": "i32", "bf16x2": "i32", "f32x2": "i64", "texref": "i64", "samplerref": "i64",
    "surfref": "i64",
}  # fmt: skip
"""Types of PTX in the dialect; bfloat16 is its bits."""

_FLOATS = {"f16": "half", "f32": "float", "f64": "double"}
_LOOSE = {"b16": "half", "b32": "float", "b64": "double"}
"""What a register may be besides bits."""

_TYING = frozenset({"mov", "selp", "shfl", "ld", "st", "ldu"})
_INNER = frozenset({
    "add", "sub", "mul", "fma", "mad", "div", "neg", "abs", "min", "max", "sqrt", "rsqrt", "rcp",
    "sin", "cos", "ex2", "lg2", "tanh", "copysign", "testp", "setp", "set", "slct", "selp", "mov",
    "ld", "st", "ldu", "atom", "red",
})  # fmt: skip
"""Instructions whose last word is the type of all operands that are values."""

_BITS = frozenset({"b8", "b16", "b32", "b64", "b128", "pred"})


def pointer_type(space: int) -> str:
    """A pointer into a space, in the dialect."""
    return "ptr" if space == 0 else f"ptr addrspace({space})"


def storage_types(flat: Flat, pointers: Pointers) -> tuple[dict[str, str], dict[str, str]]:
    """The type of the dialect of each register, and of each kernel parameter."""
    votes, ties = defaultdict[str, Counter[str]](Counter), _Ties()
    for item in flat.body:
        if isinstance(item, Instruction):
            _vote(item, votes, ties)
    total = defaultdict[str, Counter[str]](Counter)
    for name, counts in votes.items():
        total[ties.root(name)] += counts
    registers = dict[str, str]()
    for name, type_ in flat.registers.items():
        if name in pointers.spaces:
            registers[name] = pointer_type(pointers.spaces[name])
        else:
            registers[name] = _chosen(type_, total[ties.root(name)])
    parameters = dict[str, str]()
    for parameter in flat.kernel.parameters:
        name = parameter.name
        if name in pointers.parameters and not parameter.is_array:
            parameters[name] = pointer_type(pointers.parameters[name])
        elif parameter.is_array:
            parameters[name] = "byval"
        else:
            parameters[name] = _chosen(parameter.type, total[ties.root(f"[{name}")])
    return registers, parameters


def _chosen(type_: str, votes: Counter[str]) -> str:
    float_ = _LOOSE.get(type_)
    if float_ is not None and votes[float_] > 0 and votes["bits"] == 0:
        return float_
    return IR_TYPES[type_]


class _Ties:
    """Names that hold the same bits (union and find)."""

    def __init__(self) -> None:
        self.above = dict[str, str]()

    def root(self, name: str) -> str:
        while (above := self.above.get(name, name)) != name:
            self.above[name] = self.above.get(above, above)
            name = above
        return name

    def tie(self, names: list[str]) -> None:
        for name in names[1:]:
            self.above[self.root(name)] = self.root(names[0])


def _vote(item: Instruction, votes: defaultdict[str, Counter[str]], ties: _Ties) -> None:
    word, type_ = item.words[0], item.type
    for operand in item.operands:
        if isinstance(operand, Address) and isinstance(operand.base, Register):
            votes[operand.base.name]["bits"] += 1
    values: list[Operand] = [o for o in item.operands if not isinstance(o, Address)]
    if word == "cvt" and len(item.words) > 2:
        _say(votes, item.operands[:1], item.words[-2])
        _say(votes, item.operands[1:], item.words[-1])
    elif word in ("tex", "tld4"):
        _vote_texture(item, votes)
    elif word in ("suld", "sust"):
        pass
    elif word in ("mma", "wgmma", "wmma"):
        _vote_matrix(item, votes)
    elif word in _TYING and type_ in _BITS:
        _tie(item, values, votes, ties)
    elif word in _INNER:
        skip = 1 if word in ("setp", "testp", "set") else 0
        _say(votes, values[skip:], type_)
        parameter = _parameter(item)
        if parameter:
            votes[parameter][_FLOATS.get(type_, "bits")] += 1
    else:
        _say(votes, values, "b32")


def _tie(
    item: Instruction,
    values: list[Operand],
    votes: defaultdict[str, Counter[str]],
    ties: _Ties,
) -> None:
    """Operands that hold the same bits; what is made of parts, or taken apart, is bits."""
    word = item.words[0]
    if any(isinstance(o, Several) and not o.paired for o in values):
        if word == "mov":
            _say(votes, [o for o in values if isinstance(o, Register)], "b32")
        return
    names = _names(values[: 2 if word in ("mov", "shfl") else 3])
    parameter = _parameter(item)
    if parameter:
        names.append(parameter)
    if names:
        ties.tie(names)
    if word == "shfl":
        _say(votes, values[2:], "b32")


def _parameter(item: Instruction) -> str:
    """The kernel parameter that an instruction loads, as it votes; empty for another."""
    if item.words[0] != "ld" or not any(w.startswith("param") for w in item.words):
        return ""
    place = item.operands[1] if len(item.operands) > 1 else None
    base = place.base if isinstance(place, Address) else None
    return f"[{base.name}" if isinstance(base, Symbol) else ""


def _vote_matrix(item: Instruction, votes: defaultdict[str, Counter[str]]) -> None:
    """Accumulators of floats are floats, everything else are bits."""
    kinds = [w for w in item.words if w in ("f16", "f32", "f64", "s32", "bf16", "tf32", "b1")]
    moved = item.words[1] in ("load", "store")
    whole = len(kinds) == 4 or kinds == ["f32", "f32"]  # wmma in half precision names two
    for number, operand in enumerate(item.operands):
        is_sum = moved or number == 0 or (whole and number == 3)
        wide = kinds[:1] in (["f32"], ["f64"])
        if kinds[:2] == ["f64", "f64"] or (moved and kinds == ["f64"]):
            _say(votes, (operand,), "f64")
        else:
            _say(votes, (operand,), "f32" if is_sum and wide else "b32")


def _vote_texture(item: Instruction, votes: defaultdict[str, Counter[str]]) -> None:
    """Texels are of the type before that of the coordinates."""
    for operand in item.operands:
        match operand:
            case Address(_, _, (*_, inside)):
                _say(votes, (inside,), item.type)
            case Several(parts, paired):
                _say(votes, parts[:1] if paired else parts, item.words[-3])
            case _:
                pass


def _names(operands: Sequence[Operand]) -> list[str]:
    found = list[str]()
    for operand in operands:
        if isinstance(operand, Register):
            found.append(operand.name)
        elif isinstance(operand, Several) and operand.paired:
            found += _names(list(operand.parts[:1]))
    return found


def _say(votes: defaultdict[str, Counter[str]], operands: Sequence[Operand], type_: str) -> None:
    for operand in operands:
        if isinstance(operand, Register):
            votes[operand.name][_FLOATS.get(type_, "bits")] += 1
        elif isinstance(operand, Several):
            _say(votes, operand.parts, type_)
