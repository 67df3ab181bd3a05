"""What is computed twice, against kernels in LLVM IR."""

from __future__ import annotations

from kcc.passes.graph.dominance import Dominators
from kcc.sim.program.repeats import repeats
from tests.passes.kernels import facts_of

TEXT = """
define spir_kernel void @k(i32 %a, i32 %b, ptr addrspace(1) %p) {
entry:
  %x = and i32 %a, -32
  %y = add i32 %x, %b
  %z = and i32 %a, -32
  %w = add i32 %z, %b
  %s = sub i32 %b, %x
  %l = load i32, ptr addrspace(1) %p
  %m = load i32, ptr addrspace(1) %p
  %t = icmp slt i32 %a, %b
  %u = icmp sgt i32 %a, %b
  br i1 %t, label %left, label %right
left:
  %v = and i32 %a, -32
  %n = mul i32 %a, %b
  store i32 %v, ptr addrspace(1) %p
  br label %end
right:
  %o = mul i32 %a, %b
  store i32 %o, ptr addrspace(1) %p
  br label %end
end:
  ret void
}
"""


def test_repeats() -> None:
    """Through what repeats itself, and below, not beside; no loads, no other comparison."""
    kernel, facts = facts_of(TEXT)
    names = {each.index: each.name for each in kernel.function.instructions}
    found = repeats(kernel.function, facts[Dominators])
    assert {names[k]: names[v] for k, v in found.items()} == {"z": "x", "w": "y", "v": "x"}
