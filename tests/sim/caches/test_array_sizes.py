"""Arrays of a known size, read where memory says."""

from __future__ import annotations

import pytest

from tests.sim.estimate.test_model import estimated

GATHER = """
__kernel void k(__global float *o, __global const int *a, __global const float *t) {
  int i = get_global_id(0);
  float s = 0;
  for (int j = 0; j < 16; j++) s += t[a[i + j * 1048576]];
  o[i] = s;
}
"""
"""16 integers and 16 elements of a table for each work-item."""


def dram_bytes(args: str) -> float:
    found = estimated(GATHER, "1048576", "256", "a100", args=args).estimate
    return found.counts.dram_read_sectors * 32


def test_the_size_bounds_what_caches_and_memory_move() -> None:
    indices = 1048576 * 16 * 4
    small, medium, large, unknown = (
        dram_bytes(args) for args in ("t=float[26]", "t=float[2**20]", "t=float[2**28]", "")
    )
    assert small == pytest.approx(indices, rel=0.01)  # 104 bytes stay in L1
    assert medium == pytest.approx(indices + 4 * 2**20, rel=0.01)  # 4 MiB stay in L2
    assert medium < large <= unknown * 1.01


def test_a_small_table_is_known_enough() -> None:
    small, unknown = (
        estimated(GATHER, "1048576", "256", "a100", args=args).estimate
        for args in ("t=float[26]", "")
    )
    assert small.unknown_accesses == 0 < unknown.unknown_accesses
    width = [high / low for low, high in (small.range_us, unknown.range_us)]
    assert width[0] < width[1]
    assert small.time_us < unknown.time_us


DISPERSED = """
__kernel void k(__global const uchar *in, __global const float *shift, __global float *o, int n) {
  int sample = get_global_id(0), dm = get_global_id(1);
  float s = 0;
  for (int c = 0; c < n; c++) {
    unsigned int by = (dm * 0.02f) * shift[c];
    s += in[c * 8842 + (sample + by)];
  }
  o[dm * 8192 + sample] = s;
}
"""
"""Rows of 8,192 samples and 650 after them, to which the last of 2,048 dm may lead."""


def test_copies_of_an_unrolled_loop_lie_no_further_apart_than_the_last_may() -> None:
    """The first of eight copies is eight rows of the array before its end."""
    unrolled = DISPERSED.replace("for (int c", '_Pragma("unroll 8") for (int c')
    assert unrolled != DISPERSED
    plain, copies = (
        estimated(source, "8192,2048", "2,64", "a100", args="n=64 in=uchar[8842*64]").estimate
        for source in (DISPERSED, unrolled)
    )
    assert copies.unknown_accesses == 8
    assert copies.counts.l2_read_sectors == pytest.approx(plain.counts.l2_read_sectors, rel=0.15)


def test_lanes_lie_no_further_apart_than_the_array_is_long() -> None:
    sizes = ("in=uchar[8842*64]", "")
    bounded, unknown = (
        estimated(DISPERSED, "8192,2048", "2,64", "a100", args=f"n=64 {size}").estimate
        for size in sizes
    )
    # 16 values of dm lie 5 bytes apart, and two samples 1 byte.
    assert bounded.counts.l2_read_sectors < 0.3 * unknown.counts.l2_read_sectors
    assert bounded.counts.dram_read_sectors * 32 == pytest.approx(8842 * 64, rel=0.2)
    assert bounded.unknown_accesses == unknown.unknown_accesses > 0  # it is a guess still
