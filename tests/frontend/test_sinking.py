"""What stands in one block stays there by NVIDIA's costs: ptxas schedules what it finds in it."""

from __future__ import annotations

from kcc.frontend.optimise import optimise
from kcc.frontend.options import Costs, OptLevel

TEXT = """target triple = "spir64-unknown-unknown"
define spir_kernel void @k(ptr addrspace(1) %a, i1 %c) {
  %x = load float, ptr addrspace(1) %a
  %y = fmul float %x, %x
  %z = fadd float %y, 1.0
  br i1 %c, label %then, label %end
then:
  store float %z, ptr addrspace(1) %a
  call void @other()
  ret void
end:
  ret void
}
declare void @other()
"""


def _in_entry(costs: Costs) -> bool:
    text = optimise(TEXT, OptLevel.O2, costs).text
    return "fadd" in text[text.index("define ") : text.index("  br i1")]


def test_a_sum_is_sunk_into_the_branch_that_stores_it_for_amd_alone():
    assert _in_entry(Costs.NVIDIA)
    assert not _in_entry(Costs.AMD)
    assert _in_entry(Costs.NVIDIA)  # the option is that of a process of its own
