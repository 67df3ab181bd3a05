"""What one work-item of a launch does, which no other one does."""

from __future__ import annotations

import pytest

from tests.sim.estimate.test_model import estimated

LONE = """
__kernel void k(__global const float *x, __global float *y, int n) {
  if (get_global_id(0) == 0) {
    float s = 0;
    for (int i = 0; i < n; i++) { s += x[i]; y[i] = s; }
  }
}
"""
ITERATIONS = 4096


@pytest.mark.sampled(2)
@pytest.mark.parametrize("items", [256, 1 << 16, 1 << 20])
def test_a_lone_work_item_finds_its_sector_again(items: int) -> None:
    found = estimated(LONE, str(items), "256", "v100", args=f"n={ITERATIONS}").estimate
    # Eight words of four bytes in a sector; the load of x, as y is passed on by L1.
    assert found.counts.dram_read_sectors == pytest.approx(ITERATIONS / 8, rel=0.01)
    assert found.counts.l2_read_sectors == pytest.approx(ITERATIONS / 8, rel=0.01)


@pytest.mark.slow
def test_long_loops_of_one_work_item_are_not_gone_through() -> None:
    found = estimated(LONE, str(1 << 16), "256", "v100", args=f"n={1 << 30}").estimate
    assert found.counts.dram_read_sectors == pytest.approx((1 << 30) / 8, rel=0.01)
