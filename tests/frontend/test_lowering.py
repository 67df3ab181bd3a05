"""What lowering writes, beyond values: flags, types, metadata, places in the source."""

from __future__ import annotations

from pathlib import Path

import pytest

from kcc.frontend import compile_source
from kcc.frontend.ir.instructions import Alloca, Binary, Call, Load, Select, Store
from kcc.frontend.ir.opcodes import Opcode
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.frontend.types import AddressSpace
from tests.frontend.compiling import compiled, kernel, of_class, texts

EVERYTHING = """
struct P { int x; float f; };
float helper(float v, int i) { if (i > 3) return v * 2; return v + i; }
__constant float table[4] = {1, 2, 3, 4};
__kernel void k(__global float* a, __local int* l, int n, struct P p, __global struct P* q) {
  __local float tile[16];
  int i = get_global_id(0);
  float4 v = (float4)(a[i], 1, 2, p.f);
  for (int j = 0; j < n; j++) { v.xy += helper(v.z, j) * table[j & 3]; tile[j & 15] = v.x; }
  barrier(CLK_LOCAL_MEM_FENCE);
  switch (n) { case 1: v = v.wzyx; break; default: v /= 2; }
  q[i] = p;
  l[0] = n > 0 && v.x > 0 ? (int)v.y : n++;
  vstore4(v, i, a);
}
"""


def test_every_instruction_has_a_place() -> None:
    unit = compiled(EVERYTHING)
    for name in ("k", "helper"):
        function = unit.module.functions[name]
        for instruction in function.instructions:
            if isinstance(instruction, Alloca):
                continue
            assert instruction.location is not None, instruction
            assert instruction.location.line > 0, instruction


@pytest.mark.parametrize("level", [OptLevel.O1, OptLevel.O2])
def test_memory_accesses_keep_their_line(level: OptLevel) -> None:
    source = "__kernel void k(__global int* a, int n) {\n int x = a[n];\n\n a[0] = x; }"
    function = compiled(source, level).module.functions["k"]
    (load,), (store,) = of_class(function, Load), of_class(function, Store)
    assert str(load.location) == "k.cl:2:10"
    assert str(store.location) == "k.cl:4:7"


def test_text_of_an_include_keeps_its_file(tmp_path: Path) -> None:
    (tmp_path / "body.h").write_text("\na[1] = n;\n", encoding="utf-8")
    text = '__kernel void k(__global int* a, int n) {\n a[0] = 1;\n#include "body.h"\n}'
    unit = compile_source(
        SourceText("k.cl", text, str(tmp_path)), BuildOptions(opt_level=OptLevel.O1)
    )
    places = [s.location for s in of_class(unit.module.functions["k"], Store)]
    assert [(Path(p.file).name, p.line) for p in places if p] == [("k.cl", 2), ("body.h", 2)]
    assert {p.function for p in places if p} == {"k"}


def test_overflow_of_signed_arithmetic_is_undefined_and_of_other_kinds_is_not() -> None:
    unit = compiled(
        "__kernel void k(__global int* a, uint u, char c, int4 v, long l) {"
        "int i = a[0]; a[1] = i + i; a[2] = i - 1; a[3] = i * i; a[4] = u + u; c++; a[5] = c;"
        "v = v + v; a[6] = v.x; a[7] = l * l; i++; a[8] = -i; a[9] = i << 1; }"
    )
    assert len(texts(unit, "add nsw i32")) == 2
    assert len(texts(unit, "sub nsw i32")) == 2
    assert len(texts(unit, "mul nsw i32")) == 1
    assert len(texts(unit, "mul nsw i64")) == 1
    assert len(texts(unit, "= add i32")) == 1
    assert len(texts(unit, "= add i8")) == 1
    assert len(texts(unit, "= add <4 x i32>")) == 1
    assert len(texts(unit, "= shl i32")) == 1


def test_shift_counts_are_masked() -> None:
    unit = compiled(
        "__kernel void k(__global long* a, int n, long2 v) "
        "{ a[0] = n << n; a[1] = a[1] >> n; a[2] = n << 35; v = v << v; a[3] = v.x; }"
    )
    assert len(texts(unit, "and i32", ", 31")) == 1
    assert len(texts(unit, "and i64", ", 63")) == 1
    assert len(texts(unit, "and <2 x i64>", "splat (i64 63)")) == 1
    assert len(texts(unit, "shl i32", ", 3")) == 1


