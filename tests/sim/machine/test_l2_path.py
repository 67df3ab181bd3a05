"""What requests of an SM take on their way to L2."""

from __future__ import annotations

import pytest

from kcc.base.gpu.loading import load_gpu
from kcc.base.gpu.needs import GpuReader
from kcc.sim.machine.l2_path import REQUEST_CYCLES, sector_cycles, slice_cycles
from kcc.sim.machine.pipeline_columns import machine_of
from tests.sim.estimate.test_model import estimated

ROWS = """
__kernel void k(__global float *y, int n) {
  for (int k = 0; k < n; k++) y[get_global_id(0) * n + k] = k;
}
"""
COLUMNS = """
__kernel void k(__global float *y, int n) {
  for (int k = 0; k < n; k++) y[k * get_global_size(0) + get_global_id(0)] = k;
}
"""
WORDS, BLOCK, BLOCKS = 256, 256, 2
"""Of a row, of a thread block, and thread blocks of an SM: what is written stays in L2."""


@pytest.mark.parametrize(
    ("bytes_per_cycle", "lines_per_sector", "cycles"),
    [
        (64.0, 0.25, 0.5),  # a whole line: its bytes, two cycles for four sectors
        (64.0, 0.5, 1.0),  # half a line takes as long as a whole one
        (64.0, 1.0, 2.0),  # and so does one sector
        (32.0, 0.25, 1.0),  # at 32 bytes a cycle a whole line takes four cycles,
        (32.0, 1.0, 2.0),  # one sector not one but two
    ],
)
def test_a_request_takes_as_long_as_its_bytes_or_two_cycles(
    bytes_per_cycle: float, lines_per_sector: float, cycles: float
) -> None:
    assert sector_cycles(bytes_per_cycle, REQUEST_CYCLES, lines_per_sector) == cycles


@pytest.mark.sampled(2)
@pytest.mark.parametrize("gpu", ["v100", "k40", "gtx980"])  # an H100's L2 takes longer for parts
def test_scattered_stores_take_two_cycles_of_an_sm_for_each_lane(gpu: str) -> None:
    sms = machine_of(GpuReader(load_gpu(gpu))).sms
    items = sms * BLOCKS * BLOCK
    found = estimated(ROWS, str(items), str(BLOCK), gpu, args=f"n={WORDS}").estimate
    assert found.counts.l2_write_sectors == items * WORDS
    assert found.limiter == "l2_requests"
    launch = found.cpi_stack["launch"] / found.cpi * found.cycles
    assert found.cycles - launch == pytest.approx(2 * BLOCKS * BLOCK * WORDS, rel=0.02)


@pytest.mark.parametrize("gpu", ["v100", "h100", "k40", "gtx980"])
def test_stores_side_by_side_are_bound_by_bytes(gpu: str) -> None:
    machine = machine_of(GpuReader(load_gpu(gpu)))
    items = machine.sms * BLOCKS * BLOCK
    bounds = estimated(COLUMNS, str(items), str(BLOCK), gpu, args=f"n={WORDS}").estimate.bounds
    moved = BLOCKS * BLOCK * WORDS * 4
    assert bounds["l2_requests"] == pytest.approx(moved / machine.port_l2_bytes)


def test_amd_gpus_have_no_such_number() -> None:
    assert machine_of(GpuReader(load_gpu("amd-radeon-rx-480"))).request_cycles == 0.0


CHAIN = """
__kernel void k(__global int *y, int n, int m) {
  for (int k = 0; k < n; k++) y[get_local_id(0)] = y[get_local_id(0) + m] + k;
}
"""
SAME = """
__kernel void k(__global float *y, __global float *x, int n) {
  float sum = 0;
  for (int k = 0; k < n; k++) sum += x[k];
  y[get_global_id(0)] = sum;
}
"""
STEPS = 4096


def test_a_load_after_the_store_of_another_takes_the_latency_of_l2() -> None:
    """What a pointer chase measures is all that a load takes: there is nothing to take off."""
    latency = machine_of(GpuReader(load_gpu("gtx1080"))).latency
    found = estimated(CHAIN, "32", "32", "gtx1080", args=f"n={STEPS} m=64").estimate
    launch = found.cpi_stack["launch"] / found.cpi * found.cycles
    each = (found.cycles - launch) / STEPS
    assert latency["l2"] < each < latency["l2"] + 5 * latency["integer"]


def test_what_all_warps_read_in_step_passes_through_one_slice() -> None:
    """A GTX 1080 keeps nothing in L1 that might be written: each warp asks L2 for each value."""
    items = 20 * 2048
    bounds = estimated(SAME, str(items), "64", "gtx1080", args=f"n={STEPS}").estimate.bounds
    asked = items / 32 * STEPS
    assert bounds["l2_slice"] == pytest.approx(slice_cycles(asked), rel=0.01)
    assert bounds["l2_slice"] > bounds["l2_bandwidth"]
    kept = estimated(SAME, str(items), "64", "v100", args=f"n={STEPS}").estimate.bounds
    assert kept["l2_slice"] < bounds["l2_slice"] / 10
