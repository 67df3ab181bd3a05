"""Thread blocks that a GPU starts in a cycle, and many places of DRAM at once."""

from __future__ import annotations

import pytest

from kcc.base.gpu.loading import load_gpu
from kcc.base.gpu.needs import GpuReader
from kcc.sim.machine.block_dispatch import blocks_per_cycle
from kcc.sim.machine.pipeline_columns import machine_of
from tests.sim.machine.test_l2_path import estimated

NOTHING = "__kernel void k(__global int *a) { if (get_global_id(0) == 7) a[0] = 1; }"
SUM = """__kernel void k(__global float *a, __global float *o) {{
  size_t i = get_global_id(0); o[i] = {sum};
}}"""


@pytest.mark.parametrize(
    ("gpu", "rate"),
    [("a100", 3.8), ("l40", 1.49), ("v100", 1.5), ("mi210", 0.49), ("k40", 0), ("w6600", 0)],
)
def test_thread_blocks_of_a_cycle(gpu: str, rate: float):
    assert blocks_per_cycle(load_gpu(gpu)) == rate


@pytest.mark.parametrize("gpu", ["v100", "mi210"])
def test_small_thread_blocks_wait_to_be_started(gpu: str):
    found = estimated(NOTHING, str(32 << 20), "32", gpu).estimate
    assert found.limiter == "block_dispatch"
    launch = found.cpi_stack["launch"] / found.cpi * found.cycles
    assert found.cycles - launch == pytest.approx(2**20 / blocks_per_cycle(load_gpu(gpu)), rel=0.01)


@pytest.mark.parametrize("block", ["64", "256", "1024"])
def test_waves_wait_to_be_started(block: str):
    """Whichever takes longer: 0.49 work-groups a cycle, or 1.12 waves."""
    found = estimated(NOTHING, str(64 << 20), block, "mi210").estimate
    waves, groups = (64 << 20) // 64, (64 << 20) // int(block)
    assert found.limiter == "block_dispatch"
    assert found.bounds["block_dispatch"] == pytest.approx(max(waves / 1.12, groups / 0.49))


@pytest.mark.parametrize(("gpu", "share"), [("v100", 0.93), ("mi210", 0.665), ("mi100", 0.77)])
def test_many_places_of_dram_at_once_take_longer(gpu: str, share: float):
    """Of as many bytes, from eleven places or from twelve."""
    items = 1 << 22

    def of(places: int) -> float:
        total = " + ".join(f"a[i + {n * items}]" for n in range(places))
        found = estimated(SUM.format(sum=total), str(items), "256", gpu).estimate
        return found.bounds["dram_bandwidth"] / (places + 1)

    assert of(10) / of(11) == pytest.approx(share, rel=0.01)  # and the one that is stored to
    assert machine_of(GpuReader(load_gpu(gpu))).many_streams == share
