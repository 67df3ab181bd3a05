"""Sectors of L2 that are stored in part: cycles computed by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from kcc.base.gpu.loading import load_gpu
from kcc.sim.cycle.layout import Conf
from kcc.sim.cycle.machine import machine_of
from tests.sim.cycle.sass import GLOBAL, Warp, simulate

N = 60
ONE_SLICE = ("l2.slices=1", "dram.channels=1", "l2.bytes_per_cycle=32", "launch_overhead_cycles=0")


def _cycles(folder: Path, apart: int, *settings: str) -> float:
    """Stores of a word by each lane, so many bytes apart, all to the same sectors."""
    warp = Warp()
    for _ in range(N):
        warp.op("STG", None, (4, 5), [GLOBAL + apart * lane for lane in range(32)])
    return simulate(folder, [[warp]], *ONE_SLICE, *settings, gpu="a100").cycles


def test_a_sector_stored_in_part_takes_a_slice_twice(tmp_path: Path) -> None:
    """32 sectors of a store, a word of each: 64 cycles of the one slice, 32 on
    Ada."""
    assert _cycles(tmp_path, 32) == pytest.approx(N * 64, rel=0.15)
    ada = _cycles(tmp_path, 32, "compute_capability=8.9")
    assert ada == pytest.approx(N * 32, rel=0.25)
    assert _cycles(tmp_path, 32) - ada == pytest.approx(N * 32, rel=0.05)


def test_whole_sectors_take_a_slice_once(tmp_path: Path) -> None:
    whole = _cycles(tmp_path, 4)
    assert whole == _cycles(tmp_path, 4, "compute_capability=8.9")
    assert whole < N * 16


@pytest.mark.parametrize(
    ("gpu", "times"),
    [("a100", 2), ("v100", 1), ("l40", 1), ("accelsim-sm86-rtx3070", 1), ("mi210", 1)],
)
def test_which_gpus_have_it(gpu: str, times: int) -> None:
    assert machine_of(load_gpu(gpu, []), 128, 32, 0)[Conf.PART_WRITTEN] == times
