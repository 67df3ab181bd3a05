"""Register banks and operand collectors of Accel-Sim's machines: its own cycles, those of a
simulation cycle by cycle, and what is computed by hand."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.sim.cycle.collectors import Instruction, Scheduler
from tests.sim.cycle.sass import Warp, simulate
from tests.sim.cycle.test_cycle import check

BANKS, INTERVAL = 4, 2
"""Of one of the four schedulers of Accel-Sim's SM7_QV100, and of FFMA on it."""

INDEPENDENT = [(2 + n % 8, (12, 13, 14)) for n in range(256)]
DEPENDENT = [(2, (2, 13, 14))] * 128


def cycles(folder: Path, programs: list[list[Instruction]]) -> float:
    """Of a thread block all of whose warps are of one scheduler: the others have nothing to do."""
    warps = list[Warp]()
    for program in programs:
        warp = Warp()
        for to, of in program:
            warp.op("FFMA", to, of)
        warps += [warp, Warp(), Warp(), Warp()]
    return check(simulate(folder, [warps], plain=False)).cycles


@pytest.mark.parametrize(
    ("program", "warps", "accelsim"),
    [
        (INDEPENDENT, 1, 635), (INDEPENDENT, 2, 1148), (DEPENDENT, 1, 899), (DEPENDENT, 2, 1029),
        (DEPENDENT, 8, 2692),
    ],
)  # fmt: skip
def test_accelsim(program: list[Instruction], warps: int, accelsim: int, tmp_path: Path) -> None:
    """What Accel-Sim took for streams of a block on each SM, with as many warps on each scheduler;
    four cycles of that are before the first instruction and after the last result."""
    assert Scheduler([program] * warps, INTERVAL, BANKS).run() == pytest.approx(accelsim - 4, abs=1)
    assert cycles(tmp_path, [program] * warps) == pytest.approx(accelsim, abs=1)


def test_as_cycle_by_cycle(tmp_path: Path) -> None:
    """All but one of forty random programs take as long as cycle by cycle; in that one two
    instructions waited for one step of a bank and had it in another order."""
    source = random.Random(1)
    expected, found = list[float](), list[float]()
    for number in range(40):
        folder = tmp_path / str(number)
        folder.mkdir()
        programs = [
            [(source.randrange(16), tuple(source.sample(range(16), source.randrange(4))))
             for _ in range(source.randrange(5, 60))]
            for _ in range(source.choice([1, 2, 3, 4, 8]))
        ]  # fmt: skip
        expected.append(Scheduler(programs, INTERVAL, BANKS).run())
        found.append(cycles(folder, programs) - 3)
    same = [abs(a - b) <= 1 for a, b in zip(expected, found, strict=True)]
    assert sum(same) >= 39
    assert sum(found) == pytest.approx(sum(expected), rel=0.0005)
