"""LLVM IR as a source: text and bitcode, of the dialect and of NVPTX."""

from __future__ import annotations

import llvmlite.binding as llvm
import pytest

from kcc.base.diagnostics import DiagnosticError
from kcc.frontend import compile_source
from kcc.frontend.clang.llvm_ir import text_of_bitcode
from kcc.frontend.kernel import CompiledUnit, Language
from kcc.frontend.options import BuildOptions, SourceText

SPIR = """target triple = "spir64-unknown-unknown"
declare spir_func i64 @_Z13get_global_idj(i32)
define spir_kernel void @k(ptr addrspace(1) %a, i32 %n) {
  %1 = call spir_func i64 @_Z13get_global_idj(i32 0)
  %2 = getelementptr float, ptr addrspace(1) %a, i64 %1
  store float 1.0, ptr addrspace(1) %2
  ret void
}
"""

NVPTX = """target triple = "nvptx64-nvidia-cuda"
@tile = internal addrspace(3) global [32 x float] undef, align 4
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
declare void @llvm.nvvm.barrier0()
declare float @llvm.nvvm.fmax.f(float, float)
define ptx_kernel void @k(ptr noundef %0, i32 noundef %1) {
  %3 = alloca [4 x float], align 4
  %4 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %5 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %6 = add i32 %4, %5
  %7 = sext i32 %6 to i64
  %8 = getelementptr float, ptr %0, i64 %7
  %9 = load float, ptr %8
  %10 = getelementptr [32 x float], ptr addrspacecast (ptr addrspace(3) @tile to ptr), i64 0, i64 %7
  store float %9, ptr %10
  %11 = getelementptr [4 x float], ptr %3, i64 0, i64 %7
  store float %9, ptr %11
  call void @llvm.nvvm.barrier0()
  %12 = load float, ptr %11
  %13 = call float @llvm.nvvm.fmax.f(float %9, float %12)
  store float %13, ptr %8
  ret void
}
"""


def compiled(text: str) -> CompiledUnit:
    return compile_source(SourceText("k.ll", text, "."), BuildOptions())


def test_the_dialect_itself():
    unit = compiled(SPIR)
    (kernel,) = unit.kernels
    assert (unit.language, unit.frontend) == (Language.LLVM, "llvm")
    assert [(a.name, a.address_space.name) for a in kernel.arguments] == [
        ("a", "GLOBAL"),
        ("n", "PRIVATE"),
    ]


def test_nvptx():
    """Ids, barrier and math become the dialect's; spaces are inferred."""
    unit = compiled(NVPTX)
    (kernel,) = unit.kernels
    assert kernel.arguments[0].address_space.name == "GLOBAL"
    for symbol in ("_Z12get_local_idj(i32 0)", "_Z12get_group_idj(i32 1)", "_Z7barrierj(i32 3)"):
        assert symbol in unit.ir
    assert "llvm.maxnum.f32" in unit.ir
    assert "nvvm" not in unit.ir
    assert "addrspace(4)" not in unit.ir
    assert "store float %v9, ptr addrspace(3)" in unit.ir


def test_bitcode():
    with llvm.create_context() as context, llvm.parse_assembly(SPIR, context) as module:
        data = module.as_bitcode()
    unit = compiled(text_of_bitcode(data, "k.bc"))
    assert [k.name for k in unit.kernels] == ["k"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("define nonsense", "K241"),
        ('target triple = "spir64-unknown-unknown"\n', "K003"),
        (SPIR.replace("_Z13get_global_idj", "elsewhere"), "K415"),
    ],
)
def test_refused(text: str, code: str):
    with pytest.raises(DiagnosticError) as caught:
        compiled(text)
    assert caught.value.diagnostics[0].code == code


def test_bad_bitcode():
    with pytest.raises(DiagnosticError) as caught:
        text_of_bitcode(b"BC nothing", "k.bc")
    assert caught.value.diagnostics[0].code == "K241"
