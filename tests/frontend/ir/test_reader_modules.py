"""Globals, declarations, function headers and metadata."""

from __future__ import annotations

from kcc.frontend.ir.instructions import Branch, CondBranch, DebugLocation
from kcc.frontend.ir.model import Linkage
from kcc.frontend.ir.types import FLOAT, I32, I64, ArrayTy, PtrTy, StructTy, VecTy
from tests.frontend.ir.llvm_oracle import read


def test_target_and_kernels():
    module = read(
        """
        target datalayout = "e-i64:64-n8:16:32:64-G1"
        target triple = "spir64-unknown-unknown"
        define spir_kernel void @a() { ret void }
        define internal spir_func i32 @b() { ret i32 0 }
        define void @c() { ret void }
        define ptx_kernel void @d() { ret void }
        """
    )
    assert module.triple == "spir64-unknown-unknown"
    assert module.data_layout == "e-i64:64-n8:16:32:64-G1"
    assert [f.name for f in module.kernels] == ["a", "d"]
    assert [f.convention for f in module.functions.values()] == [
        "spir_kernel", "spir_func", "", "ptx_kernel",
    ]  # fmt: skip
    assert module.functions["b"].linkage is Linkage.INTERNAL
    assert module.functions["b"].result == I32


def test_globals():
    module = read(
        """
        $kept = comdat any
        @tile = internal unnamed_addr addrspace(3) global [4 x float] undef, align 32
        @table = private addrspace(2) constant [2 x i32] [i32 1, i32 2], section "x", align 4
        @other = external dso_local addrspace(1) global i32, align 4
        @kept = linkonce_odr global i64 7, comdat
        """
    )
    tile, table, other, kept = module.globals.values()
    assert (tile.type, tile.space, tile.constant, tile.alignment_bytes) == (
        ArrayTy(4, FLOAT), 3, False, 32,
    )  # fmt: skip
    assert (table.space, table.constant, table.linkage) == (2, True, Linkage.INTERNAL)
    assert (other.initialiser, other.linkage) == (None, Linkage.EXTERNAL)
    assert (kept.alignment_bytes, kept.linkage) == (8, Linkage.EXTERNAL)


def test_arguments_and_their_attributes():
    module = read(
        """
        %particle = type { <4 x float>, i32 }
        define spir_kernel void @k(ptr addrspace(1) noalias noundef readonly align 16 captures(none)
                %in, ptr byval(%particle) align 16 %p, i32 range(i32 0, 10) %n,
                target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0) %image,
                target("spirv.Sampler") %sampler) #0 {
          ret void
        }
        attributes #0 = { nounwind memory(argmem: readwrite) "uniform-work-group-size"="true" }
        """
    )
    kernel = module.functions["k"]
    in_, p, n, image, sampler = kernel.arguments
    assert in_.attributes.words == {
        "noalias", "noundef", "readonly", "align 16", "captures(none)",
    }  # fmt: skip
    assert in_.attributes.alignment_bytes == 16
    assert p.attributes.byval == StructTy((VecTy(4, FLOAT), I32))
    assert n.attributes.words == {"range(i32 0, 10)"}
    assert (image.type, sampler.type) == (PtrTy(1), PtrTy(2))
    assert kernel.attributes == {
        "nounwind", "memory(argmem: readwrite)", '"uniform-work-group-size"="true"',
    }  # fmt: skip


def test_declarations():
    module = read(
        """
        declare spir_func float @_Z3madfff(float noundef, float, float) #0
        declare i32 @printf(ptr addrspace(2), ...)
        attributes #0 = { convergent memory(none) }
        """
    )
    mad, printf = module.declarations.values()
    assert (mad.name, mad.result, mad.parameters) == ("_Z3madfff", FLOAT, (FLOAT,) * 3)
    assert mad.attributes == {"convergent", "memory(none)"}
    assert mad.parameter_attributes[0].words == {"noundef"}
    assert (printf.variadic, printf.parameters) == (True, (PtrTy(2),))
    assert not mad.variadic


