from __future__ import annotations

import re

import pytest

from kcc.frontend.builtins.primitives import PRIMITIVES, PrimitiveClass, primitives
from kcc.frontend.ir.instructions import AnyInstruction
from kcc.frontend.ir.opcodes import Opcode
from kcc.passes.mix.classify import classify, primitive_class
from kcc.passes.mix.instruction_classes import (
    INTRINSIC_CLASSES,
    OPCODE_CLASSES,
    PRIMITIVE_CLASSES,
    InstructionClass,
)
from tests.frontend.ir.llvm_oracle import read

ARGUMENTS = (
    "i32 %i, i64 %l, i1 %c, float %f, double %d, half %h, <4 x float> %v, <4 x i32> %w, "
    "<2 x i64> %m, ptr %p, ptr addrspace(1) %g, ptr addrspace(2) %k, ptr addrspace(3) %s, "
    "ptr addrspace(4) %x, { i32, float } %a"
)


def instruction(line: str, declarations: str = "") -> AnyInstruction:
    """The instruction as the reader gives it."""
    result = "" if line.startswith(("store", "fence")) or " void @" in line else "%r = "
    module = read(
        f"{declarations}\ndefine void @f({ARGUMENTS}) {{\n  {result}{line}\n  ret void\n}}\n"
    )
    return module.functions["f"].instructions[0]


def counted(line: str, declarations: str = "") -> list[tuple[str, int]]:
    return [(kind.value, count) for kind, count in classify(instruction(line, declarations))]


@pytest.mark.parametrize(
    ("line", "kind", "count"),
    [
        ("add i32 %i, 1", "int", 1),
        ("sub i64 %l, 1", "int64", 1),
        ("add <4 x i32> %w, %w", "int", 4),
        ("add <2 x i64> %m, %m", "int64", 2),
        ("mul i32 %i, %i", "int_mul", 1),
        ("mul i64 %l, %l", "int64_mul", 1),
        ("udiv i32 %i, %i", "int_div", 1),
        ("srem i64 %l, %l", "int_div", 1),
        ("shl i32 %i, 2", "logic", 1),
        ("ashr i64 %l, 2", "int64", 1),
        ("xor i1 %c, true", "logic", 1),
        ("fadd float %f, %f", "fp32", 1),
        ("fneg double %d", "fp64", 1),
        ("fmul half %h, %h", "fp16", 1),
        ("fsub <4 x float> %v, %v", "fp32", 4),
        ("fdiv float %f, %f", "fp_div", 1),
        ("frem double %d, %d", "fp_div", 1),
        ("icmp slt i64 %l, 0", "compare", 1),
        ("fcmp olt <4 x float> %v, %v", "compare", 4),
        ("select i1 %c, <4 x float> %v, <4 x float> zeroinitializer", "select", 4),
        ("sext i32 %i to i64", "move", 1),
        ("bitcast <4 x i32> %w to <2 x i64>", "move", 2),
        ("sitofp i32 %i to float", "convert", 1),
        ("fptrunc double %d to half", "convert", 1),
        ("sitofp <4 x i32> %w to <4 x float>", "convert", 4),
        ("extractelement <4 x float> %v, i32 1", "move", 1),
        ("insertelement <4 x float> %v, float %f, i32 1", "move", 1),
        ("shufflevector <4 x float> %v, <4 x float> %v, <2 x i32> <i32 1, i32 0>", "move", 2),
        ("extractvalue { i32, float } %a, 1", "move", 1),
        ("freeze i32 %i", "move", 1),
        ("getelementptr float, ptr addrspace(1) %g, i64 %l", "address", 1),
        ("load <4 x float>, ptr addrspace(1) %g", "load_global", 1),
        ("load float, ptr addrspace(2) %k", "load_constant", 1),
        ("load float, ptr addrspace(3) %s", "load_local", 1),
        ("load float, ptr %p", "load_private", 1),
        ("load float, ptr addrspace(4) %x", "load_generic", 1),
        ("store float %f, ptr addrspace(1) %g", "store_global", 1),
        ("store float %f, ptr addrspace(3) %s", "store_local", 1),
        ("store float %f, ptr %p", "store_private", 1),
        ("store float %f, ptr addrspace(4) %x", "store_generic", 1),
        ("atomicrmw add ptr addrspace(1) %g, i32 1 monotonic", "atomic_global", 1),
        ("cmpxchg ptr addrspace(3) %s, i32 0, i32 1 monotonic monotonic", "atomic_local", 1),
        ("atomicrmw add ptr addrspace(4) %x, i32 1 monotonic", "atomic_generic", 1),
        ("fence seq_cst", "fence", 1),
    ],
)
def test_instruction(line: str, kind: str, count: int):
    assert counted(line) == [(kind, count)]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("call float @llvm.fma.f32(float %f, float %f, float %f)", [("fp32", 1)]),
        ("call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v, <4 x float> %v, <4 x float> %v)",
         [("fp32", 4)]),
        ("call double @llvm.minnum.f64(double %d, double %d)", [("fp64", 1)]),
        ("call float @llvm.sqrt.f32(float %f)", [("special", 1)]),
        ("call float @llvm.floor.f32(float %f)", [("convert", 1)]),
        ("call float @llvm.pow.f32(float %f, float %f)", [("math", 1)]),
        ("call i32 @llvm.smax.i32(i32 %i, i32 0)", [("int", 1)]),
        ("call i64 @llvm.umin.i64(i64 %l, i64 0)", [("int64", 1)]),
        ("call i32 @llvm.ctpop.i32(i32 %i)", [("logic", 1)]),
        ("call i32 @llvm.vector.reduce.add.v4i32(<4 x i32> %w)", [("int", 4)]),
        ("call void @llvm.memcpy.p0.p1.i64(ptr %p, ptr addrspace(1) %g, i64 %l, i1 false)",
         [("load_global", 1), ("store_private", 1)]),
        ("call void @llvm.memset.p3.i64(ptr addrspace(3) %s, i8 0, i64 %l, i1 false)",
         [("store_local", 1)]),
        ("call void @llvm.assume(i1 %c)", []),
        ("call i32 @llvm.read_register.i32(metadata !0)", [("call", 1)]),
    ],
)  # fmt: skip
def test_intrinsic(line: str, expected: list[tuple[str, int]]):
    found = re.match(r"call (.*?) @(.*?)\((.*)\)", line)
    assert found
    types = re.sub(r" (%\w+|!?\d+|false)(?=,|$)", "", found[3])
    declare = f'declare {found[1]} @{found[2]}({types})\n!0 = !{{!"sp"}}'
    assert counted(line, declare) == expected


