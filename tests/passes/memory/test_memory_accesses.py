from __future__ import annotations

import pytest

from kcc.frontend.types import AddressSpace
from kcc.passes.memory.arrays import Array, ArrayKind
from kcc.passes.memory.memory_accesses import AccessOp, MemoryAccess, MemoryAccesses
from kcc.passes.unknown import Unknown
from tests.frontend.ir.llvm_oracle import printed
from tests.passes.kernels import facts_of

HEAD = """
@k.tile = internal addrspace(3) global [64 x float] undef, align 4
@table = internal addrspace(2) constant [4 x float] zeroinitializer, align 4
declare ptr addrspace(1) @somewhere()
declare void @escape(ptr)
declare void @llvm.memcpy.p0.p1.i64(ptr, ptr addrspace(1), i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(3) %dynamic,
    i64 %n, i1 %c, ptr byval({ i32, i32 }) align 4 %params, { ptr addrspace(1) } %s) {
entry:
"""


def accesses(*lines: str) -> tuple[MemoryAccess, ...]:
    body = "\n".join(f"  {line}" for line in lines)
    _, facts = facts_of(str(printed(f"{HEAD}{body}\n  ret void\n}}\n")))
    return facts[MemoryAccesses].accesses


def test_what_an_access_is():
    (load, store, atomic, exchange) = accesses(
        "%p = getelementptr inbounds float, ptr addrspace(1) %a, i64 %n",
        "%v = load volatile <3 x float>, ptr addrspace(1) %p",
        "store i64 %n, ptr addrspace(1) %b",
        "%o = atomicrmw add ptr addrspace(3) %dynamic, i32 1 monotonic",
        "%x = cmpxchg ptr addrspace(1) %b, i64 0, i64 1 monotonic monotonic",
    )
    a = Array("a", ArrayKind.ARGUMENT, 0, AddressSpace.GLOBAL)
    b = Array("b", ArrayKind.ARGUMENT, 1, AddressSpace.GLOBAL)
    assert (load.id, load.op, load.array, load.space) == (0, AccessOp.LOAD, a, AddressSpace.GLOBAL)
    assert (load.element_bytes, load.volatile, load.instruction) == (12, True, 1)
    assert (store.id, store.op, store.array, store.element_bytes) == (1, AccessOp.STORE, b, 8)
    assert (atomic.op, atomic.space, atomic.element_bytes) == (
        AccessOp.ATOMIC,
        AddressSpace.LOCAL,
        4,
    )
    assert (exchange.op, exchange.array, exchange.element_bytes) == (AccessOp.ATOMIC, b, 8)
    assert str(load.pointer) == "%p"


@pytest.mark.parametrize(
    ("lines", "name", "kind", "space"),
    [
        (
            ["%p = getelementptr [64 x float], ptr addrspace(3) @k.tile, i64 0, i64 %n",
             "%v = load float, ptr addrspace(3) %p"],
            "tile", ArrayKind.GLOBAL, AddressSpace.LOCAL,
        ),
        (
            ["%v = load i8, ptr addrspace(2) getelementptr (i8, ptr addrspace(2) @table, i64 4)"],
            "table", ArrayKind.GLOBAL, AddressSpace.CONSTANT,
        ),
        (
            ["%x.var = alloca [8 x i32]", "%p = getelementptr [8 x i32], ptr %x.var, i64 0, i64 %n",
             "%v = load i32, ptr %p"],
            "x", ArrayKind.PRIVATE, AddressSpace.PRIVATE,
        ),
        (
            ["%g = addrspacecast ptr addrspace(3) %dynamic to ptr addrspace(4)",
             "%v = load i32, ptr addrspace(4) %g"],
            "dynamic", ArrayKind.ARGUMENT, AddressSpace.LOCAL,
        ),
        (
            ["%q = getelementptr i8, ptr addrspace(1) %a, i64 64",
             "%p = select i1 %c, ptr addrspace(1) %q, ptr addrspace(1) %a",
             "%f = freeze ptr addrspace(1) %p",
             "%v = load i32, ptr addrspace(1) %f"],
            "a", ArrayKind.ARGUMENT, AddressSpace.GLOBAL,
        ),
        (
            ["%v = load i32, ptr %params"],
            "params", ArrayKind.ARGUMENT, AddressSpace.PRIVATE,
        ),
        (
            ["br label %loop", "loop:",
             "%p = phi ptr addrspace(1) [ %b, %entry ], [ %q, %loop ]",
             "%q = getelementptr i8, ptr addrspace(1) %p, i64 4",
             "%v = load i32, ptr addrspace(1) %q",
             "br i1 %c, label %loop, label %end", "end:"],
            "b", ArrayKind.ARGUMENT, AddressSpace.GLOBAL,
        ),
    ],
)  # fmt: skip
def test_the_array_is_found(lines: list[str], name: str, kind: ArrayKind, space: AddressSpace):
    access = accesses(*lines)[-1]
    assert isinstance(access.array, Array)
    assert (access.array.name, access.array.kind, access.array.space) == (name, kind, space)
    assert access.space == space


