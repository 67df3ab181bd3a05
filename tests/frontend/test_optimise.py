"""Optimisation levels: what each keeps and what each does."""

from __future__ import annotations

from pathlib import Path

import pytest

from kcc.base.diagnostics import InternalError
from kcc.frontend import compile_source
from kcc.frontend.ir.instructions import (
    Alloca,
    AnyInstruction,
    Call,
    CondBranch,
    GetElementPtr,
    Load,
    Phi,
    Select,
    Store,
    Switch,
)
from kcc.frontend.ir.model import Function, Module
from kcc.frontend.ir.types import TRIPLE, VecTy
from kcc.frontend.kernel import CompiledUnit
from kcc.frontend.optimise import optimise
from kcc.frontend.options import BuildOptions, OptLevel
from kcc.frontend.source_file import read_source
from tests.frontend.compiling import compiled, kernel, of_class, shape, texts

KERNELS = Path(__file__).parents[2] / "kernels"


def sources() -> list[Path]:
    return sorted(KERNELS.glob("*/*.cl"))


def built(path: Path, level: OptLevel) -> CompiledUnit:
    return compile_source(read_source(path), BuildOptions(opt_level=level))


def test_o0_is_what_was_lowered() -> None:
    function = kernel("for (int i = 0; i < n; i++) a[i] = m;")
    assert len(of_class(function, Alloca)) == 4
    assert not of_class(function, Phi)


def test_o1_gives_ssa_form_and_keeps_the_test_at_the_head_of_a_loop() -> None:
    function = kernel("for (int i = 0; i < n; i++) a[i] = m;", OptLevel.O1)
    assert not of_class(function, Alloca)
    assert [phi.name for phi in of_class(function, Phi)] == ["i.0"]
    assert shape(function) == {
        "entry": ["for.cond"],
        "for.cond": ["for.body", "return"],
        "for.body": ["for.cond"],
        "return": [],
    }


def test_o1_does_not_unroll() -> None:
    function = kernel("for (int i = 0; i < 4; i++) a[i] = m;", OptLevel.O1)
    assert len(of_class(function, Store)) == 1


def test_o1_keeps_a_branch_around_an_assignment() -> None:
    function = kernel("int y = m; if (n > 3) y = 1; a[0] = y;", OptLevel.O1)
    assert shape(function)["entry"] == ["if.then", "if.end"]
    assert not of_class(function, Select)


def test_o1_keeps_two_branches_for_an_and() -> None:
    function = kernel("if (n > 3 && m > 4) a[0] = 1; if (n < 0 || m < 0) a[1] = 2;", OptLevel.O1)
    assert len(of_class(function, CondBranch)) == 4


def test_o1_joins_no_code_of_two_branches() -> None:
    function = kernel("if (n > 3) a[m] = 1; else a[m] = 2; if (m) a[0] = n; else a[0] = n;",
                      OptLevel.O1)  # fmt: skip
    assert len(of_class(function, Store)) == 4
    assert len(of_class(function, CondBranch)) == 2


def test_o1_keeps_a_switch() -> None:
    function = kernel(
        "int x; switch (n) { case 0: x = 3; break; case 1: x = 7; break; case 2: x = 1; break; "
        "default: x = 9; } a[0] = x;",
        OptLevel.O1,
    )
    assert len(of_class(function, Switch)) == 1


def test_o1_folds_constants_through_branches() -> None:
    function = kernel(
        "int w = 16; if (w > 32) a[0] = n; int s = 0; if (w * 2 == 32) s = 5; a[1] = s + w;",
        OptLevel.O1,
    )
    assert list(shape(function).values()) == [[]]
    (store,) = of_class(function, Store)
    assert str(store.value) == "21"


def test_o1_inlines_everything_and_drops_what_is_not_called() -> None:
    unit = compiled(
        "int unused(int a) { return a; } int f(int a) { if (a > 2) return 1; return a * 2; } "
        "int g(int a) { return f(a) + f(a + 1); } "
        "__kernel void k(__global int* a, int n) { a[0] = g(n); }",
        OptLevel.O1,
    )
    assert list(unit.module.functions) == ["k"]
    function = unit.module.functions["k"]
    assert not of_class(function, Call)
    assert len(of_class(function, CondBranch)) == 2


