"""Calls of mathematical functions whose arguments are constants, as their results.

A GPU's compiler knows what ``__log2f(16)`` is, counts the loop that it bounds, unrolls it, and then
knows ``__powf(2, i)`` of each round (nvcc folds all functions named here, the fast ones too). What
is known only after unrolling comes too late for divisions by it, which ptxas has taken apart by
then (12.9: a remainder by 2 that it knows so is fifteen instructions, a conversion, a reciprocal
and the conversion back among them); the conversion of that power to an integer, half of it and the
addresses it goes into it does fold. LLVM knows the functions of C only, not those of the dialect.

A unit is folded for questions about a compiler's code; what is executed is not, for the engine's
functions are exact only to the ulps that docs/explanation/execution.md states, and so are these.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from kcc.frontend.builtins.overloads import overload_of_symbol
from kcc.frontend.ir.builder import float_text
from kcc.frontend.ir.reader import read_module
from kcc.frontend.ir.types import DOUBLE, FLOAT, FloatTy
from kcc.frontend.kernel import CompiledUnit, compiled_by_nvvm
from kcc.frontend.optimise import optimise
from kcc.frontend.options import OptLevel

_ONE: Mapping[str, Callable[[float], float]] = {
    "cos": math.cos,
    "exp": math.exp,
    "exp10": lambda x: math.pow(10.0, x),
    "exp2": math.exp2,
    "log": math.log,
    "log10": math.log10,
    "log2": math.log2,
    "recip": lambda x: 1.0 / x,
    "rsqrt": lambda x: 1.0 / math.sqrt(x),
    "sin": math.sin,
    "sqrt": math.sqrt,
    "tan": math.tan,
}
_TWO: Mapping[str, Callable[[float, float], float]] = {
    "divide": lambda x, y: x / y,
    "pow": math.pow,
    "pown": math.pow,
    "powr": math.pow,
}
"""By names without ``native_`` or ``half_``. Outside the domain of Python's functions (which is
within that of OpenCL's) a call is left as it is."""

_CALL = re.compile(
    r"^(  %\S+ = )(?:tail )?call (?:spir_func )?(?:noundef )?(float|double) @(_Z\w+)\(([^()%@]*)\)"
    r"(?: #\d+)?",
    re.MULTILINE,
)
"""A call all of whose arguments are constants."""

_LATE = re.compile(
    r"^  (?P<name>%\S+) = select i1 true, (?P<type>float|i32) (?P<value>[-+.\w]+), "
    r"(?P=type) (?P=value)(?=,|$)",
    re.MULTILINE,
)
"""A number that a call was folded to after LLVM was done, or what comes of it."""

_TO_INTEGER = re.compile(
    r"^(?P<head>  %\S+ = )"
    r"(?:fpto[su]i float (?P<of>%[^\s,]+) to i32"
    r"|(?:tail )?call i32 @llvm\.fpto[su]i\.sat\.i32\.f32\(float (?P<given>%[^\s,()]+)\)(?: #\d+)?)"
    r"(?=,|$)",
    re.MULTILINE,
)

_OPERATION = re.compile(
    r"^(?P<head>  %\S+ = )"
    r"(?P<operation>(?:add|sub|mul|shl|sdiv|udiv|srem|urem)(?: nsw| nuw| exact)*) "
    r"(?P<type>i32) (?P<left>[^\s,]+), (?P<right>[^\s,]+)(?=,|$)",
    re.MULTILINE,
)

_ARGUMENT = re.compile(r"(float|double|i32) (?:noundef )?([-+.\w]+)$")


def fold_math(unit: CompiledUnit) -> CompiledUnit:
    """A unit at -O2 with such calls folded and what follows from that; calls whose arguments are
    constants only then become their values and no more. Other units as they are."""
    if unit.opt_level is not OptLevel.O2:
        return unit
    text = fold_calls(unit.ir)
    if text == unit.ir:
        return unit
    as_nvvm = compiled_by_nvvm(unit.language, unit.costs)
    optimised = optimise(text, OptLevel.O2, unit.costs, as_nvvm=as_nvvm, unrolls=False)
    return _with_text(unit, spread_constants(fold_calls(optimised.text)))


