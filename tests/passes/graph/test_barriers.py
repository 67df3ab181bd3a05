from __future__ import annotations

from kcc.passes.graph.barriers import Barriers
from kcc.passes.graph.loops import Loops
from tests.passes.kernels import facts_of


def test_barriers_are_found_where_they_stand():
    _, facts = facts_of(
        """
declare spir_func void @_Z7barrierj(i32)
declare spir_func void @_Z9mem_fencej(i32)
define spir_kernel void @k(i1 %c) {
entry:
  call spir_func void @_Z7barrierj(i32 1)
  call spir_func void @_Z9mem_fencej(i32 1)
  br label %loop
loop:
  call spir_func void @_Z7barrierj(i32 1), !dbg !2
  br i1 %c, label %loop, label %end
end:
  ret void
never:
  call spir_func void @_Z7barrierj(i32 1)
  ret void
}
!0 = !DIFile(filename: "k.cl", directory: "")
!1 = distinct !DISubprogram(name: "k", scope: !0, file: !0, line: 3)
!2 = !DILocation(line: 9, column: 5, scope: !1)
"""
    )
    barriers = facts[Barriers].barriers
    assert [(b.instruction, b.block, str(b.location)) for b in barriers] == [
        (0, 0, "None"),
        (3, 1, "k.cl:9:5"),
    ]
    assert [facts[Loops].depth(b.block) for b in barriers] == [0, 1]