def test_o1_computes_a_common_expression_once() -> None:
    unit = compiled(
        "__kernel void k(__global int* a, int n) { a[get_global_id(0)] = n; "
        "a[get_global_id(0) + n] = 2; a[get_global_id(0) + n + 1] = 3; }",
        OptLevel.O1,
    )
    assert len(of_class(unit.module.functions["k"], Call)) == 1


def test_o1_drops_private_memory_that_is_never_read() -> None:
    function = kernel("int t[4]; t[2] = m; t[1] = 2; a[0] = n;", OptLevel.O1)
    assert not of_class(function, Alloca)
    assert len(of_class(function, Store)) == 1


def inlined(module: Module, function: Function, class_: type[AnyInstruction]) -> int:
    """How many instructions of a class there are with every call replaced by its body."""
    called = [module.functions.get(call.callee) for call in of_class(function, Call)]
    below = sum(inlined(module, callee, class_) for callee in called if callee)
    return below + len(of_class(function, class_))


@pytest.mark.parametrize("path", sources(), ids=lambda path: path.stem)
def test_o1_adds_no_branch_or_select_to_our_kernels(path: Path) -> None:
    lowered, optimised = built(path, OptLevel.O0), built(path, OptLevel.O1)
    for before, after in zip(lowered.kernels, optimised.kernels, strict=True):
        for class_ in (CondBranch, Select, Switch, Store):
            kept = len(of_class(after.function, class_))
            assert kept <= inlined(lowered.module, before.function, class_), class_


LOOPS = """__kernel void k(__global float* a, int n, __global const float* restrict b) {
  float s = 0;
  PRAGMA
  for (int i = 0; i < COUNT; i++) s += b[i * n];
  a[0] = s;
}
"""


def loads(pragma: str, number: str) -> int:
    text = LOOPS.replace("PRAGMA", pragma).replace("COUNT", number)
    return len(of_class(compiled(text, OptLevel.O2).module.functions["k"], Load))


def test_o2_unrolls_small_loops_and_as_pragmas_say() -> None:
    assert loads("", "8") == 8
    assert loads("#pragma unroll 1", "8") == 1
    assert loads("#pragma unroll", "64") == 64
    assert loads("#pragma unroll 4", "1024") == 4


def test_o2_makes_no_vectors_and_keeps_address_spaces() -> None:
    unit = compiled(
        "__kernel void k(__global float* a, __global const float* restrict b, int n) {"
        " __local float t[64]; int i = get_local_id(0); t[i] = b[i]; barrier(1);"
        " for (int j = 0; j < 64; j++) a[j] = t[j] * 2; a[i * 4] = t[0]; a[i * 4 + 1] = t[1];"
        " a[i * 4 + 2] = t[2]; a[i * 4 + 3] = t[3]; }",
        OptLevel.O2,
    )
    function = unit.module.functions["k"]
    assert not [i for i in function.instructions if isinstance(i.type, VecTy)]
    spaces = {str(i.pointer.type) for i in [*of_class(function, Load), *of_class(function, Store)]}
    assert spaces == {"ptr addrspace(1)", "ptr addrspace(3)"}
    assert unit.module.triple == TRIPLE


def test_o2_selects_instead_of_branching() -> None:
    function = kernel("int y = m; if (n > 3) y = n * 2; a[0] = y;", OptLevel.O2)
    assert not of_class(function, CondBranch)
    assert len(of_class(function, Select)) == 1


def test_o2_keeps_generic_pointers_apart_from_constant_memory() -> None:
    text = """
target triple = "spir64-unknown-unknown"
define spir_kernel void @k(ptr addrspace(4) %p, ptr addrspace(1) %q) {
  %a = load i32, ptr addrspace(4) %p
  store i32 7, ptr addrspace(1) %q
  %b = load i32, ptr addrspace(4) %p
  %s = add i32 %a, %b
  store i32 %s, ptr addrspace(1) %q
  ret void
}
"""
    found = optimise(text, OptLevel.O2).text
    assert found.count("load i32, ptr addrspace(4)") == 2