def test_a_pointer_kept_in_a_variable():
    """As at O0: the argument is stored in a variable, and loaded for each access."""
    *_, last = accesses(
        "%p.addr = alloca ptr addrspace(1)",
        "store ptr addrspace(1) %a, ptr %p.addr",
        "%p = load ptr addrspace(1), ptr %p.addr",
        "%v = load float, ptr addrspace(1) %p",
    )
    assert isinstance(last.array, Array)
    assert last.array.name == "a"


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        (
            ["%p = select i1 %c, ptr addrspace(1) %a, ptr addrspace(1) %b",
             "%v = load i32, ptr addrspace(1) %p"],
            "one of a, b",
        ),
        (
            ["%p = load ptr addrspace(1), ptr addrspace(1) %a",
             "%v = load i32, ptr addrspace(1) %p"],
            "the pointer is loaded from memory",
        ),
        (
            ["%x = alloca ptr addrspace(1)", "store ptr addrspace(1) %a, ptr %x",
             "call void @escape(ptr %x)", "%p = load ptr addrspace(1), ptr %x",
             "%v = load i32, ptr addrspace(1) %p"],
            "the pointer is loaded from memory",
        ),
        (
            ["%p = inttoptr i64 %n to ptr addrspace(1)", "%v = load i32, ptr addrspace(1) %p"],
            "the pointer is made from an integer",
        ),
        (
            ["%p = call ptr addrspace(1) @somewhere()", "%v = load i32, ptr addrspace(1) %p"],
            "the pointer is what somewhere returns",
        ),
        (
            ["%p = extractvalue { ptr addrspace(1) } %s, 0", "%v = load i32, ptr addrspace(1) %p"],
            "the pointer comes out of a structure",
        ),
        (["%v = load i32, ptr addrspace(1) null"], "the pointer is null"),
    ],
)  # fmt: skip
def test_the_array_is_not_known(lines: list[str], reason: str):
    assert accesses(*lines)[-1].array == Unknown(reason)


def test_block_moves():
    load, store, cleared = accesses(
        "%x = alloca [8 x i32]",
        "call void @llvm.memcpy.p0.p1.i64(ptr %x, ptr addrspace(1) %a, i64 32, i1 false)",
        "call void @llvm.memset.p0.i64(ptr %x, i8 0, i64 %n, i1 false)",
    )
    assert [(t.op.value, t.element_bytes) for t in (load, store)] == [("load", 32), ("store", 32)]
    assert cleared.element_bytes == Unknown("the length varies")
    assert (load.space, store.space) == (AddressSpace.GLOBAL, AddressSpace.PRIVATE)


def test_what_cannot_be_reached_is_left_out():
    assert not accesses("ret void", "dead:", "%v = load i32, ptr addrspace(1) %a")
