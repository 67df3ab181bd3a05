"""Loads of AMD's GPUs: cycles of L1 for 32 lanes, as a microbenchmark of strides has them."""

from __future__ import annotations

import numpy as np
import pytest

from kcc.base.gpu.loading import load_gpu
from kcc.passes.memory.warp_cost import bank_passes, pieces_touched
from kcc.sim.machine.load_port import vector_load_cycles, wide_lanes

MEASURED = [
    ("mi210", 4, {0: 2.18, 1: 2.18, 2: 16.1, 3: 8.1, 4: 32.2, 6: 16.1, 7: 14.1, 8: 32.2, 16: 32.2}),
    ("mi210", 8, {0: 8.1, 1: 8.1, 2: 8.1, 3: 8.1, 4: 16.1, 5: 8.1, 8: 32.2, 12: 16.1, 16: 32.2}),
    ("rx6900xt", 4, {0: 1.0, 1: 1.0, 2: 1.99, 4: 3.98, 8: 8.0, 9: 2.99, 16: 15.9, 17: 4.98}),
    ("rx6900xt", 8, {0: 4.34, 1: 4.34, 3: 4.36, 4: 8.0, 8: 16.0, 9: 5.0, 16: 32.0, 17: 8.0}),
]
"""Bytes a lane; cycles by stride in elements (te42kyfo/gpu-benches, gpu-strides)."""


@pytest.mark.parametrize(("name", "size", "cycles"), MEASURED)
def test_strides_take_what_was_measured(name: str, size: int, cycles: dict[int, float]):
    lanes = wide_lanes(load_gpu(name))
    for stride, measured in cycles.items():
        rows = np.arange(32, dtype=np.int64)[None, :] * stride * size
        sectors, lines = (float(pieces_touched(rows, size, piece, None)[0]) for piece in (32, 128))
        passes = float(bank_passes(rows, size, None)[0][0])
        found = vector_load_cycles(lanes, size, sectors, lines, passes)
        assert abs(found / measured - 1.0) < 0.12, (stride, found, measured)


def test_wide_loads_take_what_their_bytes_do():
    assert vector_load_cycles(8, 16, 16.0, 4.0, 4.0) > 2 * vector_load_cycles(8, 4, 4.0, 1.0, 1.0)
    assert vector_load_cycles(4, 16, 16.0, 4.0, 4.0) == pytest.approx(512 / 59)


def test_which_gpus_have_them():
    names = ("w6600", "amd-radeon-pro-w7800", "amd-mi250x-gcd", "amd-radeon-rx-480", "a100")
    assert [wide_lanes(load_gpu(name)) for name in names] == [8, 8, 4, 4, 0]
