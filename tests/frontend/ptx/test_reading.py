"""PTX in: a whole kernel, lines, arguments, messages with line and column."""

from __future__ import annotations

import re

import numpy as np
import pytest

from kcc.base.diagnostics import DiagnosticError
from kcc.frontend.ir.instructions import Load
from kcc.frontend.kernel import Language
from kcc.frontend.options import OptLevel
from tests.frontend.ptx.running import run, unit_of

VECADD = """\
.version 8.5
.target sm_80
.address_size 64
.visible .entry _Z6vecaddPKfS0_Pfi(
    .param .u64 a, .param .u64 b, .param .u64 .ptr .global .align 4 c, .param .u32 n)
.reqntid 64
{
    .reg .pred %p<2>;
    .reg .b32 %r<9>;
    .reg .b64 %rd<9>;
    ld.param.u64 %rd1, [a];
    ld.param.u64 %rd2, [b];
    ld.param.u64 %rd3, [c];
    ld.param.u32 %r1, [n];
    .loc 1 3 5
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.s32 %r4, %r2, 64, %r3;
    setp.ge.s32 %p1, %r4, %r1;
    @%p1 bra $done;
    .loc 1 4 9
    mul.wide.s32 %rd4, %r4, 4;
    add.s64 %rd5, %rd1, %rd4;
    add.s64 %rd6, %rd2, %rd4;
    add.s64 %rd7, %rd3, %rd4;
    ld.global.b32 %r5, [%rd5];
    ld.global.b32 %r6, [%rd6];
    add.f32 %r7, %r5, %r6;
    st.global.b32 [%rd7], %r7;
$done:
    ret;
}
.file 1 "vecadd.cu"
"""


@pytest.mark.parametrize("level", OptLevel)
def test_a_kernel_runs_at_every_level(level: OptLevel) -> None:
    a, b, c = (np.arange(100, dtype=np.float32) * k for k in (1, 3, 0))
    result = run(VECADD, [a, b, c, np.int32(99)], 64, 2, level)[2]
    assert list(result.view(np.float32)) == [*(4.0 * np.arange(99)), 0.0]


def test_what_a_unit_says() -> None:
    unit = unit_of(VECADD, OptLevel.O1)
    (kernel,) = unit.kernels
    assert (unit.language, unit.frontend) == (Language.PTX, "ptx")
    assert (kernel.name, kernel.symbol) == ("vecadd", "_Z6vecaddPKfS0_Pfi")
    assert [(a.name, a.type) for a in kernel.arguments] == [
        ("a", "float*"), ("b", "float*"), ("c", "float*"), ("n", "uint"),
    ]  # fmt: skip
    assert kernel.required_local_size == (64, 1, 1)
    loads = [i for i in kernel.function.instructions if i.opcode.word == "load"]
    assert {(i.location.file, i.location.line) for i in loads if i.location} == {("vecadd.cu", 4)}
    assert all(str(i.type) == "float" for i in loads)
    assert not any(i.opcode.word == "inttoptr" for i in kernel.function.instructions)


@pytest.mark.parametrize(
    ("header", "line"),
    [("/usr/local/cuda-12.4/targets/x86_64-linux/include/crt/mma.hpp", ("vecadd.cu", 4)),
     ("/site-packages/nvidia/cuda_runtime/include/cuda_pipeline_helpers.h", ("vecadd.cu", 4)),
     ("/home/me/include/loads.cuh", ("/home/me/include/loads.cuh", 8))],
)  # fmt: skip
def test_what_a_toolkit_has_inlined_counts_to_the_line_that_called_it(
    header: str, line: tuple[str, int]
) -> None:
    at = "    .loc 1 4 9\n    .loc 2 7 1, function_name $L__i0, inlined_at 1 4 9\n"
    at += "    .loc 2 8 3, function_name $L__i1, inlined_at 2 7 1\n"
    text = VECADD.replace("    .loc 1 4 9\n", at, 1) + f'.file 2 "{header}"\n'
    (kernel,) = unit_of(text, OptLevel.O1).kernels
    loads = [i for i in kernel.function.instructions if i.opcode.word == "load"]
    assert {(i.location.file, i.location.line) for i in loads if i.location} == {line}


