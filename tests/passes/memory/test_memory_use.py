from __future__ import annotations

from kcc.passes.memory.memory_use import LocalArray, MemoryUse
from kcc.passes.unknown import Unknown
from tests.frontend.ir.llvm_oracle import printed
from tests.passes.kernels import facts_of


def use(text: str) -> MemoryUse:
    _, facts = facts_of(str(printed(text)))
    return facts[MemoryUse]


def test_local_arrays_are_laid_out_with_padding():
    found = use(
        """
        @k.flag = internal addrspace(3) global i8 undef, align 1
        @other.big = internal addrspace(3) global [999 x i32] undef, align 4
        @k.tile = internal addrspace(3) global [4 x [4 x float]] undef, align 16
        @k.last = internal addrspace(3) global i16 undef, align 2
        define spir_kernel void @k(ptr addrspace(1) %p, ptr addrspace(3) %dynamic) {
          store i8 1, ptr addrspace(3) @k.flag
          store float 1.0, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @k.tile, i64 8)
          store i16 1, ptr addrspace(3) @k.last
          ret void
        }
        define spir_kernel void @other() {
          store i32 1, ptr addrspace(3) @other.big
          ret void
        }
        """
    )
    assert found.local_arrays == (
        LocalArray("flag", "k.flag", 1, 1, 0),
        LocalArray("tile", "k.tile", 64, 16, 16),
        LocalArray("last", "k.last", 2, 2, 80),
    )
    assert found.local_bytes == 82
    assert found.dynamic_locals == ("dynamic",)
    assert found.private_bytes == 0


def test_local_arrays_of_called_functions():
    found = use(
        """
        @h.x = internal addrspace(3) global [8 x i32] undef, align 4
        define spir_kernel void @k() {
          call spir_func void @h()
          ret void
        }
        define internal spir_func void @h() {
          store i32 1, ptr addrspace(3) @h.x
          call spir_func void @h()
          ret void
        }
        """
    )
    assert found.local_bytes == 32


def test_private_variables():
    found = use(
        """
        define spir_kernel void @k() {
          %c.var = alloca i8, align 1
          %v = alloca [2 x <3 x float>], align 16
          ret void
        }
        """
    )
    assert [(a.name, a.size_bytes) for a in found.private_arrays] == [("c", 1), ("v", 32)]
    assert found.private_bytes == 48


def test_private_variables_of_unknown_size():
    found = use("define spir_kernel void @k(i32 %n) { %v = alloca i32, i32 %n ret void }")
    assert found.private_bytes == Unknown("the number of elements varies")
