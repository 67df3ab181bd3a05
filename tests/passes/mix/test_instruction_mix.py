from __future__ import annotations

from kcc.passes.mix.counts import ClassCounts
from kcc.passes.mix.instruction_classes import InstructionClass
from kcc.passes.mix.instruction_mix import InstructionMix
from tests.passes.kernels import facts_of

TEXT = """
define spir_kernel void @k(ptr addrspace(1) %p, i32 %n) {
entry:
  %v = load <4 x float>, ptr addrspace(1) %p, align 16, !dbg !2
  %w = fadd <4 x float> %v, %v, !dbg !2
  store <4 x float> %w, ptr addrspace(1) %p, align 16, !dbg !3
  %a = add i32 %n, 1, !dbg !4
  br label %last
last:
  ret void, !dbg !3
never:
  %b = add i32 %n, 1, !dbg !3
  br label %never
}
!0 = !DIFile(filename: "k.cl", directory: "")
!1 = distinct !DISubprogram(name: "k", scope: !0, file: !0, line: 3)
!2 = !DILocation(line: 9, column: 5, scope: !1)
!3 = !DILocation(line: 7, column: 5, scope: !1)
!4 = !DILocation(line: 2, column: 5, scope: !6, inlinedAt: !2)
!5 = !DIFile(filename: "a.h", directory: "")
!6 = distinct !DISubprogram(name: "h", scope: !5, file: !5, line: 1)
"""


def present(counts: ClassCounts) -> dict[str, int]:
    return {kind.value: count for kind, count in counts.items() if count}


def test_counts_of_a_kernel_its_blocks_and_lines():
    _, facts = facts_of(TEXT)
    mix = facts[InstructionMix]
    assert present(mix.total) == {
        "load_global": 1, "fp32": 4, "store_global": 1, "int": 1, "branch": 2,
    }  # fmt: skip
    assert [present(block) for block in mix.blocks] == [
        {"load_global": 1, "fp32": 4, "store_global": 1, "int": 1, "branch": 1},
        {"branch": 1},
        {},
    ]
    assert {line: present(counts) for line, counts in mix.lines.items()} == {
        ("a.h", 2): {"int": 1},
        ("k.cl", 7): {"store_global": 1, "branch": 1},
        ("k.cl", 9): {"load_global": 1, "fp32": 4},
    }
    assert present(mix.unattributed) == {"branch": 1}
    assert ClassCounts.sum([*mix.lines.values(), mix.unattributed]) == mix.total


def test_counts():
    one = ClassCounts.of([(InstructionClass.INT, 2), (InstructionClass.INT, 1)])
    assert one[InstructionClass.INT] == one.total == 3
    assert ClassCounts.sum([one, one])[InstructionClass.INT] == 6
    assert ClassCounts.sum([]).total == 0
    assert [kind for kind, _ in one.items()] == list(InstructionClass)
