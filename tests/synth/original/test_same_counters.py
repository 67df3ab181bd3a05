"""Which additions do not overflow because another of the same loop says so of the same value."""

from __future__ import annotations

import pytest

from kcc.frontend.ir.reader import read_module
from kcc.synth.original.same_counters import sums_without_overflow

LOOP = """
define void @f(i32 %n) {{
entry:
  br label %body
body:
  %i = phi i32 [ {start}, %entry ], [ %next, %body ]
  %twin = phi i32 [ 0, %entry ], [ %step, %body ]
  %next = add {flags} i32 %i, 4
  %step = add i32 {sum}
  %more = icmp ne i32 %step, %n
  br i1 %more, label %body, label %end
end:
  ret void
}}
"""


@pytest.mark.parametrize(
    ("start", "flags", "sum_", "promised"),
    [
        ("0", "nsw", "%twin, 4", {"next", "step"}),
        ("0", "nuw nsw", "4, %twin", {"next", "step"}),
        ("0", "nuw", "%twin, 4", set[str]()),
        ("1", "nsw", "%twin, 4", {"next"}),
        ("0", "nsw", "%twin, 8", {"next"}),
        ("0", "nsw", "%i, 4", {"next"}),
    ],
)
def test_twin_has_start_and_step(start: str, flags: str, sum_: str, promised: set[str]):
    module = read_module(LOOP.format(start=start, flags=flags, sum=sum_))
    (function,) = module.functions.values()
    found = {function.instructions[n].name for n in sums_without_overflow(function)}
    assert found == promised