def fold_calls(text: str) -> str:
    """IR text with the results of such calls in their place."""
    return _CALL.sub(_folded, text)


def spread_constants(text: str) -> str:
    """IR text in which numbers that only folded calls give stand where they are used, but for
    divisors: as :data:`_LATE` values they stay what nobody knew in time."""
    while True:
        late = {m["name"]: m["value"] for m in _LATE.finditer(text)}
        found = _TO_INTEGER.sub(partial(_converted, late=late), text)
        found = _OPERATION.sub(partial(_spread, late=late), found)
        if found == text:
            return text
        text = found


def _converted(match: re.Match[str], late: Mapping[str, str]) -> str:
    text = late.get(match["of"] or match["given"])
    value = None if text is None else _value(f"float {text}")
    if value is None or not math.isfinite(value) or abs(value) >= 1 << 31:
        return match[0]
    return f"{match['head']}select i1 true, i32 {math.trunc(value)}, i32 {math.trunc(value)}"


def _spread(match: re.Match[str], late: Mapping[str, str]) -> str:
    left, right = (late.get(match[side], match[side]) for side in ("left", "right"))
    operation, type_ = match["operation"].split()[0], match["type"]
    known = [int(side) for side in (left, right) if re.fullmatch(r"-?\d+", side)]
    if len(known) == 2 and (found := _integer(operation, *known)) is not None:
        return f"{match['head']}select i1 true, {type_} {found}, {type_} {found}"
    if operation in {"sdiv", "udiv", "srem", "urem"}:
        right = match["right"]
    return f"{match['head']}{match['operation']} {type_} {left}, {right}"


def _integer(operation: str, left: int, right: int) -> int | None:
    """Of two numbers that are far from where anything wraps around."""
    if abs(left) >= 1 << 20 or abs(right) >= 1 << 10:
        return None
    match operation:
        case "add":
            return left + right
        case "sub":
            return left - right
        case "mul":
            return left * right
        case "sdiv" if right:
            return math.trunc(left / right)
        case _:
            return None


def _with_text(unit: CompiledUnit, text: str) -> CompiledUnit:
    module = read_module(text)
    functions = {each.name: each for each in module.kernels}
    kernels = tuple(replace(k, function=functions[k.symbol]) for k in unit.kernels)
    return replace(unit, ir=text, module=module, kernels=kernels)


def _folded(call: re.Match[str]) -> str:
    """A call's line with the result instead, which LLVM then puts where it is used."""
    head, type_name, symbol, listed = call.groups()
    found = overload_of_symbol(symbol)
    values = [_value(each) for each in listed.split(", ")]
    if found is None or None in values:
        return call[0]
    result = value_of(found.name, *(v for v in values if v is not None))
    if result is None:
        return call[0]
    text = float_text(_TYPES[type_name], result)
    return f"{head}select i1 true, {type_name} {text}, {type_name} {text}"


_TYPES: Mapping[str, FloatTy] = {"float": FLOAT, "double": DOUBLE}


def _value(argument: str) -> float | None:
    """The number that a constant argument is."""
    match = _ARGUMENT.match(argument)
    if match is None:
        return None
    type_name, text = match.groups()
    if text.startswith("0x") and type_name != "i32":
        return _bits(text)
    try:
        return float(text)
    except ValueError:
        return None


def _bits(text: str) -> float | None:
    digits = text[2:]
    if re.fullmatch(r"[0-9A-Fa-f]{16}", digits) is None:
        return None
    (value,) = struct.unpack(">d", bytes.fromhex(digits))
    return value


def value_of(name: str, *arguments: float) -> float | None:
    """A function's value in double precision; None for other functions and outside of domains."""
    bare = name.removeprefix("native_").removeprefix("half_")
    try:
        if len(arguments) == 1 and bare in _ONE:
            return _ONE[bare](*arguments)
        if len(arguments) == 2 and bare in _TWO and (bare != "powr" or arguments[0] >= 0):
            return _TWO[bare](*arguments)
    except (ArithmeticError, ValueError):
        return None
    return None
