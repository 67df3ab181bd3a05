"""What shared memory leaves of L1."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from kcc.base.gpu.loading import load_gpu
from kcc.base.gpu.needs import GpuReader
from kcc.sim.caches.launch_traffic import l1_bytes
from kcc.sim.machine.pipeline_columns import machine_of
from kcc.sim.machine.shared_carveout import carved_bytes

KIB = 1024


@pytest.mark.parametrize(
    ("needed", "taken"), [(0, 32), (32 * KIB, 32), (32 * KIB + 1, 64), (65 * KIB, 65)]
)
def test_the_least_that_has_room(needed: int, taken: int) -> None:
    assert carved_bytes((32 * KIB, 64 * KIB), needed) == taken * KIB


@pytest.mark.parametrize(
    ("gpu", "needed", "left"),
    [("rtx2080ti", 0, 64), ("rtx2080ti", 4 * 9 * KIB, 32), ("v100", 0, 128), ("v100", 9 * KIB, 112),
     ("gtx1080", 9 * KIB, 48)],
)  # fmt: skip
def test_turing_has_64_kib_of_l1_at_most(gpu: str, needed: int, left: int) -> None:
    """NVIDIA's programming guide: 32 or 64 of 96 KB are shared memory; 0, 8, 16, 32, 64 or 96 of
    128 on Volta; of Pascal's none is L1's."""
    occupancy: Any = SimpleNamespace(allocated_shared_bytes=needed, blocks=1)
    assert l1_bytes(machine_of(GpuReader(load_gpu(gpu, []))), occupancy) == left * KIB
