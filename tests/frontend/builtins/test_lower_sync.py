"""Atomics, fences and async copies, on real memory, one work-item after the other."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable

import numpy as np
import pytest

from kcc.frontend.builtins.emitter import ir_type
from kcc.frontend.builtins.lower import definitions
from kcc.frontend.builtins.overloads import names, overloads_of, rows_of
from kcc.frontend.builtins.resolve import resolve
from kcc.frontend.builtins.rows import Section
from kcc.frontend.builtins.signatures import ResolvedBuiltin
from kcc.frontend.types import (
    EVENT,
    FLOAT,
    SIZE_T,
    AddressSpace,
    PointerType,
    QualType,
    Type,
    VectorType,
)
from tests.frontend.builtins.host_values import compiled, host_text
from tests.frontend.builtins.values import Array, empty, kind_of, pool

ROWS = 300

_MODEL: dict[str, Callable[[Array, Array], Array]] = {
    "add": lambda old, x: old + x,
    "sub": lambda old, x: old - x,
    "inc": lambda old, _: old + old.dtype.type(1),
    "dec": lambda old, _: old - old.dtype.type(1),
    "xchg": lambda _, x: x,
    "min": np.minimum,
    "max": np.maximum,
    "and": lambda old, x: old & x,
    "or": lambda old, x: old | x,
    "xor": lambda old, x: old ^ x,
}


def atomics() -> list[ResolvedBuiltin]:
    """Every atomic function."""
    found = [o for n in names() for o in overloads_of(n)]
    return [o for o in found if rows_of(o.name)[0].section is Section.ATOMIC]


def _wrapper(number: int, builtin: ResolvedBuiltin) -> str:
    """``void run_N(memory, first, second, old)``: one operation per row."""
    type_ = ir_type(builtin.result)
    operands = "".join(f", {type_} %x{n}" for n in range(1, len(builtin.parameters)))
    return f"""
define void @run_{number}(ptr %memory, ptr %first, ptr %second, ptr %old) {{
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %m = getelementptr {type_}, ptr %memory, i64 %i
  %p1 = getelementptr {type_}, ptr %first, i64 %i
  %p2 = getelementptr {type_}, ptr %second, i64 %i
  %o = getelementptr {type_}, ptr %old, i64 %i
  %x1 = load {type_}, ptr %p1
  %x2 = load {type_}, ptr %p2
  %r = call {type_} @{builtin.symbol}(ptr %m{operands})
  store {type_} %r, ptr %o
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, {ROWS}
  br i1 %more, label %loop, label %done
done:
  ret void
}}
"""


def test_atomics_change_memory_and_give_the_old_value() -> None:
    functions = atomics()
    assert len(functions) == 2 * (2 * 11 + 1 + 4 * 11)
    text = host_text([f.symbol for f in functions])
    text += "".join(_wrapper(n, f) for n, f in enumerate(functions))
    with compiled(text) as address_of:
        for number, function in enumerate(functions):
            _check_atomic(function, address_of(f"run_{number}"))


def _check_atomic(function: ResolvedBuiltin, address: int) -> None:
    kind = kind_of(function.result)
    before, first, second = (pool(kind, n, 1, ROWS)[:, 0].copy() for n in range(3))
    first[::2] = before[::2]
    memory, old = before.copy(), np.zeros_like(before)
    run = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)(address)
    run(memory.ctypes.data, first.ctypes.data, second.ctypes.data, old.ctypes.data)
    operation = function.name.partition("_")[2]
    if operation == "cmpxchg":
        expected = np.where(before == first, second, before)
    else:
        expected = _MODEL[operation](before, first)
    assert old.tobytes() == before.tobytes(), function.symbol
    assert memory.tobytes() == expected.tobytes(), function.symbol


@pytest.mark.parametrize(
    ("symbol", "instruction"),
    [
        (
            "_Z10atomic_maxPU3AS1Vjj",
            'atomicrmw umax ptr addrspace(1) %a0, i32 %a1 syncscope("device") monotonic, align 4',
        ),
        (
            "_Z8atom_decPU3AS3Vl",
            'atomicrmw sub ptr addrspace(3) %a0, i64 1 syncscope("workgroup") monotonic, align 8',
        ),
        (
            "_Z11atomic_xchgPU3AS3Vff",
            'xchg ptr addrspace(3) %a0, float %a1 syncscope("workgroup") monotonic, align 4',
        ),
        (
            "_Z14atomic_cmpxchgPU3AS1Viii",
            'i32 %a1, i32 %a2 syncscope("device") monotonic monotonic, align 4',
        ),
        ("_Z9mem_fencej", 'fence syncscope("workgroup") acq_rel'),
        ("_Z14read_mem_fencej", 'fence syncscope("workgroup") acquire'),
        ("_Z15write_mem_fencej", 'fence syncscope("workgroup") release'),
        ("_Z17wait_group_eventsiP9ocl_event", "call spir_func void @_Z7barrierj(i32 3)"),
    ],
)
def test_orderings_and_scopes(symbol: str, instruction: str) -> None:
    assert instruction in definitions([symbol])


def test_a_prefetch_does_nothing() -> None:
    (body,) = re.findall(r"\{\n(.*?)\}", definitions(["_Z8prefetchPU3AS1Kim"]), re.DOTALL)
    assert body.split() == ["entry:", "ret", "void"]


SIZES = (3, 2, 2)

_QUERIES = """
@ids = global [3 x i64] zeroinitializer
define internal i64 @_Z12get_local_idj(i32 %d) {
  %p = getelementptr [3 x i64], ptr @ids, i32 0, i32 %d
  %r = load i64, ptr %p
  ret i64 %r
}
@sizes = global [3 x i64] [i64 3, i64 2, i64 2]
define internal i64 @_Z14get_local_sizej(i32 %d) {
  %p = getelementptr [3 x i64], ptr @sizes, i32 0, i32 %d
  %r = load i64, ptr %p
  ret i64 %r
}
define void @set(i64 %x, i64 %y, i64 %z) {
  store i64 %x, ptr @ids
  %p = getelementptr i64, ptr @ids, i64 1
  store i64 %y, ptr %p
  %q = getelementptr i64, ptr @ids, i64 2
  store i64 %z, ptr %q
  ret void
}
"""


def _copy(name: str, type_: Type, target: AddressSpace, source: AddressSpace) -> ResolvedBuiltin:
    pointers = [PointerType(QualType(type_, space)) for space in (target, source)]
    numbers = [SIZE_T] * (2 if "strided" in name else 1)
    found = resolve(name, [*pointers, *numbers, EVENT])
    assert isinstance(found, ResolvedBuiltin)
    return found


def _run_copy(
    builtin: ResolvedBuiltin, target: Array, source: Array, count: int, stride: int
) -> None:
    """All work-items of a block of 3 x 2 x 2, in turn."""
    text = host_text([builtin.symbol], ["_Z12get_local_idj", "_Z14get_local_sizej"])
    numbers = f"i64 {count}" + (f", i64 {stride}" if "strided" in builtin.name else "")
    text += f"""{_QUERIES}
