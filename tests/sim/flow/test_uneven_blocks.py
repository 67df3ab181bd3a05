"""Launches whose thread blocks have different work."""

from __future__ import annotations

import numpy as np
import pytest

from kcc.sim.flow.uneven_blocks import most_work
from tests.sim.estimate.test_model import estimated

LOOP = """
__kernel void k(__global float *y, int n) {
  int i = get_global_id(0);
  float s = 1.0f;
  for (int k = FIRST; k < n; k++) s = s * 1.5f + 0.5f;
  y[i] = s;
}
"""
ALL, FROM_ITS_OWN = LOOP.replace("FIRST", "0"), LOOP.replace("FIRST", "i")


@pytest.mark.parametrize(
    ("work", "sms", "expected"),
    [
        ([2.0, 2.0, 2.0], 2, 1.0),  # alike: the SM with two of them is what the model runs
        ([4.0, 1.0, 1.0, 1.0, 1.0], 2, 6.0 / (3 * 1.6)),  # 4 + 1 + 1 on the first SM
        ([4.0, 3.0, 2.0, 1.0], 4, 4.0 / 2.5),
        ([1.0, 4.0, 1.0], 2, 1.0),  # 2 and 4, where two mean ones are 4
    ],
)
def test_the_sm_with_most_work(work: list[float], sms: int, expected: float) -> None:
    assert most_work(np.array(work), sms) == pytest.approx(expected)


@pytest.mark.parametrize("blocks", [40, 80])
def test_the_first_thread_block_decides_where_loops_begin_at_the_work_item(blocks: int) -> None:
    n = 64 * blocks
    cycles, issued = list[float](), list[float]()
    for source in (ALL, FROM_ITS_OWN):
        found = estimated(source, str(n), "64", "v100", args=f"n={n}").estimate
        cycles.append(found.cycles * (1.0 - found.cpi_stack["launch"] / found.cpi))
        issued.append(found.counts.warp_instructions)
    assert issued[1] == pytest.approx(issued[0] / 2, rel=0.2)
    # The two warps of the first thread block miss 0 and 32 of n iterations.
    assert cycles[1] == pytest.approx(cycles[0] * (1 - 16 / n), rel=0.08)


def test_many_rounds_even_out() -> None:
    size, n = 80 * 32 * 64 * 8, 4096
    guarded = ALL.replace("n; k++", "(i < 80 * 32 * 64 * 4 ? n : 0); k++")
    whole, half = (estimated(s, str(size), "64", "v100", args=f"n={n}") for s in (ALL, guarded))
    assert half.estimate.cycles == pytest.approx(whole.estimate.cycles / 2, rel=0.05)
