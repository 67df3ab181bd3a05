"""Pieces of arrays that begin where an array of indices says, the same for all lanes of a warp."""

from __future__ import annotations

import pytest

from tests.sim.estimate.test_model import estimated

WARPS, EACH = 65536, 96

ROWS = """
__kernel void k(__global const float *data, __global const int *first, __global float *o) {
  int warp = get_global_id(0) >> 5, lane = get_global_id(0) & 31;
  int begin = first[warp];
  float s = 0;
  for (int k = 0; k < 3; k++) s += data[begin + lane + 32 * k];
  o[get_global_id(0)] = s;
}
"""
"""A row of 96 elements for each warp."""

TABLE = """
__kernel void k(__global const float *data, __global const int *index, __global float *o) {
  int i = get_global_id(0);
  o[i] = data[index[(uint)i / 192u] * 192 + (int)((uint)i % 192u)];
}
"""
"""A row of 192 elements for each six warps."""


def moved(source: str, args: str) -> tuple[float, float]:
    """Of an estimate, bytes of DRAM read and sectors that L2 is asked for."""
    found = estimated(source, str(WARPS * 32), "256", "a100", args=args).estimate
    assert found.unknown_accesses == 0
    return found.counts.dram_read_sectors * 32, found.counts.l2_read_sectors * 32


def test_rows_lie_one_behind_the_other() -> None:
    read, _ = moved(ROWS, "")
    assert read == pytest.approx(WARPS * (EACH + 1) * 4, rel=0.02)


@pytest.mark.parametrize("share", [1.0, 0.5])
def test_rows_stay_inside_the_array(share: float) -> None:
    elements = int(WARPS * EACH * share)
    read, _ = moved(ROWS, f"data=float[{elements}]")
    assert read == pytest.approx((elements + WARPS) * 4, rel=0.03)


def test_numbers_of_rows_are_those_of_their_places() -> None:
    """No sector is asked for twice: a row begins with one."""
    read, asked = moved(TABLE, "")
    assert read == pytest.approx(WARPS * 32 * 4, rel=0.02)
    assert asked == pytest.approx(WARPS * 32 * 4, rel=0.05)


def test_rows_are_read_again_where_an_array_has_fewer() -> None:
    """Which ones nobody knows, so that caches find some of them: neither all nor none."""
    large, small = (
        estimated(TABLE, str(WARPS * 32), "256", "a100", args=f"data=float[192*{rows}]").estimate
        for rows in (2**20, 512)
    )
    assert small.counts.dram_read_sectors < 0.2 * large.counts.dram_read_sectors
    assert small.time_us < large.time_us
