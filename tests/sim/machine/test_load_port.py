"""Cycles of the load/store port, against what an A40 and an A100 took in strides and blocks."""

from __future__ import annotations

import numpy as np
import pytest

from kcc.base.gpu.loading import load_gpu
from kcc.base.gpu.needs import GpuReader
from kcc.passes.memory.warp_cost import bank_passes, pieces_touched
from kcc.sim.caches.streams import LINE
from kcc.sim.machine.load_port import (
    address_cycles,
    load_cycles,
    lookup_cycles,
    shared_cycles,
    tag_cycles,
)
from kcc.sim.machine.pipeline_columns import machine_of
from tests.sim.estimate.test_model import estimated

A40, A100 = (8, 6), (8, 0)
# Cycles of a load of floats, lanes a stride apart: microbench_strides.csv.
STRIDES = [
    (0, 2.0, 1.02), (1, 2.0, 1.02), (2, 2.0, 2.0), (4, 4.0, 4.0), (5, 2.2, 2.2), (8, 8.0, 8.0),
    (9, 3.03, 3.03), (16, 16.0, 16.0), (31, 8.5, 8.5), (32, 32.0, 32.0),
]  # fmt: skip


def cycles(capability: tuple[int, int], stride: int) -> float:
    rows = np.arange(32, dtype=np.int64)[None] * 4 * stride
    passes, _ = bank_passes(rows, 4, None)
    lines = pieces_touched(rows, 4, LINE, None)
    data = load_cycles(4, 1.0, lookup_cycles(capability))
    return max(address_cycles(capability), float(passes[0]), tag_cycles(float(lines[0])), data)


@pytest.mark.parametrize(("stride", "a40", "a100"), STRIDES)
def test_strides_take_what_was_measured(stride: int, a40: float, a100: float) -> None:
    assert cycles(A40, stride) == pytest.approx(a40, rel=0.1)
    assert cycles(A100, stride) == pytest.approx(a100, rel=0.1)


@pytest.mark.parametrize(
    ("capability", "pass_cycles", "words", "pairs", "fours", "eights"),
    [
        (A40, 1.0, 2.0, 3.0, 5.0, 10.0),  # data of 1, 2 and 4 cycles and one more; 2 x 16 bytes
        (A100, 1.0, 1.0, 2.0, 4.0, 8.0),
        ((7, 5), 2.0, 3.0, 5.0, 9.0, 18.0),  # 64 bytes a cycle: a register in two
    ],
)
def test_a_load_without_conflicts_takes_its_data_and_a_cycle_where_16_lanes_make_addresses(
    capability: tuple[int, int], pass_cycles: float,
    words: float, pairs: float, fours: float, eights: float,
) -> None:  # fmt: skip
    lookup = lookup_cycles(capability)
    found = [load_cycles(size, pass_cycles, lookup) for size in (4, 8, 16, 32)]
    assert found == [words, pairs, fours, eights]
    assert load_cycles(1, pass_cycles, lookup) == words  # a byte is a register as well


@pytest.mark.parametrize(
    ("passes", "size", "lanes", "turing"),
    [
        (1, 4, 32, 2), (1, 4, 17, 2), (1, 4, 16, 1), (1, 4, 1, 1),  # 64 bytes a cycle
        (1, 8, 16, 2), (2, 8, 16, 2), (1, 8, 8, 1), (16, 4, 16, 16), (32, 4, 32, 64),
    ],
)  # fmt: skip
def test_a_few_lanes_take_a_cycle_a_pass(passes: int, size: int, lanes: int, turing: int) -> None:
    assert shared_cycles(passes, size, lanes, 2.0) == turing
    assert shared_cycles(passes, size, lanes, 1.0) == passes


ALONE = """
__kernel void k(__global const uint *a, __global uint *sum) {
  __local uint words[64];
  words[get_local_id(0)] = a[get_global_id(0)];
  barrier(1);
  if (get_local_id(0) < LANES) {
    uint all = 0;
    for (int i = 0; i < 64; i++) all += words[(i + get_local_id(0)) % 64];
    sum[get_global_id(0)] = all;
  }
}
"""


@pytest.mark.parametrize(("lanes", "cycles"), [(1, 1), (16, 1), (32, 2)])
@pytest.mark.parametrize("gpu", ["rtx2080ti", "rtx3090"])
def test_a_work_item_that_adds_alone_holds_the_port_for_half(
    gpu: str, lanes: int, cycles: int
) -> None:
    found = estimated(ALONE.replace("LANES", str(lanes)), "68*64*1024", "64", gpu).estimate
    loads = 68 * 1024 * 64 / machine_of(GpuReader(load_gpu(gpu))).sms
    beside = found.bounds["memory_port"] - cycles * loads
    assert 0 < beside < 0.25 * loads  # the loads and stores before and after


PAIRS = """
__kernel void k(__global const float2 *restrict x, __global float *y, int n) {
  float s = 0;
  for (int i = 0; i < n; i++) s += x[PLACE].x * x[PLACE].y;
  y[get_global_id(0)] = s;
}
"""
OF_A_WARP, OF_A_BLOCK = "i + get_local_id(0) / 32", "i"


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("place", "gpu", "cycles"),
    [
        (OF_A_WARP, "a100", 2.0), (OF_A_WARP, "rtx3090", 3.0), (OF_A_WARP, "rtx2080ti", 5.0),
        (OF_A_BLOCK, "a100", 2.0), (OF_A_BLOCK, "rtx3090", 2.0), (OF_A_BLOCK, "rtx2080ti", 4.0),
    ],
)  # fmt: skip
def test_pairs_that_all_lanes_read_hold_the_port(place: str, gpu: str, cycles: float) -> None:
    source = PAIRS.replace("PLACE", place)
    found = estimated(source, "68*1024", "256", gpu, args="n=512").estimate
    sms = machine_of(GpuReader(load_gpu(gpu))).sms
    loads = 68 * 1024 / 32 * 512 / min(sms, 68 * 4)
    assert found.bounds["memory_port"] == pytest.approx(cycles * loads, rel=0.01)
