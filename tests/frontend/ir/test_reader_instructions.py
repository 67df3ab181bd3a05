"""Every instruction and flag the reader knows, against LLVM's own object model and print."""

from __future__ import annotations

import llvmlite.binding as llvm
import pytest

from kcc.frontend.ir.instructions import (
    Alloca,
    AtomicRmw,
    Call,
    CompareExchange,
    CondBranch,
    GetElementPtr,
    IntCompare,
    Load,
    ShuffleVector,
    Store,
    Switch,
)
from kcc.frontend.ir.model import Function, users
from kcc.frontend.ir.opcodes import AtomicOperation, Flags, IntPredicate, Opcode, Ordering
from kcc.frontend.ir.reader.instructions import SHAPES
from kcc.frontend.ir.types import FLOAT, I32, ArrayTy, IntTy, PtrTy, StructTy
from kcc.frontend.ir.values import ArgumentRef, ConstantInt, GlobalRef, InstructionRef
from tests.frontend.ir.llvm_oracle import check_module, printed, read

EVERYTHING = """
%pair = type { i32, float }
@tile = internal addrspace(3) global [16 x float] undef, align 16
declare spir_func i64 @_Z13get_global_idj(i32) #0
declare spir_func i32 @printf(ptr addrspace(2), ...)
declare void @llvm.assume(i1)
declare void @llvm.memcpy.p0.p1.i64(ptr, ptr addrspace(1), i64, i1)
declare void @llvm.experimental.noalias.scope.decl(metadata)
define spir_kernel void @k(ptr addrspace(1) noalias %x, i32 %n, float %f, <4 x float> %v,
                           <4 x i32> %w, double %d, half %h, i64 %l, i1 %c, ptr %p, i8 %b) #1 {
entry:
  %0 = call spir_func i64 @_Z13get_global_idj(i32 0) #0
  %add = add nuw nsw i32 %n, 1
  %sub = sub nsw i32 %add, %n
  %mul = mul <4 x i32> %w, splat (i32 3)
  %udiv = udiv exact i32 %n, 4
  %sdiv = sdiv i32 %n, -4
  %urem = urem i64 %l, 10
  %srem = srem i64 %l, -10
  %shl = shl nuw i32 %n, 2
  %lshr = lshr exact i32 %n, 2
  %ashr = ashr i8 %b, 7
  %and = and <4 x i32> %w, <i32 1, i32 2, i32 3, i32 poison>
  %or = or disjoint i32 %n, 64
  %xor = xor i1 %c, true
  %fneg = fneg fast float %f
  %fadd = fadd reassoc nnan ninf nsz arcp contract float %f, 1.5
  %fsub = fsub afn half %h, 0xH3C00
  %fmul = fmul contract <4 x float> %v, splat (float 0x3FB99999A0000000)
  %fdiv = fdiv double 1.0, %d
  %frem = frem nnan ninf double %d, 0x7FF0000000000000
  %slt = icmp slt i32 %n, 10
  %ult = icmp samesign ult <4 x i32> %w, zeroinitializer
  %peq = icmp eq ptr %p, null
  %oeq = fcmp oeq float %f, 0.0
  %uno = fcmp fast uno <4 x float> %v, %fmul
  %trunc = trunc nuw nsw i64 %l to i32
  %zext = zext nneg i32 %n to i64
  %sext = sext <4 x i32> %w to <4 x i64>
  %fptrunc = fptrunc contract double %d to float
  %fpext = fpext half %h to double
  %fptoui = fptoui float %f to i8
  %fptosi = fptosi double %d to i64
  %uitofp = uitofp nneg i32 %n to float
  %sitofp = sitofp <4 x i32> %w to <4 x float>
  %ptrtoint = ptrtoint ptr %p to i64
  %ptrtoaddr = ptrtoaddr ptr %p to i64
  %inttoptr = inttoptr i64 %l to ptr addrspace(1)
  %bitcast = bitcast <4 x i32> %w to <2 x i64>
  %cast = addrspacecast ptr addrspace(1) %x to ptr addrspace(4)
  %ee = extractelement <4 x float> %v, i64 2
  %ie = insertelement <4 x float> poison, float %f, i32 %n
  %sv = shufflevector <4 x float> %v, <4 x float> %ie, <2 x i32> <i32 0, i32 5>
  %sz = shufflevector <4 x float> %v, <4 x float> poison, <4 x i32> zeroinitializer
  %sp = shufflevector <4 x float> %v, <4 x float> poison, <3 x i32> <i32 1, i32 poison, i32 0>
  %slot = alloca [4 x i32], align 8
  %many = alloca float, i32 %n, align 4
  %iv = insertvalue { i32, [2 x float] } undef, float %f, 1, 1
  %ev = extractvalue { i32, [2 x float] } %iv, 1, 1
  %g = getelementptr inbounds nuw float, ptr addrspace(1) %x, i64 %0
  %g2 = getelementptr inbounds [16 x float], ptr addrspace(3) @tile, i64 0, i64 %l
  %g3 = getelementptr nusw i8, ptr %p, i64 -4
  %ld = load float, ptr addrspace(1) %g, align 4
  %lv = load volatile <4 x float>, ptr addrspace(3) %g2, align 16
  %la = load atomic i32, ptr %slot syncscope("workgroup") acquire, align 4
  store float 1.0, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @tile, i64 8), align 4
  store volatile i32 %la, ptr %g3, align 2
  store atomic i32 7, ptr %slot release, align 4
  %rmw = atomicrmw volatile umax ptr addrspace(1) %x, i32 %n syncscope("device") monotonic, align 4
  %fmw = atomicrmw fadd ptr addrspace(1) %x, float 1.0 seq_cst, align 4
  %cx = cmpxchg weak ptr addrspace(1) %x, i32 0, i32 1 acq_rel monotonic, align 4
  fence syncscope("workgroup") seq_cst
  %sel = select fast i1 %c, float %f, float 2.0
  %fr = freeze i32 %n
  %printed = call spir_func i32 (ptr addrspace(2), ...) @printf(ptr addrspace(2) null, i32 %n)
  call void @llvm.assume(i1 true) [ "align"(ptr %p, i64 16) ]
  tail call void @llvm.memcpy.p0.p1.i64(ptr align 8 %slot, ptr addrspace(1) align 4 %x, i64 16,
                                        i1 false)
  call void @llvm.experimental.noalias.scope.decl(metadata !0)
  switch i32 %n, label %loop [
    i32 -1, label %done
    i32 2, label %other
    i32 3, label %other
  ]
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ], [ 1, %"a block" ]
  %next = add i32 %i, 1
  br i1 %c, label %loop, label %"a block"
"a block":
  br i1 %peq, label %loop, label %other
other:
  %fphi = phi nnan float [ %f, %entry ], [ %f, %entry ], [ %sel, %"a block" ]
  br label %done
done:
  ret void
dead:
  unreachable
}
attributes #0 = { convergent nounwind memory(none) }
attributes #1 = { nounwind "uniform-work-group-size"="true" }
!0 = !{!1}
!1 = distinct !{!1, !2}
!2 = distinct !{!2}
"""


