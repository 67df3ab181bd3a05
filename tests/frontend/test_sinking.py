"""What a compiler has put into one block stays there: PTX is scheduled as ptxas finds it."""

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


def _in_entry(text: str) -> bool:
    entry = text[text.index("define ") : text.index("  br i1")]
    return "fadd" in entry


def test_products_of_a_compiler_stay_in_their_blocks():
    assert not _in_entry(optimise(TEXT, OptLevel.O2).text)
    assert _in_entry(optimise(TEXT, OptLevel.O2, compiled=True).text)
    assert not _in_entry(optimise(TEXT, OptLevel.O2).text)  # the option is the copy's alone
