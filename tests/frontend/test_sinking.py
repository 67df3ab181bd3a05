"""What stands in one block stays there as NVVM has it: ptxas schedules what it finds in it."""

from __future__ import annotations

from kcc.frontend.optimise import optimise
from kcc.frontend.options import OptLevel

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


def _in_entry(*, as_nvvm: bool) -> bool:
    text = optimise(TEXT, OptLevel.O2, as_nvvm=as_nvvm).text
    return "fadd" in text[text.index("define ") : text.index("  br i1")]


def test_a_sum_is_sunk_into_the_branch_that_stores_it_but_not_by_nvvm():
    assert _in_entry(as_nvvm=True)
    assert not _in_entry(as_nvvm=False)
    assert _in_entry(as_nvvm=True)  # the option is that of a process of its own
