"""The one unit of double precision of four schedulers, in cycles by hand: two lanes, 16 cycles."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sim.cycle.sass import Warp, simulate
from tests.sim.cycle.test_cycle import check

FEW, MANY = 50, 100
"""Both are long enough for all of the code's lines that a launch waits for to be there."""


def cycles_of_more(folder: Path, gpu: str, warps: int) -> float:
    """What 50 independent operations more of each warp take."""
    cycles = list[float]()
    for count in (FEW, MANY):
        block = [Warp() for _ in range(warps)]
        for warp in block:
            for n in range(count):
                warp.op("DFMA", 2 + 2 * (n % 20), (100, 102))
        cycles.append(check(simulate(folder, [block], gpu=gpu)).cycles)
    return cycles[1] - cycles[0]


@pytest.mark.parametrize("warps", [1, 2, 4, 8])
def test_warps_of_all_schedulers_share_it(tmp_path: Path, warps: int) -> None:
    """Independent operations take 16 cycles each, whichever schedulers they come from."""
    assert cycles_of_more(tmp_path, "rtx2080ti", warps) == 16 * warps * (MANY - FEW)


@pytest.mark.parametrize(("warps", "of_one"), [(1, 1), (4, 1), (8, 2)])
def test_a_v100_has_one_for_each(tmp_path: Path, warps: int, of_one: int) -> None:
    assert cycles_of_more(tmp_path, "v100", warps) == 4 * of_one * (MANY - FEW)
