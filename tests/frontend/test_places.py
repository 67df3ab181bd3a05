"""Places that optimisation drops are found again by the names of values."""

from __future__ import annotations

from kcc.frontend.ir.instructions import GetElementPtr, Load
from kcc.frontend.options import OptLevel
from kcc.frontend.places import restore_places
from tests.frontend.compiling import compiled, of_class

BEFORE = """define spir_kernel void @k(ptr %p) !dbg !1 {
entry:
  %v1 = load i32, ptr %p, !dbg !3
  %v11 = add i32 %v1, 1, !dbg !4
  %v2 = getelementptr i32, ptr %p, i32 %v11, !dbg !5
  %v21 = getelementptr i32, ptr %p, i32 %v11, !dbg !6
  ret void, !dbg !3
}
!3 = !DILocation(line: 3, column: 7, scope: !1)
!4 = !DILocation(line: 4, column: 8, scope: !1)
!5 = !DILocation(line: 5, column: 9, scope: !1)
!6 = !DILocation(line: 6, column: 9, scope: !1, inlinedAt: !5)
"""

AFTER = """define spir_kernel void @k(ptr %p) !dbg !4 {{
entry:
  {line}
  ret void, !dbg !9
}}
!9 = !DILocation(line: 0, scope: !4)
!12 = !DILocation(line: 8, column: 1, scope: !4)
"""


def restored(line: str) -> str:
    """The line, with its location written out."""
    text = restore_places(BEFORE, AFTER.format(line=line))
    found = text.split("\n")[2].strip()
    for node in text.split("\n"):
        name, _, meaning = node.partition(" = !DILocation")
        if name.startswith("!"):
            found = found.replace(f"!dbg {name}", f"!dbg {meaning}")
    return found


def test_a_place_is_found_by_name_and_opcode() -> None:
    expected = "%v1 = load i32, ptr %p, !dbg (line: 3, column: 7, scope: !4)"
    assert restored("%v1 = load i32, ptr %p") == expected
    assert restored("%v1 = load i32, ptr %p, !dbg !9") == expected
    assert restored("%v1 = add i32 1, 2") == "%v1 = add i32 1, 2"


def test_a_copy_has_the_place_of_its_original() -> None:
    for name in ("v11.1", "v11.epil", "v11.epil.2", "v117"):
        assert restored(f"%{name} = add i32 1, 2").endswith("(line: 4, column: 8, scope: !4)"), name


def test_what_can_be_two_things_or_comes_from_elsewhere_is_left_alone() -> None:
    for line in (
        "%v1.i = load i32, ptr %p",
        "%v1.i3.1 = load i32, ptr %p",
        "%5 = load i32, ptr %p",
        "%w1 = load i32, ptr %p",
        "store i32 1, ptr %p",
    ):
        assert restored(line) == line
    assert restored("%v1 = load i32, ptr %p, !dbg !12").endswith("(line: 8, column: 1, scope: !4)")


def test_a_discriminator_is_found_again_beside_a_place_that_is_kept() -> None:
    before = """define spir_kernel void @k(ptr %p) !dbg !1 {
  %v1 = load i32, ptr %p, !dbg !4
}
!1 = distinct !DISubprogram(name: "k", file: !2)
!3 = !DILexicalBlockFile(scope: !1, file: !2, discriminator: 30)
!4 = !DILocation(line: 3, column: 7, scope: !3)
"""
    after = """define spir_kernel void @k(ptr %p) !dbg !1 {
  %v1 = load i32, ptr %p, !dbg !4
  %v1.1 = load i32, ptr %p
  %v2 = load i32, ptr %p
}
!1 = distinct !DISubprogram(name: "k", file: !2)
!4 = !DILocation(line: 5, column: 1, scope: !1)
"""
    first, copy, other = restore_places(before, after).split("\n")[1:4]
    assert first.endswith("!dbg !6")
    assert copy.endswith("!dbg !8")
    assert other == "  %v2 = load i32, ptr %p"
    assert restore_places(before, after).split("\n")[8:12] == [
        "!5 = !DILexicalBlockFile(scope: !1, file: !2, discriminator: 30)",
        "!6 = !DILocation(line: 5, column: 1, scope: !5)",
        "!7 = !DILexicalBlockFile(scope: !1, file: !2, discriminator: 30)",
        "!8 = !DILocation(line: 3, column: 7, scope: !7)",
    ]


def test_other_attachments_stay_after_the_place() -> None:
    found = restored("%v1 = load i32, ptr %p, align 4, !tbaa !7")
    assert found.endswith("align 4, !dbg (line: 3, column: 7, scope: !4), !tbaa !7")


def test_what_is_hoisted_out_of_a_loop_keeps_its_line() -> None:
    unit = compiled(
        "__kernel void k(__global float* a, __global const int* restrict b, int n, int m) {\n"
        "  for (int i = 0; i < n; i++)\n    a[i] = b[m * 4 + 3];\n}",
        OptLevel.O2,
    )
    function = unit.module.functions["k"]
    for class_ in (Load, GetElementPtr):
        found = of_class(function, class_)
        assert {i.location.line for i in found if i.location} == {3}
    assert all(load.location for load in of_class(function, Load))