WITH_DEBUG = """
define spir_kernel void @k(i32 %n) !dbg !4 !kernel_arg_name !20 !kernel_arg_addr_space !21
    !reqd_work_group_size !22 !vec_type_hint !23 {
entry:
  %a = add i32 %n, 1, !dbg !8
  %b = add i32 %a, 1
  %c = add i32 %b, 1, !dbg !10
  %d = add i32 %c, 1, !dbg !12
  br label %loop, !dbg !8
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add i32 %i, 1
  %done = icmp eq i32 %next, %n
  br i1 %done, label %second, label %loop, !dbg !8, !llvm.loop !13, !prof !30
second:
  br i1 %done, label %second, label %third, !llvm.loop !16
third:
  br label %third, !llvm.loop !18
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!3}
!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, producer: "x, y: \\22z\\22",
     emissionKind: FullDebug)
!1 = !DIFile(filename: "k.cl", directory: "/src")
!2 = !DIFile(filename: "in\\5Cc.h", directory: "/src")
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = distinct !DISubprogram(name: "kernel", linkageName: "k", scope: !1, file: !1, line: 3,
     type: !5, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !6)
!6 = !{null}
!7 = distinct !DILexicalBlock(scope: !4, file: !1, line: 4, column: 5)
!8 = !DILocation(line: 5, column: 9, scope: !7)
!9 = distinct !DISubprogram(name: "helper", scope: !2, file: !2, line: 1, type: !5, unit: !0,
     spFlags: DISPFlagDefinition)
!10 = !DILocation(line: 2, scope: !11, inlinedAt: !8)
!11 = !DILexicalBlockFile(scope: !9, file: !2, discriminator: 0)
!12 = !DILocation(line: 0, scope: !4)
!13 = distinct !{!13, !14, !15, !19, !{!"llvm.loop.mustprogress"}}
!14 = !DILocation(line: 6, column: 1, scope: !4)
!15 = !DILocation(line: 9, column: 2, scope: !4)
!16 = distinct !{!16, !17}
!17 = !{!"llvm.loop.unroll.disable"}
!18 = distinct !{!18, !14}
!19 = !{!"llvm.loop.unroll.count", i32 4}
!20 = !{!"n"}
!21 = !{i32 0}
!22 = !{i32 16, i32 8, i32 1}
!23 = !{<4 x float> undef, i32 1}
!30 = !{!"branch_weights", i32 1, i32 99}
"""


def test_debug_locations():
    kernel = read(WITH_DEBUG).functions["k"]
    a, b, c, d = kernel.instructions[:4]
    assert a.location == DebugLocation("k.cl", 5, 9, "kernel", None)
    assert str(a.location) == "k.cl:5:9"
    assert b.location is None
    assert c.location == DebugLocation("in\\c.h", 2, 0, "helper", a.location)
    assert (str(c.location), c.line) == ("in\\c.h:2", 2)
    assert d.location is None, "line 0 is no place"
    assert kernel.location == DebugLocation("k.cl", 3, 0, "kernel", None)
    assert kernel.source_name == "kernel"


def test_kernel_metadata():
    kernel = read(WITH_DEBUG).functions["k"]
    assert kernel.metadata == {
        "kernel_arg_name": ("n",),
        "kernel_arg_addr_space": (0,),
        "reqd_work_group_size": (16, 8, 1),
        "vec_type_hint": (VecTy(4, FLOAT), 1),
    }
    assert kernel.required_local_size == (16, 8, 1)


def test_loop_marks():
    kernel = read(WITH_DEBUG).functions["k"]
    first, second, third = (b.terminator for b in kernel.blocks[1:])
    assert isinstance(first, CondBranch)
    assert first.loop
    assert (str(first.loop.start), str(first.loop.end)) == ("k.cl:6:1", "k.cl:9:2")
    assert first.loop.unroll == 4
    assert isinstance(second, CondBranch)
    assert second.loop
    assert (second.loop.start, second.loop.unroll) == (None, 1)
    assert isinstance(third, Branch)
    assert third.loop
    assert (str(third.loop.start), third.loop.end, third.loop.unroll) == ("k.cl:6:1", None, None)


def test_debug_records_and_comments_are_left_out():
    module = read(
        """
        define spir_func i64 @f(i32 %n) !dbg !4 {
            #dbg_value(i32 %n, !7, !DIExpression(), !8)
          ; a comment, with ] and "
          %a = sext i32 %n to i64, !dbg !8
          ret i64 %a
        }
        !llvm.dbg.cu = !{!0}
        !llvm.module.flags = !{!3}
        !0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: FullDebug)
        !1 = !DIFile(filename: "k.cl", directory: "")
        !3 = !{i32 2, !"Debug Info Version", i32 3}
        !4 = distinct !DISubprogram(name: "f", scope: !1, file: !1, line: 3, type: !5, unit: !0,
             spFlags: DISPFlagDefinition)
        !5 = !DISubroutineType(types: !6)
        !6 = !{null}
        !7 = !DILocalVariable(name: "n", scope: !4, file: !1, line: 3)
        !8 = !DILocation(line: 4, column: 2, scope: !4)
        """
    )
    function = module.functions["f"]
    assert [i.opcode.word for i in function.instructions] == ["sext", "ret"]
    assert function.instructions[0].type == I64