FUSIBLE = [
    "a * b + c", "c + a * b", "a * b - c", "c - a * b", "-(a * b) + c", "c += a * b",
    "c -= a * b", "a * b + a * c",
]  # fmt: skip
SEPARATE = ["(double)(a * b) + c", "a / b + c", "(t = a * b) + c", "(int)a * (int)b + c"]


def fused(expression: str, pragma: str = "") -> int:
    unit = compiled(
        f"{pragma}\n__kernel void k(__global float* o, float a, float b, float c) "
        f"{{ float t = 0; o[0] = ({expression}); o[1] = t; }}"
    )
    return len(texts(unit, "call float @llvm.fmuladd.f32"))


@pytest.mark.parametrize("expression", FUSIBLE)
def test_products_of_one_expression_are_fused_unless_a_pragma_says_no(expression: str) -> None:
    assert fused(expression) == 1
    assert fused(expression, "#pragma OPENCL FP_CONTRACT OFF") == 0


@pytest.mark.parametrize("expression", SEPARATE)
def test_other_products_are_not_fused(expression: str) -> None:
    assert fused(expression) == 0


def test_a_contraction_pragma_in_a_function_ends_with_it() -> None:
    unit = compiled(
        "float f(float a, float b) {\n#pragma OPENCL FP_CONTRACT OFF\n return a * b + 1; }\n"
        "__kernel void k(__global float* o, float a) { o[0] = f(a, a); o[1] = a * a + 2; }"
    )
    assert len(texts(unit, "llvm.fmuladd.f32(")) == 2  # a call and the declaration


def test_fast_math_options_become_flags() -> None:
    body = "o[0] = a / 3 + a * a; o[1] = -a; o[2] = a < 1;"
    source = f"__kernel void k(__global float* o, float a) {{ {body} }}"
    fast = compiled(source, options=BuildOptions(opt_level=OptLevel.O0, fast_relaxed_math=True))
    assert texts(fast, "fdiv fast")
    assert texts(fast, "call fast float @llvm.fmuladd.f32")
    assert texts(fast, "fneg fast")
    assert texts(fast, "fcmp fast olt")
    mad = compiled(source, options=BuildOptions(opt_level=OptLevel.O0, mad_enable=True))
    assert texts(mad, "fdiv contract")
    assert not texts(compiled(source), "fdiv contract")


def test_locals_and_constants_are_globals_of_their_space() -> None:
    unit = compiled(EVERYTHING)
    tile, table = unit.module.globals["k.tile"], unit.module.globals["table"]
    assert (tile.space, tile.constant, str(tile.type)) == (3, False, "[16 x float]")
    assert (table.space, table.constant, str(table.type)) == (2, True, "[4 x float]")


def test_arguments_are_described() -> None:
    unit = compiled(
        "typedef float real; typedef struct { int v; } Row;\n"
        "__kernel __attribute__((reqd_work_group_size(8, 4, 1)))\n"
        "void k(__global const real* restrict a, __local int* l, __constant Row* c, uint4 v,\n"
        "       read_only image2d_t i, write_only image2d_t w, sampler_t s,\n"
        "       volatile __global uint* u, Row r) { }",
        OptLevel.O1,
    )
    (found,) = unit.kernels
    assert found.required_local_size == (8, 4, 1)
    assert (found.name, found.symbol, found.span.line) == ("k", "k", 3)
    space = AddressSpace
    assert [(a.name, a.type, a.address_space, a.access, a.qualifiers) for a in found.arguments] == [
        ("a", "real*", space.GLOBAL, "none", ("restrict", "const")),
        ("l", "int*", space.LOCAL, "none", ()),
        ("c", "Row*", space.CONSTANT, "none", ("const",)),
        ("v", "uint4", space.PRIVATE, "none", ()),
        ("i", "image2d_t", space.GLOBAL, "read_only", ()),
        ("w", "image2d_t", space.GLOBAL, "write_only", ()),
        ("s", "sampler_t", space.PRIVATE, "none", ()),
        ("u", "uint*", space.GLOBAL, "none", ("volatile",)),
        ("r", "Row", space.PRIVATE, "none", ()),
    ]


