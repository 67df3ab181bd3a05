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
        ("v100", AtomicQueue(1.0, 5)),
        ("l40", AtomicQueue(1.58, 5)),
        ("mi250x", AtomicQueue(1.0, 0)),
        ("k40", AtomicQueue(1.0, 0)),
        ("gtx-480", AtomicQueue(9.0, -1)),
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


@pytest.mark.parametrize(("step", "taken"), [(0, 32), (4, 4 * 5)])
def test_a_line_takes_words_by_lanes_and_sectors_of_words_in_five_cycles(
    tmp_path: Path, step: int, taken: int
) -> None:
    """40 warps of 32 lanes: 1,280 cycles of one word, 800 of 32 words, beyond what one takes."""
    (one,) = adding(step, 0)[:1]
    alone = check(simulate(tmp_path, [one], gpu="v100")).cycles
    timing = check(simulate(tmp_path, adding(step, 0), gpu="v100"))
    assert timing.cycles == pytest.approx(alone + taken * (BLOCKS - 1), abs=BLOCKS)


def test_lines_do_not_wait_for_each_other(tmp_path: Path) -> None:
    (one,) = adding(4, 0)[:1]
    alone = check(simulate(tmp_path, [one], gpu="v100")).cycles
    assert check(simulate(tmp_path, adding(4, LINE), gpu="v100")).cycles < alone + 150
