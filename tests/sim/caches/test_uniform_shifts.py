"""Addresses that all lanes of a warp move by the same, which memory holds."""

from __future__ import annotations

import pytest

from tests.sim.flow.test_warp_classes import looked_at

SHIFTED = """
__kernel void k(__global const TYPE *in, __global const float *shift, __global float *o, int n) {
  int i = get_global_id(0);
  float s = 0;
  for (int c = 0; c < n; c++) { unsigned int by = 6.0f * shift[c]; s += in[c * 65536 + (i + by)]; }
  o[i] = s;
}
"""


@pytest.mark.parametrize(
    ("element", "whole", "mean"), [("float", 4.0, 4.875), ("uchar", 1.0, 1.97)]
)
def test_they_cost_what_the_mean_alignment_costs(element: str, whole: float, mean: float) -> None:
    subject, _ = looked_at(SHIFTED.replace("TYPE", element), 65536, 64, 256)
    streams = [s for s in subject.streams if s.array == "in" and s.executions]
    assert streams
    for stream in streams:
        assert stream.rows is not None
        assert stream.groups[0] == 256 * stream.size_bytes
        assert whole < stream.sectors == pytest.approx(mean, rel=0.06)
