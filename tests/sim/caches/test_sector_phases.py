"""Lanes that walk along rows of their own: in which iterations the warp waits for memory."""

from __future__ import annotations

import numpy as np
import pytest

from kcc.sim.caches.sector_phases import miss_share
from kcc.sim.caches.streams import Stream
from tests.sim.estimate.test_model import estimated

ROWS = """__kernel void rows(__global const float *a, __global float *y) {
  int i = get_global_id(0);
  float sum = 0.0f;
  __attribute__((opencl_unroll_hint(1)))
  for (int j = 0; j < 2048; j++) sum += a[i * LENGTH + j] * (sum + 1.0f);
  y[i] = sum;
}"""
"""Each sum needs the one before it, and the loop is not unrolled: loads are not in flight at one
time. Lengths are such that lanes come to different banks of L1."""


def stream(length: int, warps: int = 2) -> Stream:
    """Lanes at the starts of rows of so many bytes."""
    rows = np.arange(32 * warps, dtype=np.int64).reshape(warps, 32) * length
    return Stream(
        0, "a", is_load=True, size_bytes=4, executions=1.0, lanes=1.0, rows=rows,
        groups=(0, 0, 0), loops={0: 4}, sectors=32.0, lines=32.0, passes=32.0,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("length", "step", "share"),
    [
        (8192, 4, 1 / 8),  # all lanes come to the end of a sector in the same iteration
        (8192, 8, 1 / 4),
        (8192 + 16, 4, 1 / 4),  # every other one half a sector later
        (8192 + 8, 4, 1 / 2),
        (8192 + 4, 4, 1.0),  # some lane in every iteration
        (4, 4, 1.0),  # side by side
    ],
)
def test_share_of_iterations(length: int, step: int, share: float):
    assert miss_share(stream(length), step) == pytest.approx(share)


def test_rows_that_end_in_the_middle_of_sectors_wait_more_often():
    times = [
        estimated(ROWS.replace("LENGTH", length), "4096", "256", "v100").estimate.time_us
        for length in ("2056", "2058", "2057")
    ]
    assert times[1] > 1.5 * times[0]
    assert times[2] > 1.5 * times[1]