def test_a_record_reaches_a_kernel_by_copy() -> None:
    unit = compiled("struct P { int x; char c; }; __kernel void k(struct P p, __global int* a) "
                    "{ p.x++; a[0] = p.x + p.c; }")  # fmt: skip
    assert texts(unit, "define", "ptr byval({ i32, i8 }) align 4 %p")


def test_records_are_loaded_and_stored_by_part() -> None:
    unit = compiled(
        "struct P { int x; float v[2]; char c; }; struct P make(int i) "
        "{ struct P p = {i}; return p; } __kernel void k(__global struct P* a, int n) "
        "{ a[0] = make(n); a[1] = a[0]; }",
        OptLevel.O1,
    )
    assert not texts(unit, "load {")
    assert not texts(unit, "store {")
    assert not texts(unit, "insertvalue")
    stores = of_class(unit.module.functions["k"], Store)
    assert len(stores) == 8


def test_large_aggregates_are_copied_by_an_intrinsic() -> None:
    unit = compiled(
        "struct B { int v[500]; }; __kernel void k(__global struct B* a) { a[0] = a[1]; "
        "int z[300] = {1, 0, 2}; a[0].v[0] = z[a[1].v[0]]; }"
    )
    assert texts(unit, "call void @llvm.memcpy.p1.p1.i64", "i64 2000")
    assert texts(unit, "call void @llvm.memset.p0.i64", "i64 1200")
    assert len(texts(unit, "store i32 1, ptr %z")) == 1
    assert not texts(unit, "store i32 0, ptr")


def test_a_lane_in_memory_is_accessed_alone_and_a_private_one_with_its_vector() -> None:
    function = kernel("a[0].y = a[1].z; a[2].xw = a[3].xy;", OptLevel.O1, "__global int4* a")
    assert [str(load.type) for load in of_class(function, Load)] == ["i32", "<4 x i32>"]
    assert [s.alignment_bytes for s in of_class(function, Store)] == [4, 16, 4]
    private = kernel("int4 v = a[0]; v.y = 3; a[1] = v;", OptLevel.O1, "__global int4* a")
    assert [str(load.type) for load in of_class(private, Load)] == ["<4 x i32>"]


def test_packed_members_are_not_assumed_aligned() -> None:
    function = kernel(
        "struct __attribute__((packed)) P { char c; int i; }; __global struct P* p = "
        "(__global struct P*)a; p[n].i = p[m].c;"
    )
    assert of_class(function, Store)[-1].alignment_bytes == 1


def test_names_that_the_builder_uses_can_be_used_by_the_source() -> None:
    unit = compiled(
        "__kernel void k(__global int* entry, int v0, int s1, int v1) "
        "{ int v2 = v0 + s1; entry[v2] = v1; }"
    )
    assert [a.name for a in unit.kernels[0].arguments] == ["entry", "v0", "s1", "v1"]


def test_a_kernel_may_call_a_kernel() -> None:
    unit = compiled(
        "struct P { int x; }; __kernel void g(__global int* a, struct P p) { __local int t[4]; "
        "t[0] = p.x; a[1] = t[0]; } __kernel void k(__global int* a) { struct P p = {3}; "
        "g(a, p); a[0] = 1; }",
        OptLevel.O1,
    )
    assert [found.name for found in unit.kernels] == ["g", "k"]
    assert not of_class(unit.module.functions["k"], Call)
    assert len(of_class(unit.module.functions["k"], Store)) == 3


def test_falling_off_the_end_of_a_function_gives_zero() -> None:
    unit = compiled(
        "int f(int n) { if (n > 1) return 5; } "
        "__kernel void k(__global int* a, int n) { a[0] = f(n); }",
        OptLevel.O1,
    )
    assert texts(unit, "phi i32", "[ 5,", "[ 0,")


def test_simple_choices_are_selects() -> None:
    function = kernel("int x = n > m ? n : -m; a[0] = x;")
    (select,) = of_class(function, Select)
    assert str(select.location).startswith("k.cl:1:")


