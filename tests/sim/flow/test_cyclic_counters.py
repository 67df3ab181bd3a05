"""Counters that wrap round decide what loops do."""

from __future__ import annotations

import pytest

from kcc.frontend.ir.instructions import Call
from tests.sim.flow.test_warp_classes import looked_at

CYCLIC = """
__kernel void cyc(__global float *o, __global const float *a, int n) {
  int p = 64; float s = 0;
  for (int i = 0; i < n; i++) {
    if (p >= 64) {
      for (int k = 0; k < 50; k++) s = s * 1.0001f + a[k & 7];
      p = 0;
    }
    o[get_global_id(0) + i * 32] = s; p++;
  }
}
"""


@pytest.mark.parametrize("n", [1024, 100_000])
def test_a_side_that_is_taken_once_in_64_iterations(n: int) -> None:
    subject, _ = looked_at(CYCLIC, 32, n, 32)
    assert not subject.flow.assumed
    links = sum(  # however far the inner loop is unrolled
        executions
        for executions, block in zip(
            subject.flow.executions, subject.kernel.function.blocks, strict=True
        )
        for each in block.instructions
        if isinstance(each, Call) and each.callee.startswith("llvm.fmuladd")
    )
    assert links == pytest.approx(50 * (n / 64))
