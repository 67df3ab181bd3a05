"""Atomic operations of a line: one rule for the estimate, the interval and the cycle level."""

from __future__ import annotations

from pathlib import Path

import pytest

from kcc.base.gpu import load_gpu
from kcc.sim.machine.atomics import AtomicQueue, queue_of_gpu
from tests.sim.cycle.sass import GLOBAL, Warp, simulate
from tests.sim.cycle.test_cycle import check

BLOCKS = 40
LINE = 128


@pytest.mark.parametrize(
    ("gpu", "queue"),
    [
        ("v100", AtomicQueue(1.0, by_line=True)),
        ("mi250x", AtomicQueue(1.0, by_line=True)),
        ("k40", AtomicQueue(1.0, by_line=True)),
        ("gtx-480", AtomicQueue(9.0, by_line=False)),
        ("accelsim-sm7-qv100", None),
        ("gpumech-table7", None),
    ],
)
def test_queue_of_gpus(gpu: str, queue: AtomicQueue | None) -> None:
    assert queue_of_gpu(load_gpu(gpu, [])) == queue


def adding(step: int, apart: int) -> list[list[Warp]]:
    """Blocks of one warp that adds once; lanes are ``step`` bytes apart, blocks ``apart``."""
    places = [[GLOBAL + n * apart + step * lane for lane in range(32)] for n in range(BLOCKS)]
    return [[Warp().op("RED.E.ADD", None, (100, 101), own)] for own in places]


@pytest.mark.parametrize("step", [0, 4])
def test_lanes_of_one_line_are_done_one_by_one(tmp_path: Path, step: int) -> None:
    """40 warps of 32 lanes: 1,280 cycles of the line, beyond what one warp takes."""
    (one,) = adding(step, 0)[:1]
    alone = check(simulate(tmp_path, [one], gpu="v100")).cycles
    timing = check(simulate(tmp_path, adding(step, 0), gpu="v100"))
    assert timing.cycles == pytest.approx(alone + 32 * (BLOCKS - 1), abs=BLOCKS)


def test_lines_do_not_wait_for_each_other(tmp_path: Path) -> None:
    (one,) = adding(4, 0)[:1]
    alone = check(simulate(tmp_path, [one], gpu="v100")).cycles
    assert check(simulate(tmp_path, adding(4, LINE), gpu="v100")).cycles < alone + 150
