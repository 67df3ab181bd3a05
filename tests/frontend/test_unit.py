"""The common end of all front ends: from IR text alone to a compiled unit."""

from __future__ import annotations

import pytest

from kcc.base.diagnostics import DiagnosticError
from kcc.frontend.ir.instructions import Call, Store
from kcc.frontend.kernel import CompiledUnit, Language
from kcc.frontend.options import OptLevel
from kcc.frontend.types import AddressSpace
from kcc.frontend.unit import link_builtins, unit_from_ir
from tests.frontend.compiling import of_class

AS_CLANG_WRITES = """
target triple = "spir64-unknown-unknown"
%struct.P = type { i32, float }

define dso_local spir_kernel void @k(ptr addrspace(1) noundef align 4 %0, i32 noundef %1) #0 \
!kernel_arg_addr_space !1 !kernel_arg_access_qual !2 !kernel_arg_type !3 !kernel_arg_type_qual !4 \
!kernel_arg_name !5 !reqd_work_group_size !6 {
  %3 = alloca i32, align 4
  call void @llvm.lifetime.start.p0(ptr %3) #4
  %4 = call spir_func i64 @_Z13get_global_idj(i32 noundef 0) #3
  %5 = trunc i64 %4 to i32
  %6 = call spir_func i32 @helper(i32 noundef %5, i32 noundef %1) #4
  store i32 %6, ptr %3, align 4
  %7 = load i32, ptr %3, align 4
  %8 = getelementptr inbounds i32, ptr addrspace(1) %0, i64 %4
  store i32 %7, ptr addrspace(1) %8, align 4
  call void @llvm.lifetime.end.p0(ptr %3) #4
  ret void
}

define dso_local spir_func i32 @helper(i32 noundef %0, i32 noundef %1) #1 {
  %3 = call spir_func i32 @_Z3maxii(i32 noundef %0, i32 noundef %1) #3
  ret i32 %3
}

declare spir_func i64 @_Z13get_global_idj(i32 noundef) #2
declare spir_func i32 @_Z3maxii(i32 noundef, i32 noundef) #2
declare void @llvm.lifetime.start.p0(ptr)
declare void @llvm.lifetime.end.p0(ptr)

attributes #0 = { convergent norecurse nounwind "uniform-work-group-size"="false" }
attributes #1 = { convergent norecurse nounwind }
attributes #2 = { convergent nounwind willreturn memory(none) }
attributes #3 = { convergent nounwind willreturn memory(none) }
attributes #4 = { convergent nounwind }

!1 = !{i32 1, i32 0}
!2 = !{!"none", !"none"}
!3 = !{!"uint*", !"int"}
!4 = !{!"restrict const", !""}
!5 = !{!"out", !"n"}
!6 = !{i32 64, i32 2, i32 1}
"""


def unit(text: str, level: OptLevel = OptLevel.O1) -> CompiledUnit:
    return unit_from_ir(
        text, name="k.cl", frontend="clang", language=Language.OPENCL, level=level, sources={}
    )


def test_kernels_are_described_by_their_metadata_alone() -> None:
    (found,) = unit(AS_CLANG_WRITES).kernels
    assert (found.name, found.symbol, found.language) == ("k", "k", Language.OPENCL)
    assert found.required_local_size == (64, 2, 1)
    out, n = found.arguments
    assert (out.name, out.type, out.address_space) == ("out", "uint*", AddressSpace.GLOBAL)
    assert out.qualifiers == ("restrict", "const")
    assert (n.name, n.type, n.address_space) == ("n", "int", AddressSpace.PRIVATE)


@pytest.mark.parametrize("level", [OptLevel.O1, OptLevel.O2])
def test_functions_of_any_front_end_go_into_the_kernels(level: OptLevel) -> None:
    found = unit(AS_CLANG_WRITES, level)
    assert list(found.module.functions) == ["k"]
    function = found.module.functions["k"]
    called = {call.callee for call in of_class(function, Call)}
    assert called == {"_Z13get_global_idj", "llvm.smax.i32"}
    assert len(of_class(function, Store)) == 1


def test_builtins_that_are_lowered_are_defined_and_primitives_stay_declared() -> None:
    linked = link_builtins(AS_CLANG_WRITES)
    assert "declare spir_func i64 @_Z13get_global_idj(" in linked
    assert "declare spir_func i32 @_Z3maxii(" not in linked
    assert "define internal spir_func i32 @_Z3maxii(" in linked
    assert link_builtins(linked) == linked


def test_a_kernel_without_metadata_has_numbers_for_names() -> None:
    (found,) = unit("define spir_kernel void @k(ptr addrspace(1) %0, i32 %n) { ret void }").kernels
    assert [(a.name, a.type) for a in found.arguments] == [
        ("0", "ptr addrspace(1)"), ("n", "i32"),
    ]  # fmt: skip
    assert found.span.file == "k.cl"
    assert found.span.line == 0


def test_a_module_without_kernels_gives_none() -> None:
    assert unit("define spir_func void @f() { ret void }").kernels == ()


def test_a_tower_of_calls_is_refused_before_it_is_inlined() -> None:
    floors = ["define spir_func i32 @f0(i32 %a) {\n  %r = add i32 %a, 1\n  ret i32 %r\n}"]
    floors += [
        f"define spir_func i32 @f{n}(i32 %a) {{\n  %x = call spir_func i32 @f{n - 1}(i32 %a)\n"
        f"  %y = call spir_func i32 @f{n - 1}(i32 %x)\n  ret i32 %y\n}}"
        for n in range(1, 30)
    ]
    call = "call spir_func i32 @f29(i32 %a)"
    kernel_ = f"define spir_kernel void @k(i32 %a) {{\n  {call}\n  ret void\n}}"
    with pytest.raises(DiagnosticError) as caught:
        unit("\n".join([*floors, kernel_]))
    (found,) = caught.value.diagnostics
    assert found.code == "K502"
    assert unit("\n".join([*floors[:10], kernel_.replace("f29", "f9")])).kernels