@pytest.fixture(scope="module")
def kernel() -> Function:
    return check_module(printed(EVERYTHING)).functions["k"]


def named(kernel: Function, name: str):
    return next(i for i in kernel.instructions if i.name == name)


def test_everything_is_tried(kernel: Function):
    assert {i.opcode for i in kernel.instructions} == set(Opcode)
    assert set(SHAPES) == {o.word for o in Opcode}
    used = Flags.NONE
    for instruction in kernel.instructions:
        used |= instruction.flags
    assert all(flag in used for flag in Flags if flag is not Flags.NONE)


def test_flags(kernel: Function):
    assert named(kernel, "add").flags == Flags.NUW | Flags.NSW
    assert named(kernel, "fneg").flags == Flags.FAST
    assert named(kernel, "fadd").flags == Flags.FAST & ~Flags.AFN
    assert named(kernel, "g3").flags == Flags.NUSW


def test_operands_refer_to_their_definitions(kernel: Function):
    load = named(kernel, "ld")
    assert isinstance(load, Load)
    assert isinstance(load.pointer, InstructionRef)
    assert kernel.definition(load.pointer) is named(kernel, "g")
    assert isinstance(named(kernel, "g"), GetElementPtr)
    assert named(kernel, "g").operands[0] == ArgumentRef(PtrTy(1), 0, "x")
    assert named(kernel, "g2").operands[0] == GlobalRef(PtrTy(3), "tile")
    assert kernel.definition(named(kernel, "g").operands[0]) is None


def test_details_of_memory_instructions(kernel: Function):
    lv, la, slot, many = (named(kernel, n) for n in ("lv", "la", "slot", "many"))
    assert isinstance(lv, Load)
    assert isinstance(la, Load)
    assert (lv.volatile, lv.alignment_bytes, lv.ordering) == (True, 16, None)
    assert (la.ordering, la.scope) == (Ordering.ACQUIRE, "workgroup")
    assert isinstance(slot, Alloca)
    assert isinstance(many, Alloca)
    assert (slot.allocated_type, slot.alignment_bytes) == (ArrayTy(4, I32), 8)
    assert slot.count == ConstantInt(I32, 1)
    assert many.count == ArgumentRef(I32, 1, "n")
    stores = [i for i in kernel.instructions if isinstance(i, Store)]
    assert [(s.volatile, s.ordering) for s in stores] == [
        (False, None),
        (True, None),
        (False, Ordering.RELEASE),
    ]
    assert stores[0].value.type == FLOAT