def test_every_primitive_has_a_class():
    assert set(PRIMITIVE_CLASSES) == set(PrimitiveClass)
    for builtin in primitives():
        expected = PRIMITIVE_CLASSES[PRIMITIVES[builtin.name].primitive_class]
        assert primitive_class(builtin.symbol) is expected


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("call spir_func i64 @_Z13get_global_idj(i32 0)", "work_item"),
        ("call spir_func float @_Z3sinf(float %f)", "math"),
        ("call spir_func float @_Z10native_sinf(float %f)", "special"),
        ("call spir_func void @_Z7barrierj(i32 1)", "barrier"),
    ],
)
def test_primitive(line: str, kind: str):
    found = re.match(r"call (.*\()(\w+)", line)
    assert found
    assert counted(line, f"declare {found[1]}{found[2]})") == [(kind, 1)]


def test_an_image_is_read_once_for_four_values():
    name = "_Z11read_imagef14ocl_image2d_ro11ocl_samplerDv2_i"
    declare = f"declare <4 x float> @{name}(ptr addrspace(1), ptr addrspace(2), <2 x i32>)"
    call = f"call <4 x float> @{name}(ptr addrspace(1) %g, ptr addrspace(2) %k, <2 x i32> poison)"
    assert counted(call, declare) == [("image", 1)]


def test_a_call_of_an_unknown_function():
    assert counted("call i32 @g()", "declare i32 @g()") == [("call", 1)]


def test_every_opcode_is_in_a_table_or_makes_no_code():
    by_operand = {Opcode.LOAD, Opcode.STORE, Opcode.ATOMICRMW, Opcode.CMPXCHG, Opcode.CALL}
    no_code = {Opcode.ALLOCA, Opcode.UNREACHABLE}
    assert set(OPCODE_CLASSES) == set(Opcode) - by_operand - no_code


def test_every_class_is_used():
    used = set(OPCODE_CLASSES.values()) | set(INTRINSIC_CLASSES.values())
    used |= set(PRIMITIVE_CLASSES.values())
    rest = {kind for kind in InstructionClass if kind not in used}
    assert all(kind.value.startswith(("load", "store", "atomic", "int64", "fp")) for kind in rest)