@pytest.mark.parametrize("level", OptLevel)
def test_equal_sources_give_equal_text(level: OptLevel) -> None:
    path = KERNELS / "lud" / "lud.cl"
    first = built(path, level).ir
    built(KERNELS / "hotspot" / "hotspot.cl", level)
    assert built(path, level).ir == first


@pytest.mark.parametrize("level", OptLevel)
def test_no_trace_is_left_of_how_it_was_done(level: OptLevel) -> None:
    assert "optforfuzzing" not in compiled("__kernel void k() { }", level).ir


def test_marks_of_scope_are_dropped() -> None:
    unit = optimise(
        """
declare void @llvm.lifetime.start.p0(ptr)
define spir_kernel void @k(ptr addrspace(1) %p) {
  %a = alloca [4 x i32]
  call void @llvm.lifetime.start.p0(ptr %a)
  store i32 1, ptr addrspace(1) %p
  ret void
}
""",
        OptLevel.O1,
    )
    assert "lifetime" not in unit.text


def test_constants_read_as_bytes_are_folded() -> None:
    unit = compiled(
        "union U { float f; uchar b[4]; int2 v; }; __kernel void k(__global int* a) "
        "{ union U u; u.f = 1.0f; a[0] = u.b[2]; u.v.y = 9; a[1] = u.v.y + u.b[3]; }",
        OptLevel.O1,
    )
    stored = [str(s.value) for s in of_class(unit.module.functions["k"], Store)]
    assert stored == ["128", "72"]


NOT_DOMINATED = """define void @f(i1 %c) {
  br i1 %c, label %a, label %b
a:
  %x = add i32 1, 2
  br label %b
b:
  %y = add i32 %x, 1
  ret void
}"""

NO_PLACE = """define void @f() !dbg !3 {
  call void @f()
  ret void
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!5}
!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1)
!1 = !DIFile(filename: "a", directory: "")
!2 = !DISubroutineType(types: !4)
!3 = distinct !DISubprogram(name: "f", file: !1, type: !2, spFlags: DISPFlagDefinition, unit: !0)
!4 = !{null}
!5 = !{i32 2, !"Debug Info Version", i32 3}
"""


@pytest.mark.parametrize(
    ("text", "stage"),
    [
        ("define void @f() { ret i32 1 }", "IR text"),
        ("nonsense", "IR text"),
        (NOT_DOMINATED, "IR verifier"),
        (NO_PLACE, "IR verifier"),
    ],
)
def test_a_module_that_is_not_valid_is_our_bug(text: str, stage: str) -> None:
    with pytest.raises(InternalError) as caught:
        optimise(text, OptLevel.O1)
    assert caught.value.stage == stage


def test_addresses_keep_their_arrays() -> None:
    unit = compiled(
        "__kernel void k(__global int* a, int n) { __local int t[8][9]; t[n][n] = 1; "
        "a[0] = t[n + 1][n]; }",
        OptLevel.O1,
    )
    sources_ = {str(g.source_type) for g in of_class(unit.module.functions["k"], GetElementPtr)}
    assert sources_ == {"[9 x i32]", "i32"}
    assert texts(unit, "@k.t = internal addrspace(3) global [8 x [9 x i32]] undef")


def test_a_pragma_that_cannot_be_followed_is_a_warning(capfd: pytest.CaptureFixture[str]) -> None:
    unit = compiled(
        "__kernel void k(__global int* a, int n) {\n#pragma unroll\n"
        "  for (int i = 0; i < 8; i++) {\n    a[i] = n; barrier(1); if (a[n]) i = a[i]; }\n}",
        OptLevel.O2,
    )
    assert [(w.code, str(w.span)) for w in unit.warnings] == [("K501", "k.cl:3:3")]
    assert capfd.readouterr().err == ""