@pytest.mark.parametrize(
    ("old", "new", "code", "at"),
    [
        ("add.f32 %r7, %r5, %r6;", "add.f32 %r7, %r5 %r6;", "K430", "%r6;"),
        ("add.f32", "tcgen05.mma", "K431", "tcgen05"),
        ("add.f32 %r7, %r5, %r6;", "add.f32 %r7, %r5;", "K430", "add.f32"),
        ("%ctaid.x", "%nothing", "K430", "mov.u32 %r2"),
        ("$done:", "$other:", "K430", "bra $done"),
        (".target sm_80", ".target sm_80 ?", "K430", "?"),
        ("    ret;\n}\n", "    ret;\n", "K430", ""),
        ("mov.u32 %r2, %ctaid.x;", "mov.u32 %r2, \\;", "K430", "\\"),
    ],
)
def test_messages_name_line_and_column(old: str, new: str, code: str, at: str) -> None:
    text = VECADD.replace(old, new, 1)
    with pytest.raises(DiagnosticError) as caught:
        unit_of(text)
    first = caught.value.diagnostics[0]
    place = text.index(at) if at else len(text)
    line = text.count("\n", 0, place) + 1
    column = place - (text.rfind("\n", 0, place) + 1) + 1
    assert first.code == code
    assert first.span is not None
    assert (first.span.line, first.span.column) == (line, column)


def test_a_vector_stays_one_access() -> None:
    """LLVM would make four loads of one element each of it."""
    text = """.visible .entry k(.param .u64 p) { .reg .b64 %p; .reg .f32 %f<5>; .reg .pred %q;
    .reg .b32 %i; ld.param.u64 %p, [p]; mov.u32 %i, %tid.x; mad.wide.u32 %p, %i, 16, %p;
    setp.lt.u32 %q, %i, 9; mov.f32 %f0, 0f00000000; mov.f32 %f1, %f0; mov.f32 %f2, %f0;
    mov.f32 %f3, %f0; @%q ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%p];
    add.f32 %f0, %f0, %f1; add.f32 %f2, %f2, %f3; add.f32 %f0, %f0, %f2;
    st.global.f32 [%p], %f0; ret; }"""
    loads = [line for line in unit_of(text).ir.split("\n") if " = load " in line]
    assert len(loads) == 1
    assert "load <4 x float>" in loads[0]


def test_a_variable_may_hold_the_address_of_another() -> None:
    text = """.version 8.4
    .target sm_80
    .address_size 64
    .global .align 4 .b8 words[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    .global .align 8 .u64 place = generic(words);
    .visible .entry k(.param .u64 p) { .reg .b64 %p; .reg .b32 %w; ld.param.u64 %p, [p];
    ld.global.u32 %w, [words+4]; st.global.u32 [%p], %w; ret; }"""
    assert [k.name for k in unit_of(text).kernels] == ["k"]


def test_read_only_loads_without_an_offset_are_those_of_ldg() -> None:
    """CUDA's __ldg is assembly, whose address nothing is taken apart from; what a compiler makes
    such a load by itself has its offset beside the register."""
    text = VECADD.replace("ld.global.b32 %r5, [%rd5]", "ld.global.nc.b32 %r5, [%rd5]")
    text = text.replace("ld.global.b32 %r6, [%rd6]", "ld.global.nc.b32 %r6, [%rd6+4]")
    (kernel,) = unit_of(text, OptLevel.O2).kernels
    loads = [each for each in kernel.function.instructions if isinstance(each, Load)]
    assert [each.nontemporal for each in loads] == [True, False]


@pytest.mark.parametrize(
    ("mangled", "name"),
    [("_ZZ4gemmILi64ELi32EEvPK6__halfE4tile", "tile"), ("_ZZ4gemmPfE4tile_1", "tile"),
     ("tile_16", "tile_16")],
)  # fmt: skip
def test_an_array_of_shared_memory_has_the_name_of_the_source(mangled: str, name: str) -> None:
    text = f"""
.visible .entry gemm(.param .u64 a) {{
    .reg .b32 %r<4>;
    .reg .b64 %rd<3>;
    .shared .align 4 .b8 {mangled}[256];
    mov.u32 %r1, %tid.x;
    shl.b32 %r2, %r1, 2;
    mov.u32 %r3, {mangled};
    add.s32 %r3, %r3, %r2;
    st.shared.u32 [%r3], %r1;
    bar.sync 0;
    ld.shared.u32 %r1, [{mangled}];
    ld.param.u64 %rd1, [a];
    st.global.u32 [%rd1], %r1;
    ret;
}}
"""
    unit = unit_of(text)
    shared = re.findall(r"^@([\w.]+) = [^\n]*addrspace\(3\)", unit.ir, re.MULTILINE)
    assert shared == [f"gemm.{name}"]
