"""Iterations of loops that a compare-and-exchange ends."""

from __future__ import annotations

import pytest

from tests.sim.flow.test_launch_flow import prepared_subject

ADD = """
__kernel void k(__global uint *a, __global const float *b, uint zero) {
  __global uint *p = a + WHERE;
  uint old = *p, seen;
  do {
    seen = old;
    old = atomic_cmpxchg(p, seen, as_uint(as_float(seen) + b[get_global_id(0)]));
  } while (seen != old);
}
"""
LOCK = """
__kernel void k(__global int *lock, __global float *b) {
  while (atomic_cmpxchg(lock, 0, 1) != 0) ;
  b[0] += 1;
  atomic_xchg(lock, 0);
}
"""


@pytest.mark.parametrize(
    ("text", "iterations"),
    [
        (ADD.replace("WHERE", "get_global_id(0)"), 1.0),
        (ADD.replace("WHERE", "0"), 32.0),
        (ADD.replace("WHERE", "get_group_id(0)"), 32.0),
        (LOCK, 16.0),
    ],
)
def test_retries(text: str, iterations: float) -> None:
    flow = prepared_subject(text, "4096", "128").flow
    assert flow.trips == (iterations,)
    assert flow.assumed
