"""Round-robin schedulers go on to the next warp after each machine instruction: cycles by hand.

The machine is gpumech-table7 with code that comes once, from L2 in 120 cycles: one scheduler,
results after 25 cycles, FFMA each cycle, MUFU every 8. Here FFMA and MUFU stand for five and three
instructions. The warp that begins is that of the second slot.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kcc.passes.mix.instruction_classes import InstructionClass
from kcc.sim.cycle import accelsim
from kcc.sim.cycle.machine import Machine
from kcc.sim.machine.costs import Unit
from tests.sim.cycle.sass import Warp, simulate
from tests.sim.cycle.test_cycle import check

INSTRUCTIONS = {Unit.FMA: 5, Unit.SFU: 3}
"""Each needs the result of the one before."""

CODE = 120
ROUND_ROBIN, GREEDY = "scheduler=loose-round-robin", "scheduler=greedy-then-oldest"
CHAIN = Warp().op("FFMA", 1, (100,)).op("IADD3", 2, (1,))
set_issue = accelsim.set_issue


@pytest.fixture(autouse=True)
def _long(monkeypatch: pytest.MonkeyPatch) -> None:
    def issue(
        row: Any, unit: Unit, _one: int, _steps: float, machine: Machine, kind: InstructionClass
    ) -> None:
        count = INSTRUCTIONS.get(unit, 1)
        set_issue(row, unit, count, count, machine, kind)

    monkeypatch.setattr(accelsim, "set_issue", issue)


def cycles(folder: Path, warps: list[Warp], scheduler: str) -> float:
    settings = ("instruction_cache_bytes=null", scheduler)
    return check(simulate(folder, [warps], *settings, gpu="gpumech-table7")).cycles - CODE


@pytest.mark.parametrize("count", [1, 2, 8, 24])
def test_results_come_after_the_first_instruction(tmp_path: Path, count: int) -> None:
    """Round-robin, warp w begins at w, greedy at 5 w; its result is there 125 cycles later."""
    assert cycles(tmp_path, [CHAIN] * count, ROUND_ROBIN) == count - 1 + 125 + 1
    assert cycles(tmp_path, [CHAIN] * count, GREEDY) == 5 * (count - 1) + 125 + 1


@pytest.mark.parametrize("count", [4, 8])
def test_results_come_after_the_last_instruction(tmp_path: Path, count: int) -> None:
    """The last MUFU of all is the pipeline's 3 W-th, and its result comes 25 cycles later."""
    warp = Warp().op("MUFU.EX2", 1, (100,)).op("IADD3", 2, (1,))
    assert cycles(tmp_path, [warp] * count, ROUND_ROBIN) == 8 * (3 * count - 1) + 25 + 1


def test_what_follows_waits_for_the_last_to_issue(tmp_path: Path) -> None:
    """MUFU at 0, 8 and 16; what needs nothing of it follows at 17. A greedy warp's three issue in a
    row."""
    warp = Warp().op("MUFU.EX2", 1, (100,)).op("IADD3", 2, (101,))
    assert cycles(tmp_path, [warp], ROUND_ROBIN) == 17 + 1
    assert cycles(tmp_path, [warp], GREEDY) == 3 + 1


def test_others_have_the_cycles_between(tmp_path: Path) -> None:
    """Nine instructions of one warp fit between the three of the other: at 1 to 7, 9 and 10."""
    long, short = Warp().op("MUFU.EX2", 1, (100,)), Warp()
    for n in range(9):
        short.op("IADD3", n + 1, (100,))
    assert cycles(tmp_path, [short, long], ROUND_ROBIN) == 16 + 1
    assert cycles(tmp_path, [short, long], GREEDY) == 3 + 9
