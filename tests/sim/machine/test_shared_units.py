"""Units that an SM's schedulers share, and the caches of loads before Volta."""

from __future__ import annotations

import pytest

from kcc.base.gpu.loading import load_gpu
from kcc.base.gpu.needs import GpuReader
from kcc.sim.machine.costs import Unit
from kcc.sim.machine.pipeline_columns import L1Loads, machine_of


@pytest.mark.parametrize(
    ("gpu", "shared", "cycles"),
    [
        ("rtx2080ti", True, 64.0), ("rtx3090", True, 64.0), ("rtx4090", True, 64.0),
        ("rtx5090", True, 64.0), ("v100", False, 4.0), ("a100", False, 4.0),
        ("gtx1080", False, 32.0),  # four lanes, one for each scheduler
        ("rx7900xtx", False, 32.0),
        ("accelsim-sm86-rtx3070", False, 64.0),
    ],
)  # fmt: skip
def test_two_lanes_of_double_precision_are_of_all_schedulers(
    gpu: str, shared: bool, cycles: float
) -> None:
    machine = machine_of(GpuReader(load_gpu(gpu)))
    assert machine.one_fp64 is shared
    assert machine.interval[Unit.FP64] == cycles


@pytest.mark.parametrize(
    ("gpu", "loads", "size"),
    [
        ("k40", L1Loads.READ_ONLY, 49152), ("nvidia-geforce-gtx-645", L1Loads.NONE, 16384),
        ("gtx980", L1Loads.READ_ONLY, 24576), ("p100", L1Loads.ALL, 24576),
    ],
)  # fmt: skip
def test_the_cache_of_loads_before_volta(gpu: str, loads: L1Loads, size: int) -> None:
    machine = machine_of(GpuReader(load_gpu(gpu)))
    assert (machine.l1_loads, machine.l1_size) == (loads, size)
