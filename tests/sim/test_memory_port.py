"""Cycles of the load/store port, against what an A40 and an A100 took in strides and blocks."""

from __future__ import annotations

import numpy as np
import pytest

from kcc.passes.warp_cost import bank_passes, pieces_touched
from kcc.sim.cache_analysis import LINE
from kcc.sim.memory_port import address_cycles, tag_cycles

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
    return max(address_cycles(capability), float(passes[0]), tag_cycles(float(lines[0])))


@pytest.mark.parametrize(("stride", "a40", "a100"), STRIDES)
def test_strides_take_what_was_measured(stride: int, a40: float, a100: float) -> None:
    assert cycles(A40, stride) == pytest.approx(a40, rel=0.1)
    assert cycles(A100, stride) == pytest.approx(a100, rel=0.1)
