"""Values of built-in functions by PoCL."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from kcc.frontend.builtins.emitter import ir_type
from kcc.frontend.builtins.signatures import ResolvedBuiltin
from kcc.frontend.ir.types import align_bytes
from kcc.frontend.types import Type, size_of
from tests.frontend.builtins.values import (
    DTYPES,
    Array,
    Results,
    kind_of,
    pointee,
    room_of,
    stored_type,
    trimmed,
)
from tests.pocl import build


def opencl() -> Any:
    """The pyopencl module, untyped: its enumerations are not what its functions declare."""
    import pyopencl

    return pyopencl


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
    cl = opencl()
    queue = cl.CommandQueue(context)
    buffers, columns = dict[str, Any](), list[list[str]]()
    for arrays in inputs:
        columns.append([_buffer(context, buffers, a) for a in arrays])
    count = len(inputs[0][0])
    returned, stored, total = _layout(builtins, count)
    program: Any = build(context, _kernel(builtins, columns), "-cl-std=CL1.2")
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
    cl = opencl()
    name = f"in_{id(array)}"
    if name not in buffers:
        flags = cl.mem_flags
        buffers[name] = cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=array)
    return name


def _layout(builtins: Sequence[ResolvedBuiltin], count: int) -> tuple[list[int], list[int], int]:
    """Where the results and the stored values of each function lie, and how many bytes in all."""
    returned, stored, place = list[int](), list[int](), 0
    for builtin in builtins:
        returned.append(place)
        place += _bytes(builtin.result) * count
        stored.append(place)
        target = stored_type(builtin)
        place += (_bytes(target) if target else 0) * count
        place = -(-place // 128) * 128
    return returned, stored, max(place, 1)


def _bytes(type_: Type) -> int:
    return max(size_of(type_), align_bytes(ir_type(type_)))


def _read(out: Array, builtin: ResolvedBuiltin, count: int, returned: int, stored: int) -> Results:
    target = stored_type(builtin)
    first = _view(out, builtin.result, count, returned)
    return Results(first, _view(out, target, count, stored) if target else None)


def _view(out: Array, type_: Type, count: int, place: int) -> Array:
    part = out[place : place + size_of(type_) * count]
    return trimmed(part.view(DTYPES[kind_of(type_)]).reshape(count, room_of(type_)), type_)
