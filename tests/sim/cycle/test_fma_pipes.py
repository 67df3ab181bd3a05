"""Integer products beside FMA: cycles computed by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kcc.base.gpu.loading import load_gpu
from kcc.passes.mix.instruction_classes import InstructionClass
from kcc.sim.cycle.layout import OP_COLUMNS, Op
from kcc.sim.cycle.machine import machine_of
from kcc.sim.cycle.program import set_issue
from kcc.sim.interval.facts import Resource
from kcc.sim.machine.costs import Unit
from kcc.sim.machine.fma_pipes import HALF, INTEGER
from tests.sim.cycle.sass import Warp, simulate

N = 100


def _cycles(folder: Path, *opcodes: str) -> float:
    warp = Warp()
    for n in range(N):
        for place, opcode in enumerate(opcodes):
            warp.op(opcode, 10 + (2 * n + place) % 200, (4, 5, 6))
    settings = ("launch_overhead_cycles=0", "code_line_cycles=0")
    return simulate(folder, [[warp]], *settings, gpu="rtx-3090", plain=False).cycles


def test_integer_products_go_beside_fma(tmp_path: Path) -> None:
    """16 lanes to a scheduler for them and 32 for FMA: one of each in two cycles; if they held FMA
    it would be three."""
    folders = [tmp_path / name for name in ("one", "other", "both")]
    for folder in folders:
        folder.mkdir()
    products, sums, both = (
        _cycles(folder, *opcodes)
        for folder, opcodes in zip(folders, (["IMAD"], ["FFMA"], ["IMAD", "FFMA"]), strict=True)
    )
    assert products == pytest.approx(2 * N, abs=8)
    assert sums == pytest.approx(N, abs=8)
    assert both == pytest.approx(2 * N, abs=8)


@pytest.mark.parametrize(
    ("gpu", "kind", "pipe", "interval"),
    [
        ("rtx-3090", InstructionClass.INT_MUL, INTEGER, 2),
        ("rtx-3090", InstructionClass.FP32, Unit.FMA, 1),
        ("v100", InstructionClass.INT_MUL, Unit.FMA, 2),
        ("a100", InstructionClass.FP16, HALF, 1),
    ],
)
def test_what_an_operation_holds(
    gpu: str, kind: InstructionClass, pipe: int, interval: int
) -> None:
    machine = machine_of(load_gpu(gpu, []), 128, 32, 0)
    row = np.zeros(OP_COLUMNS, np.int64)
    set_issue(row, Unit.FMA, 1, 1.0, machine, kind)
    assert (row[Op.UNIT], row[Op.INTERVAL]) == (pipe, interval)


def test_the_interval_model_numbers_them_alike() -> None:
    assert (Resource.INTEGER, Resource.HALF) == (INTEGER, HALF)