define ptr @run(ptr %target, ptr %source, ptr %event) {{
  %r = call ptr @{builtin.symbol}(ptr %target, ptr %source, {numbers}, ptr %event)
  ret ptr %r
}}
"""
    with compiled(text) as address_of:
        run = ctypes.CFUNCTYPE(ctypes.c_void_p, *[ctypes.c_void_p] * 3)(address_of("run"))
        place = ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * 3)(address_of("set"))
        for x, y, z in np.ndindex(*SIZES):
            place(x, y, z)
            assert run(target.ctypes.data, source.ctypes.data, 77) == 77


GLOBAL, LOCAL = AddressSpace.GLOBAL, AddressSpace.LOCAL


@pytest.mark.parametrize("count", [0, 5, 12, 37])
@pytest.mark.parametrize("type_", [FLOAT, VectorType(FLOAT, 3), VectorType(FLOAT, 4)])
def test_a_block_copies_everything_once(type_: Type, count: int) -> None:
    builtin = _copy("async_work_group_copy", type_, LOCAL, GLOBAL)
    target, source = empty(type_, 40), _source(type_)
    _run_copy(builtin, target, source, count, 1)
    lanes = 3 if type_ == VectorType(FLOAT, 3) else source.shape[1]
    assert np.array_equal(target[:count, :lanes], source[:count, :lanes])
    assert not target[count:].any()


@pytest.mark.parametrize(("target_space", "source_space"), [(LOCAL, GLOBAL), (GLOBAL, LOCAL)])
def test_the_stride_is_that_of_global_memory(
    target_space: AddressSpace, source_space: AddressSpace
) -> None:
    builtin = _copy("async_work_group_strided_copy", FLOAT, target_space, source_space)
    target, source = empty(FLOAT, 40), _source(FLOAT)
    _run_copy(builtin, target, source, 13, 3)
    expected = empty(FLOAT, 40)
    if target_space is LOCAL:
        expected[:13] = source[:39:3]
    else:
        expected[:39:3] = source[:13]
    assert np.array_equal(target, expected)


def _source(type_: Type) -> Array:
    array = empty(type_, 40)
    array[:] = np.arange(1, array.size + 1).reshape(array.shape)
    return array
