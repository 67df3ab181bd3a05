"""Shared memory at addresses that memory decides."""

from __future__ import annotations

import numpy as np
import pytest

from kcc.sim.caches.streams import INDIRECT_ATOMIC_PASSES
from tests.sim.estimate.test_model import estimated

BINS = """
__kernel void k(__global const uint *x, __global uint *y) {
  __local uint bins[256];
  uint l = get_local_id(0), i = get_global_id(0);
  bins[l] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_inc(&bins[INDEX]);
  barrier(CLK_LOCAL_MEM_FENCE);
  y[i] = bins[l];
}
"""


def test_lanes_at_random_fill_one_of_32_banks_most():
    banks = np.random.default_rng(1).integers(0, 32, (100_000, 32))
    fullest = (banks[:, :, None] == np.arange(32)).sum(axis=1).max(axis=1)
    assert fullest.mean() == pytest.approx(INDIRECT_ATOMIC_PASSES, abs=0.02)


@pytest.mark.parametrize(("index", "unknown"), [("l", 0), ("x[i] & 255", 1)])
def test_they_are_said_to_be_unknown(index: str, unknown: int):
    found = estimated(BINS.replace("INDEX", index), "65536", "256", "v100").estimate
    assert found.unknown_accesses == unknown
