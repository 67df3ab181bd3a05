"""Vector loads and stores on real memory, for all types, roundings and address spaces."""

from __future__ import annotations

import ctypes
import random
import re

import numpy as np

from kcc.frontend.builtins.emitter import ir_type
from kcc.frontend.builtins.lower import definitions
from kcc.frontend.builtins.overloads import names, overload_of_symbol, overloads_of, rows_of
from kcc.frontend.builtins.rows import Section
from kcc.frontend.builtins.signatures import ResolvedBuiltin
from kcc.frontend.types import PointerType, ScalarKind, Type
from tests.frontend.builtins.conversion_reference import convert
from tests.frontend.builtins.host_values import compiled, host_text
from tests.frontend.builtins.values import DTYPES, Array, empty, kind_of, lanes_of, pool

OFFSET = 3
PITCH = 1024
"""Bytes of memory for each access."""

ROWS = 60
GUARD = 0x5A


def accesses() -> list[ResolvedBuiltin]:
    """Every vload and vstore."""
    found = [o for n in names() for o in overloads_of(n)]
    return [o for o in found if rows_of(o.name)[0].section is Section.VECTOR_DATA]


def _is_load(builtin: ResolvedBuiltin) -> bool:
    return builtin.name.startswith("vload")


def _data(builtin: ResolvedBuiltin) -> Type:
    return builtin.result if _is_load(builtin) else builtin.parameters[0].type


def _stored_kind(builtin: ResolvedBuiltin) -> ScalarKind:
    pointer = builtin.parameters[-1].type
    assert isinstance(pointer, PointerType)
    return kind_of(pointer.pointee.type)


def _place(builtin: ResolvedBuiltin) -> slice:
    """The elements accessed: groups of 3 lie 4 apart only in the aligned (a) half functions."""
    lanes = lanes_of(_data(builtin))
    step = 4 if lanes == 3 and re.match(r"v(load|store)a", builtin.name) else lanes
    return slice(OFFSET * step, OFFSET * step + lanes)


def _wrapper(number: int, builtin: ResolvedBuiltin) -> str:
    """``void run_N(values, memory)``: one access per row, at an offset."""
    type_ = ir_type(_data(builtin))
    room = empty(_data(builtin), 1).nbytes
    if _is_load(builtin):
        access = f"""  %r = call {type_} @{builtin.symbol}(i64 {OFFSET}, ptr %m)
  store {type_} %r, ptr %v, align 1"""
    else:
        access = f"""  %x = load {type_}, ptr %v, align 1
  call void @{builtin.symbol}({type_} %x, i64 {OFFSET}, ptr %m)"""
    return f"""
define void @run_{number}(ptr %values, ptr %memory) {{
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %v = getelementptr [{room} x i8], ptr %values, i64 %i
  %m = getelementptr [{PITCH} x i8], ptr %memory, i64 %i
{access}
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, {ROWS}
  br i1 %more, label %loop, label %done
done:
  ret void
}}
"""


def _memory(kind: ScalarKind) -> Array:
    """Rows of PITCH bytes, aligned."""
    size = np.dtype(DTYPES[kind]).itemsize
    raw = np.full(ROWS * PITCH + 128, GUARD, np.uint8)
    start = -raw.ctypes.data % 128
    return raw[start : start + ROWS * PITCH].view(DTYPES[kind]).reshape(ROWS, PITCH // size)


def _check_load(builtin: ResolvedBuiltin, address: int) -> bool:
    memory, out = _memory(_stored_kind(builtin)), empty(_data(builtin), ROWS)
    memory[:] = pool(_stored_kind(builtin), 0, 16, memory.size // 16).reshape(memory.shape)
    _call(address, out, memory)
    loaded = out[:, : lanes_of(_data(builtin))]
    expected = memory[:, _place(builtin)].astype(out.dtype)
    return np.array_equal(loaded, expected, equal_nan=expected.dtype.kind == "f")


def _check_store(builtin: ResolvedBuiltin, address: int) -> bool:
    """The group is written, rounded as the name says, and nothing beside it."""
    kind, lanes = _stored_kind(builtin), lanes_of(_data(builtin))
    memory, values = _memory(kind), empty(_data(builtin), ROWS)
    values[:] = pool(kind_of(_data(builtin)), 1, lanes, ROWS)
    _call(address, values, memory)
    rounding = builtin.name[-3:] if builtin.name[-4:-2] == "_r" else ""
    given = values[:, :lanes].ravel().tolist()
    expected = np.array([convert(v, kind, rounding, saturate=False) for v in given], memory.dtype)
    stored = memory[:, _place(builtin)].ravel()
    right = np.array_equal(stored, expected, equal_nan=stored.dtype.kind == "f")
    memory[:, _place(builtin)] = _memory(kind)[:, _place(builtin)]
    return right and bool((memory.view(np.uint8) == GUARD).all())


def _call(address: int, values: Array, memory: Array) -> None:
    run = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(address)
    run(values.ctypes.data, memory.ctypes.data)


def test_every_access_reads_or_writes_its_group(*, full: bool) -> None:
    functions = accesses()
    assert len(functions) == 220 + 165 + 11 * 4 + 11 * 5 * 2 * 3
    if not full:
        functions = random.Random(6).sample(functions, 80)
    text = host_text([f.symbol for f in functions])
    text += "".join(_wrapper(n, f) for n, f in enumerate(functions))
    with compiled(text) as address_of:
        for number, function in enumerate(functions):
            check = _check_load if _is_load(function) else _check_store
            assert check(function, address_of(f"run_{number}")), function.symbol


def test_three_elements_are_loaded_as_three() -> None:
    """Aligned as an element, and no byte beyond the group."""
    text = definitions(["_Z6vload3mPU3AS1Kf"])
    assert "getelementptr inbounds [3 x float], ptr addrspace(1) %a1, i64 %a0" in text
    assert re.search(r"load <3 x float>, ptr addrspace\(1\) %v\d+, align 4", text)


def test_texels_of_halves_go_through_floats() -> None:
    read = overload_of_symbol("_Z11read_imageh14ocl_image2d_roDv2_i")
    assert read is not None
    text = definitions([read.symbol])
    assert "call spir_func <4 x float> @_Z11read_imagef14ocl_image2d_roDv2_i" in text
    assert "fptrunc <4 x float>" in text
    write = definitions(["_Z12write_imageh14ocl_image2d_woDv2_iDv4_Dh"])
    assert "call spir_func void @_Z12write_imagef14ocl_image2d_woDv2_iDv4_f" in write


def test_the_dimensions_of_an_image_are_its_single_queries() -> None:
    text = definitions(["_Z13get_image_dim14ocl_image3d_ro"])
    for query in ("width", "height", "depth"):
        name = f"get_image_{query}"
        assert f"call spir_func i32 @_Z{len(name)}{name}14ocl_image3d_ro(" in text
    assert re.search(r"insertelement <4 x i32> %v\d+, i32 0, i64 3", text)
