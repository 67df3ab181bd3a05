"""Sectors of a row of DRAM that thread blocks ask for together, and what opening rows takes."""

from __future__ import annotations

import numpy as np
import pytest

from kcc.base.gpu.loading import load_gpu
from kcc.sim.caches.dram_rows import sectors_a_row
from kcc.sim.caches.footprint import CacheShape
from kcc.sim.caches.streams import Stream
from kcc.sim.machine.dram_load import row_cycles

PITCH = 32768


def sectors(rows: np.ndarray, groups: tuple[int, int, int], grid: tuple[int, int, int]) -> float:
    stream = Stream(
        access=0, array="a", is_load=True, size_bytes=4, executions=1.0, lanes=1.0, rows=rows,
        groups=groups, loops={}, sectors=1.0, lines=1.0, passes=1.0,
    )  # fmt: skip
    shape = CacheShape(0, 4 << 20, sms=40, resident=4, banks=32, grid=grid)
    return sectors_a_row(stream, shape, channels=16)


LANES = np.arange(32, dtype=np.int64)


def test_neighbours_fill_rows():
    """8 warps of 128 bytes a thread block, and 160 thread blocks side by side: 160 KB are 5,120
    sectors in five rows of each of 16 channels, 64 to a row."""
    rows = LANES * 4 + np.arange(8, dtype=np.int64)[:, None] * 128
    assert sectors(rows, (1024, 0, 0), (10000, 1, 1)) == pytest.approx(64)


def test_a_walk_down_a_column_opens_a_row_for_each_lane():
    """Eight columns of words are a sector; a pitch of 32 KB is a row of all channels."""
    rows = LANES * PITCH + np.arange(8, dtype=np.int64)[:, None] * 4
    assert sectors(rows, (32 * PITCH, 32, 0), (512, 1024, 1)) == 1.0
    # Of 160 thread blocks 64 go down, and two and a half such columns are side by side.
    assert sectors(rows, (32 * PITCH, 32, 0), (64, 1024, 1)) == 2.5


def test_a_column_of_tiles_opens_a_row_for_two_sectors():
    """16 words in each of two rows of a matrix a warp; thread blocks go down the matrix first."""
    rows = LANES // 16 * PITCH + LANES % 16 * 4 + np.arange(8, dtype=np.int64)[:, None] * 2 * PITCH
    assert sectors(rows, (16 * PITCH, 64, 0), (512, 512, 1)) == 2.0


def test_thread_blocks_side_by_side_fill_what_one_leaves():
    rows = LANES // 16 * PITCH + LANES % 16 * 4 + np.arange(8, dtype=np.int64)[:, None] * 2 * PITCH
    assert sectors(rows, (64, 16 * PITCH, 0), (512, 512, 1)) > 8.0


def test_cycles_of_a_row():
    t4 = load_gpu("t4")
    assert row_cycles(t4, 1590.0) == pytest.approx(11.9 * 1.59 / 16)
    assert row_cycles(load_gpu("t4", ["dram.row_ns=null"]), 1000.0) == pytest.approx(3.3 / 16)
    v100 = load_gpu("v100")
    assert row_cycles(v100, 1000.0) == pytest.approx(1.65 / 32)
    assert row_cycles(load_gpu("v100", ["dram.channels=null"]), 1000.0) == 0.0
