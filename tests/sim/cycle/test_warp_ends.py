"""How warps and thread blocks end on Accel-Sim's SM7_QV100, and what else its memory does that the
other tests leave out: cycles computed by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kcc.sim.cycle.layout import CONF_SIZE, FORESEEN, SLOTS, STATS, Cache, Conf, Dram, Sms
from kcc.sim.cycle.record_layout import HOME
from tests.sim.cycle.sass import GLOBAL, Warp, no_side, one_lane, simulate
from tests.sim.cycle.test_cycle import check

END = 3
"""Cycles from a warp's last result to its end."""
FFMA, L2 = 7, 192


def test_a_warp_waits_for_its_results(tmp_path: Path) -> None:
    chain = Warp()
    for _ in range(50):
        chain.op("FFMA", 1, (1,))
    assert check(simulate(tmp_path, [[chain]], plain=False)).cycles == 50 * FFMA + END


def test_a_warp_waits_for_its_stores(tmp_path: Path) -> None:
    """A sector goes to L2 and its acknowledgement comes back; of a line the last leaves three
    cycles after the first."""
    one, line = Warp(), Warp()
    one_lane(one, "STG", None, (100,), GLOBAL)
    line.op("STG", None, (100,), [GLOBAL + 4 * lane for lane in range(32)])
    assert check(simulate(tmp_path, [[one]], plain=False)).cycles == L2 + END
    assert check(simulate(tmp_path, [[line]], plain=False)).cycles == 3 + L2 + END


def test_a_block_takes_a_place_when_the_one_before_has_ended(tmp_path: Path) -> None:
    warp = Warp()
    one_lane(warp, "STG", None, (100,), GLOBAL)
    settings = ("sm_count=1", "max_blocks_per_sm=1")
    timing = check(simulate(tmp_path, [[warp]] * 3, *settings, plain=False, timeline=3))
    assert timing.cycles == 3 * (L2 + END)
    first, second, third = timing.blocks
    assert (second.start, third.start) == (first.end, second.end)


def test_banks_of_l1_are_parts_of_lines(tmp_path: Path) -> None:
    """Eight lines' first sectors are in one bank, eight lanes of two lines in four. Eight loads
    merge with the miss; the others come when it is done, six cycles more or less each."""
    apart, together = Warp(), Warp()
    for n in range(200):
        apart.op("LDG", n + 1, (100,), [GLOBAL + 128 * lane for lane in range(8)], mask=0xFF)
        together.op("LDG", n + 1, (100,), [GLOBAL + 32 * lane for lane in range(8)], mask=0xFF)
    banks = "l1.bank_bytes=32"
    slow, fast = (check(simulate(tmp_path, [[w]], banks)) for w in (apart, together))
    assert slow.cycles - fast.cycles == pytest.approx((200 - 8) * (8 - 2), abs=20)
    free = check(simulate(tmp_path, [[apart]]))
    assert free.cycles == pytest.approx(fast.cycles, abs=40)


@pytest.mark.parametrize(
    ("stores", "reads"),
    [([[0]], 1), ([[0, 1, 2, 3, 4, 5, 6, 7]], 0), ([[0, 2, 4, 6], [1, 3, 5, 7]], 0),
     ([[0, 1, 2, 3], [0, 1, 2, 3]], 1)],
)  # fmt: skip
def test_a_sector_that_was_stored_in_part_is_read_from_dram(
    tmp_path: Path, stores: list[list[int]], reads: int
) -> None:
    """A load of a sector of eight words, some of which were stored by one or two stores."""
    warp = Warp()
    for words in stores:
        addresses = [GLOBAL + 4 * word for word in words]
        warp.op("STG", None, (100,), addresses, mask=(1 << len(words)) - 1)
    one_lane(warp, "LDG", 5, (100,), GLOBAL)
    told = check(simulate(tmp_path, [[warp]], plain=False))
    assert told.statistics["DRAM sectors read"] == reads
    same = check(simulate(tmp_path, [[warp]], "l2.partial_sectors=hit", plain=False))
    assert same.statistics["DRAM sectors read"] == 0


def test_a_miss_entry_of_l2_merges_few_requests() -> None:
    """The fifth request for a sector under way blocks the slice until it is there."""
    from kcc.sim.cycle.memory_native import read_level2

    conf, stats = np.zeros(CONF_SIZE, np.int64), np.zeros(STATS, np.int64)
    conf[Conf.CHANNELS] = conf[Conf.L2_SLICES] = conf[Conf.ROW_LINES] = conf[Conf.BANKS] = 1
    conf[Conf.SECTORS], conf[Conf.BURST], conf[Conf.DATA_CYCLES] = 4, 64, 1
    conf[Conf.L2_LATENCY], conf[Conf.DRAM_LATENCY], conf[Conf.L2_MERGE] = 100, 200, 4
    rows, one = np.full((1, 4, 3), -1, np.int64), np.zeros(1, np.int64)
    slices, pair = one.copy(), np.zeros((1, 2), np.int64)
    memory = Dram(slices, one, one.copy(), rows, pair, pair.copy(), one.copy(), *no_side())
    l2 = Cache(one.copy(), np.zeros((1, 12), np.int32))
    empty = np.zeros((1, SLOTS), np.uint32)
    sms = Sms(one, pair, empty, pair, np.zeros(FORESEEN, HOME), l2, l2)
    blocked = list[int]()
    for request in range(5):
        read_level2(
            conf, sms, l2, memory, stats, 0, 0, 0, 0, 0, 10 + request, request > 0
        )  # fmt: skip
        blocked.append(int(slices[0]))
    assert blocked == [0, 0, 0, 0, 64 * 210]


def test_a_warp_waits_for_its_atomics_where_the_gpu_does(tmp_path: Path) -> None:
    """Four atomics that nothing depends on, one after another or together."""
    warp = Warp()
    for n in range(4):
        one_lane(warp, "RED.E.ADD", None, (100,), GLOBAL + 4096 * n)
    waits = check(simulate(tmp_path, [[warp]], "after_atomic=waits"))
    on = check(simulate(tmp_path, [[warp]]))
    assert waits.cycles > on.cycles + 3 * 172 - 40
