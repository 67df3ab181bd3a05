"""`or` with a constant that shares no bit with its other operand."""

from __future__ import annotations

import pytest

from kcc.frontend.ir.opcodes import Flags, Opcode
from kcc.frontend.ir.reader import read_module

LOOP = """
define i32 @f(i32 %n, i32 %x) {{
entry:
  br label %loop
loop:
  %i = phi i32 [ {start}, %entry ], [ %next, %loop ]
  %odd = or i32 %i, {mask}
  %next = add i32 %i, {step}
  %done = icmp eq i32 %next, %n
  br i1 %done, label %end, label %loop
end:
  %wide = shl i32 %x, 3
  %least = and i32 %x, -8
  %either = select i1 %done, i32 %wide, i32 %least
  %one = or i32 %either, 7
  %two = or i32 %either, 8
  %three = or i32 %either, %x
  ret i32 %odd
}}
"""


def flagged(text: str) -> set[str]:
    function = read_module(text).functions["f"]
    return {i.name for i in function.instructions
            if i.opcode is Opcode.OR and Flags.DISJOINT in i.flags}  # fmt: skip


@pytest.mark.parametrize(
    ("start", "step", "mask", "is_disjoint"),
    [(0, 4, 1, True), (0, 4, 3, True), (8, 4, 3, True), (0, 4, 4, False), (2, 4, 2, False),
     (0, 6, 1, True), (0, 6, 2, False), (0, 4, -4, False), (1, 4, 2, False)],
)  # fmt: skip
def test_of_a_counter(start: int, step: int, mask: int, is_disjoint: bool):
    found = flagged(LOOP.format(start=start, step=step, mask=mask))
    assert ("odd" in found) == is_disjoint
    assert "one" in found
    assert found.isdisjoint({"two", "three"})


def test_a_long_chain_in_the_wrong_order_is_one_walk():
    """Blocks in reverse: were all looked at again for each change, this would not end."""
    count = 4000
    lines = ["define i32 @f(i32 %x) {", "entry:", f"  br label %b{count - 1}"]
    for n in range(count):
        before = f"%v{n + 1}" if n + 1 < count else "%x"
        lines += [
            f"b{n}:",
            f"  %v{n} = add i32 {before}, 8",
            f"  br label %b{n - 1}" if n else "  br label %end",
        ]
    lines += ["end:", "  %odd = or i32 %v0, 7", "  ret i32 %odd", "}"]
    assert "odd" not in flagged("\n".join(lines))
