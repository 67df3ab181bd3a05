"""Values of lowered built-in functions: by the definitions, compiled for the host, and by PoCL.

Every function is applied to the same arrays of inputs, one element of the gentype at a time; what
it stores through a private pointer is a second result.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import llvmlite.binding as llvm
import numpy as np
from numpy.typing import NDArray

from kcc.frontend.builtins.emitter import ir_type
from kcc.frontend.builtins.lower import definitions
from kcc.frontend.builtins.notation import gentype
from kcc.frontend.builtins.signatures import ResolvedBuiltin
from kcc.frontend.ir.types import VecTy, align_bytes, size_bytes
from kcc.frontend.types import PointerType, ScalarKind, Type, VectorType, element_kind, size_of

Array = NDArray[Any]

DTYPES = {
    ScalarKind.CHAR: np.int8, ScalarKind.UCHAR: np.uint8, ScalarKind.SHORT: np.int16,
    ScalarKind.USHORT: np.uint16, ScalarKind.INT: np.int32, ScalarKind.UINT: np.uint32,
    ScalarKind.LONG: np.int64, ScalarKind.ULONG: np.uint64, ScalarKind.HALF: np.float16,
    ScalarKind.FLOAT: np.float32, ScalarKind.DOUBLE: np.float64,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Results:
    """Arrays of elements: one row per application, one column per lane (3 of 4 for vectors of 3).

    ``stored`` is what went through the pointer parameter, if there is one.
    """

    returned: Array
    stored: Array | None


def lanes_of(type_: Type) -> int:
    return type_.lanes if isinstance(type_, VectorType) else 1


def room_of(type_: Type) -> int:
    """Elements a value takes in memory."""
    return 4 if lanes_of(type_) == 3 else lanes_of(type_)


def _kind(type_: Type) -> ScalarKind:
    kind = element_kind(type_)
    assert kind is not None
    return kind


def pointee(type_: Type) -> Type | None:
    """What a pointer points to; None for a value."""
    return type_.pointee.type if isinstance(type_, PointerType) else None


def _empty(type_: Type, count: int) -> Array:
    return np.zeros((count, room_of(type_)), DTYPES[_kind(type_)])


def _trimmed(array: Array, type_: Type) -> Array:
    return array[:, : lanes_of(type_)]


# on the host, through LLVM

_STAND_INS = """
define internal float @_Z5rsqrtf(float %x) {
  %r = call float @llvm.sqrt.f32(float %x)
  %q = fdiv float 1.0, %r
  ret float %q
}
define internal double @_Z5rsqrtd(double %x) {
  %r = call double @llvm.sqrt.f64(double %x)
  %q = fdiv double 1.0, %r
  ret double %q
}
define internal float @_Z9half_sqrtf(float %x) {
  %r = call float @llvm.sqrt.f32(float %x)
  ret float %r
}
define internal float @_Z10half_rsqrtf(float %x) {
  %r = call float @_Z5rsqrtf(float %x)
  ret float %r
}
"""
"""Primitives that are simple enough; the others come from the C library."""


def stand_in(builtin: ResolvedBuiltin) -> str:
    """A primitive of scalar math by the function of the C library of that name."""
    types = [str(ir_type(p.type)) for p in builtin.parameters]
    result = str(ir_type(builtin.result))
    target = builtin.name + ("f" if result == "float" else "")
    named = ", ".join(f"{t} %a{n}" for n, t in enumerate(types))
    return f"""
declare {result} @{target}({", ".join(types)})
define internal {result} @{builtin.symbol}({named}) {{
  %r = call {result} @{target}({named})
  ret {result} %r
}}
"""


def host_text(symbols: Sequence[str]) -> str:
    """Definitions of the symbols and what they need, for the host."""
    text = definitions(symbols)
    text = re.sub(r" ?addrspace\(\d+\)", "", text)
    text = re.sub(r"\bspir_func\b ?", "", text)
    called = re.findall(r"^declare .*@(_Z\w+)\(.*\n", text, flags=re.MULTILINE)
    text = re.sub(r"^declare .*@_Z.*\n", "", text, flags=re.MULTILINE)
    from kcc.frontend.builtins.overloads import overload_of_symbol

    for symbol in called:
        builtin = overload_of_symbol(symbol)
        assert builtin is not None
        if f"@{symbol}(" not in _STAND_INS:
            text += stand_in(builtin)
    text += _STAND_INS
    for kind, width in (("float", 32), ("double", 64)):
        line = f"declare {kind} @llvm.sqrt.f{width}({kind})"
        text += "" if line in text else line + "\n"
    return text


def _wrapper(number: int, builtin: ResolvedBuiltin) -> str:
    """``void run_N(args, out, stored, n)``: applies the function to elements 0 to n - 1."""
    lines = list[str]()
    operands = list[str]()
    for position, parameter in enumerate(builtin.parameters):
        target = pointee(parameter.type)
        type_ = ir_type(target or parameter.type)
        base = "%stored" if target else f"%p{position}"
        lines.append(f"  %e{position} = getelementptr {_slot(type_)}, ptr {base}, i64 %i")
        if target:
            operands.append(f"ptr %e{position}")
            continue
        lines.append(f"  %v{position} = load {type_}, ptr %e{position}, align 1")
        operands.append(f"{type_} %v{position}")
    result = ir_type(builtin.result)
    pointers = "".join(f"ptr %p{n}, " for n in range(3))
    call = f"  %r = call {result} @{builtin.symbol}({', '.join(operands)})"
    body = "\n".join([*lines, call])
    return f"""