def test_truth_values_are_operated_on_as_such() -> None:
    source = (
        "bool v = n > m, w = m > 3; bool b = v & w, c = v | w, d = v ^ true, e = v ? w : false; "
        "a[0] = b; a[1] = c; a[2] = d; a[3] = e; bool other = (n & m) & v; a[4] = other;"
    )
    unit = compiled(f"__kernel void k(__global int* a, int n, int m) {{ {source} }}")
    for operation in (" and i1", " or i1", " xor i1", " select i1"):
        assert len(texts(unit, operation)) == 1, operation
    assert len(texts(unit, " and i32")) == 2


def test_pointer_arithmetic_counts_in_elements_and_stays_inbounds() -> None:
    unit = compiled(
        "struct P { int x[3]; }; __kernel void k(__global struct P* p, int n, uint u) "
        "{ p[n].x[u] = (p + u) - (p - n); }"
    )
    assert len(texts(unit, "getelementptr inbounds [12 x i8], ptr addrspace(1)")) == 3
    assert len(texts(unit, "getelementptr inbounds i32, ptr addrspace(1)")) == 1
    assert texts(unit, "sext i32")
    assert texts(unit, "zext i32")
    assert texts(unit, "sdiv exact i64", ", 12")


def test_bool_is_one_bit_in_registers_and_a_byte_in_memory() -> None:
    unit = compiled(
        "bool f(bool b) { return !b; } __kernel void k(__global char* a, int n) "
        "{ bool b = n; b = f(b); a[0] = b; }"
    )
    assert texts(unit, "define internal spir_func i1 @f(i1 %b)")
    assert texts(unit, "alloca i8", "%b")
    assert texts(unit, "store i8")


def test_floating_point_to_integer_saturates() -> None:
    unit = compiled("__kernel void k(__global int* a, float f) { a[0] = f; a[1] = (uchar)f; }")
    assert texts(unit, "call i32 @llvm.fptosi.sat.i32.f32")
    assert texts(unit, "call i8 @llvm.fptoui.sat.i8.f32")


def test_samplers_are_made_where_they_are_used() -> None:
    unit = compiled(
        "__constant sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_FILTER_NEAREST; "
        "__kernel void k(read_only image2d_t i, __global float4* a) "
        "{ a[0] = read_imagef(i, s, (int2)(1, 2)); }"
    )
    calls = of_class(unit.module.functions["k"], Call)
    assert "__translate_sampler_initializer" in {call.callee for call in calls}


def test_volatile_accesses_stay() -> None:
    function = kernel("volatile __global int* p = a; p[0]; p[1] = p[1];", OptLevel.O1)
    assert [load.volatile for load in of_class(function, Load)] == [True, True]
    assert [store.volatile for store in of_class(function, Store)] == [True]


def test_restrict_arguments_do_not_alias() -> None:
    unit = compiled("__kernel void k(__global int* restrict a, __global int* b) { a[0] = b[0]; }")
    assert texts(unit, "ptr addrspace(1) noalias %a, ptr addrspace(1) %b")


def test_the_remainder_of_a_division_is_one_instruction() -> None:
    function = kernel("a[0] = n % m; a[1] = (uint)n / 3u;")
    assert [b.opcode for b in of_class(function, Binary)] == [Opcode.SREM, Opcode.UDIV]


def loads_of(body: str, parameters: str) -> int:
    function = kernel(body, OptLevel.O1, parameters)
    return len(of_class(function, Load))


def test_objects_of_different_types_do_not_alias() -> None:
    body = "b[0] = a[0]; b[1] = a[0];"
    assert loads_of(body, "__global int* a, __global float* b") == 1
    assert loads_of(body, "__global int* a, __global int* b") == 2
    assert loads_of(body, "__global int* a, __global uint* b") == 2
    assert loads_of(body, "__global int* a, __global char* b") == 2
    assert loads_of("b[0].x = a[0]; b[1].x = a[0];", "__global int* a, __global float4* b") == 2


def test_members_of_unions_alias_everything() -> None:
    body = "KIND U { int i; float f; }; __global KIND U* u = (__global KIND U*)b; "
    body += "int x = u[n].i; u[m].f = 2; a[0] = x + u[n].i;"
    parameters = "__global int* a, __global float* b, int n, int m"
    assert loads_of(body.replace("KIND", "union"), parameters) == 2
    assert loads_of(body.replace("KIND", "struct"), parameters) == 1
