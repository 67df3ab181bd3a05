"""Bank conflicts of the lanes that take part, in every iteration."""

from __future__ import annotations

import pytest

from tests.sim.flow.test_warp_classes import looked_at

TREE = """
__kernel void k(__global float *o, int n) {
  __local float s[256];
  int l = get_local_id(0);
  s[l] = l;
  for (int d = 0; d < n; d++) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < TAKING) s[((2 * l + 2) << d) % 256] = n;
  }
  o[get_global_id(0)] = s[l ^ 1];
}
"""


@pytest.mark.parametrize(
    ("taking", "passes"),
    [
        # 64 lanes of two warps at every second word, then 32, 16 ... of one at every 4th, 8th ...
        ("(64 >> d)", (2 * 2 + 4 + 4 + 4 + 4 + 2 + 1) / 8),
        # At every 2nd, 4th, 8th ... word of 256: as many words of a bank, then what is left.
        ("128", (2 + 4 + 8 + 8 + 8 + 4 + 2) / 7),
    ],
)
def test_lanes_that_take_part_wait_for_each_other(taking: str, passes: float) -> None:
    source = TREE.replace("TAKING", taking)
    subject, _ = looked_at(source, 4096, 7, 128)
    (stored,) = [s for s in subject.streams if s.is_local and not s.is_load and s.passes > 1.0]
    assert stored.passes == pytest.approx(passes)