define void @run_{number}({pointers}ptr %out, ptr %stored, i64 %n) {{
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
{body}
  %o = getelementptr {_slot(result)}, ptr %out, i64 %i
  store {result} %r, ptr %o, align 1
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}}
"""


def _slot(type_: Any) -> str:
    return f"[{size_bytes(type_)} x i8]" if isinstance(type_, VecTy) else str(type_)


@cache
def _machine() -> Any:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_triple(llvm.get_process_triple())


def by_definition(
    builtins: Sequence[ResolvedBuiltin], inputs: Sequence[Sequence[Array]]
) -> list[Results]:
    """Results of the definitions; ``inputs[k]`` are the arguments of function k (no pointers)."""
    text = host_text([b.symbol for b in builtins])
    text += "".join(_wrapper(n, b) for n, b in enumerate(builtins))
    machine = _machine().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=0, jit=True
    )
    module = llvm.parse_assembly(text)
    module.verify()
    results = list[Results]()
    with llvm.create_mcjit_compiler(module, machine) as engine:
        engine.finalize_object()
        for number, (builtin, arrays) in enumerate(zip(builtins, inputs, strict=True)):
            address = engine.get_function_address(f"run_{number}")
            results.append(_apply(address, builtin, arrays))
    return results


def _apply(address: int, builtin: ResolvedBuiltin, arrays: Sequence[Array]) -> Results:
    count = len(arrays[0])
    out = _empty(builtin.result, count)
    target = next((t for p in builtin.parameters if (t := pointee(p.type))), None)
    stored = _empty(target, count) if target else None
    given = iter(arrays)
    pointers = [0 if pointee(p.type) else next(given).ctypes.data for p in builtin.parameters]
    pointers += [0] * (3 - len(pointers))
    last = stored.ctypes.data if stored is not None else 0
    signature = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 5, ctypes.c_int64)
    signature(address)(*pointers, out.ctypes.data, last, count)
    kept = _trimmed(stored, target) if stored is not None and target else None
    return Results(_trimmed(out, builtin.result), kept)


# by PoCL


def _kernel(builtins: Sequence[ResolvedBuiltin], names: Sequence[Sequence[str]]) -> str:
    """One kernel that applies all functions; outputs lie in one buffer, at given offsets."""
    lines = list[str]()
    for number, (builtin, columns) in enumerate(zip(builtins, names, strict=True)):
        given = iter(columns)
        operands = list[str]()
        declared, after = "", ""
        for parameter in builtin.parameters:
            target = pointee(parameter.type)
            if target:
                declared = f"{target} t; "
                after = f"((global {target}*)(out + stored[{number}]))[i] = t; "
                operands.append("&t")
            else:
                operands.append(f"((global const {parameter.type}*){next(given)})[i]")
        call = f"{builtin.name}({', '.join(operands)})"
        place = f"((global {builtin.result}*)(out + returned[{number}]))[i]"
        lines.append(f"  {{ {declared}{place} = {call}; {after}}}")
    inputs = sorted({column for columns in names for column in columns})
    parameters = "".join(f"global const char* {name}, " for name in inputs)
    body = "\n".join(lines)
    return f"""kernel void apply({parameters}global char* out, constant ulong* returned,
  constant ulong* stored) {{
  size_t i = get_global_id(0);
{body}
}}
"""


def by_pocl(
    context: Any, builtins: Sequence[ResolvedBuiltin], inputs: Sequence[Sequence[Array]]
) -> list[Results]:
    """Results of PoCL for the same functions and arguments."""
    import pyopencl as cl

    from tests.pocl import build

    queue = cl.CommandQueue(context)
    buffers, columns = dict[str, Any](), list[list[str]]()
    for arrays in inputs:
        columns.append([_buffer(context, buffers, a) for a in arrays])
    count = len(inputs[0][0])
    returned, stored, total = _layout(builtins, count)
    program = build(context, _kernel(builtins, columns), "-cl-std=CL1.2")
    out = np.zeros(total, np.uint8)
    flags = cl.mem_flags
    device_out = cl.Buffer(context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=out)
    offsets = [
        cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=np.array(o, np.uint64))
        for o in (returned, stored)
    ]
    given = [buffers[name] for name in sorted(buffers)]
    program.apply(queue, (count,), (1,), *given, device_out, *offsets)
    cl.enqueue_copy(queue, out, device_out)
    return [
        _read(out, builtin, count, returned[n], stored[n]) for n, builtin in enumerate(builtins)
    ]


def _buffer(context: Any, buffers: dict[str, Any], array: Array) -> str:
    import pyopencl as cl

    name = f"in_{id(array)}"
    if name not in buffers:
        flags = cl.mem_flags
        buffers[name] = cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=array)
    return name


def _layout(
    builtins: Sequence[ResolvedBuiltin], count: int
) -> tuple[list[int], list[int], int]:
    """Where the results and the stored values of each function lie, and how many bytes in all."""
    returned, stored, place = list[int](), list[int](), 0
    for builtin in builtins:
        returned.append(place)
        place += _bytes(builtin.result) * count
        stored.append(place)
        target = next((t for p in builtin.parameters if (t := pointee(p.type))), None)
        place += (_bytes(target) if target else 0) * count
        place = -(-place // 128) * 128
    return returned, stored, max(place, 1)


def _bytes(type_: Type) -> int:
    return max(size_of(type_), align_bytes(ir_type(type_)))


def _read(
    out: Array, builtin: ResolvedBuiltin, count: int, returned: int, stored: int
) -> Results:
    target = next((t for p in builtin.parameters if (t := pointee(p.type))), None)
    first = _view(out, builtin.result, count, returned)
    return Results(first, _view(out, target, count, stored) if target else None)


def _view(out: Array, type_: Type, count: int, place: int) -> Array:
    part = out[place : place + size_of(type_) * count]
    return _trimmed(part.view(DTYPES[_kind(type_)]).reshape(count, room_of(type_)), type_)


# inputs


def edges(kind: ScalarKind) -> Array:
    """Values at which functions of a kind tend to go wrong."""
    if not kind.floating:
        info = np.iinfo(DTYPES[kind])
        low, high = int(info.min), int(info.max)
        near = {0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 63, 64, 100, high, high - 1, high // 2}
        near |= {high // 3, low, low + 1, low // 2, -1, -2, -8, -100}
        return np.array(sorted(v for v in near if low <= v <= high), DTYPES[kind])
    info = np.finfo(DTYPES[kind])
    small, tiny = float(info.smallest_subnormal), float(info.smallest_normal)
    top, one = float(info.max), float(info.eps)
    values = [0.0, 1.0, 0.5, 1.5, 2.0, 2.5, 3.0, 0.25, 0.3, 10.0, 127.5, 128.0, 255.0, 256.0, 1e3]
    values += [32767.5, 32768.0, small, 3 * small, tiny, tiny - small, tiny * 1.5, top, top / 2]
    values += [1 - one / 2, 1 + one, 1 / one, 0.5 - one / 4, float("inf"), float("nan")]
    if kind is not ScalarKind.HALF:
        values += [2.0**31, 2.0**31 - 128, 2.0**32, 2.0**63, 2.0**64, 65504.0, 65520.0, 1e6, 1e20]
    return np.array(values + [-v for v in values], DTYPES[kind])


def random_values(kind: ScalarKind, count: int, chance: np.random.Generator) -> Array:
    """Half of them of any bits, half of moderate size."""
    dtype = np.dtype(DTYPES[kind])
    bits = chance.integers(0, 256, count * dtype.itemsize, np.uint8).view(dtype)
    if kind.floating:
        moderate = (chance.normal(size=count) * 4).astype(dtype)
    else:
        moderate = chance.integers(0, 60, count).astype(dtype)
    return np.where(chance.random(count) < 0.5, bits, moderate)


@cache
def pool(kind: ScalarKind, position: int, lanes: int, count: int) -> Array:
    """Arguments at one position: edges against edges first, then random values."""
    room = room_of(gentype(kind, lanes))
    chance = np.random.default_rng([position, list(ScalarKind).index(kind), lanes])
    values = random_values(kind, count * room, chance)
    special = edges(kind)
    stride = (1, len(special), 7)[position]
    grid = np.arange(min(count * room, 3 * len(special) ** 2))
    places = (grid // stride) % len(special)
    chosen = chance.permutation(count * room)[: len(grid)] if lanes > 1 else grid
    values[np.sort(chosen)] = special[places]
    return np.ascontiguousarray(values.reshape(count, room))


def arguments(builtin: ResolvedBuiltin, count: int) -> list[Array]:
    """Arrays for the parameters of a function that are no pointers."""
    values = [p.type for p in builtin.parameters if pointee(p.type) is None]
    return [pool(_kind(t), n, lanes_of(t), count) for n, t in enumerate(values)]