def test_details_of_atomics(kernel: Function):
    rmw, cx = named(kernel, "rmw"), named(kernel, "cx")
    assert isinstance(rmw, AtomicRmw)
    assert isinstance(cx, CompareExchange)
    assert (rmw.operation, rmw.ordering, rmw.scope, rmw.volatile) == (
        AtomicOperation.UMAX,
        Ordering.MONOTONIC,
        "device",
        True,
    )
    assert cx.type == StructTy((I32, IntTy(1)))
    assert (cx.success, cx.failure, cx.weak) == (Ordering.ACQ_REL, Ordering.MONOTONIC, True)
    assert [str(o) for o in (cx.pointer, cx.expected, cx.new)] == ["%x", "0", "1"]


def test_details_of_vectors_and_comparisons(kernel: Function):
    sv, sp, sz = (named(kernel, n) for n in ("sv", "sp", "sz"))
    assert isinstance(sv, ShuffleVector)
    assert isinstance(sp, ShuffleVector)
    assert isinstance(sz, ShuffleVector)
    assert (sv.mask, sp.mask, sz.mask) == ((0, 5), (1, None, 0), (0, 0, 0, 0))
    ult = named(kernel, "ult")
    assert isinstance(ult, IntCompare)
    assert (ult.predicate, ult.flags) == (IntPredicate.ULT, Flags.SAMESIGN)
    assert str(ult.type) == "<4 x i1>"


def test_calls(kernel: Function):
    calls = [i for i in kernel.instructions if isinstance(i, Call)]
    assert [c.callee for c in calls] == [
        "_Z13get_global_idj",
        "printf",
        "llvm.assume",
        "llvm.memcpy.p0.p1.i64",
        "llvm.experimental.noalias.scope.decl",
    ]
    assert calls[0].convention == "spir_func"
    assert calls[0].attributes == {"convergent", "nounwind", "memory(none)"}
    assert len(calls[1].arguments) == 2
    assert [a.alignment_bytes for a in calls[3].argument_attributes] == [8, 4, None, None]


def test_control_flow(kernel: Function):
    labels = [b.label for b in kernel.blocks]
    assert labels == ["entry", "loop", "a block", "other", "done", "dead"]
    switch = kernel.entry.terminator
    assert isinstance(switch, Switch)
    assert (switch.default, switch.cases) == (1, ((-1, 4), (2, 3), (3, 3)))
    assert kernel.entry.successors == (1, 4, 3)
    assert [b.predecessors for b in kernel.blocks] == [(), (0, 1, 2), (1,), (0, 2), (0, 3), ()]
    branch = kernel.blocks[1].terminator
    assert isinstance(branch, CondBranch)
    assert (branch.then, branch.otherwise) == (1, 2)
    assert [p.name for p in kernel.blocks[3].phis] == ["fphi"]
    assert [p.incoming for p in kernel.blocks[3].phis] == [(0, 0, 2)]


def test_users(kernel: Function):
    found = users(kernel)
    g = named(kernel, "g")
    assert [u.name for u in found[g.index]] == ["ld"]
    assert found[named(kernel, "trunc").index] == []


def test_unnamed_values_and_blocks():
    module = read(
        """
        define spir_func i32 @f(i32 %0, i32 %x, i32) {
          %3 = add i32 %0, %1
          br label %4
        4:
          %5 = phi i32 [ %3, %2 ], [ %6, %4 ]
          %6 = mul i32 %5, %x
          %7 = icmp eq i32 %6, 0
          br i1 %7, label %4, label %8
        8:
          ret i32 %6
        }
        """
    )
    function = module.functions["f"]
    assert [a.name for a in function.arguments] == ["0", "x", "1"]
    assert [b.label for b in function.blocks] == ["2", "4", "8"]
    phi = next(function.blocks[1].phis)
    assert phi.incoming == (0, 1)
    assert str(phi) == "%5 = phi i32 [ %3, #0 ], [ %6, #1 ]"


def test_a_use_may_stand_before_its_definition():
    module = check_module(
        printed(
            """
            define spir_func i32 @f(i32 %x) {
            entry:
              br label %second
            first:
              %use = add i32 %definition, 1
              ret i32 %use
            second:
              %definition = mul i32 %x, 3
              br label %first
            }
            """
        )
    )
    function = module.functions["f"]
    assert function.instructions[1].operands[0] == InstructionRef(I32, 3, "definition")


@pytest.mark.parametrize("level", [1, 2, 3])
def test_after_optimisation(level: int):
    module = printed(EVERYTHING)
    options = llvm.create_pipeline_tuning_options(speed_level=level)
    builder = llvm.create_pass_builder(None, options)
    builder.getModulePassManager().run(module, builder)
    assert len(check_module(module).functions["k"].blocks) > 1
