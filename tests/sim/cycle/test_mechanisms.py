"""Register banks, half warps, miss entries of L2, DRAM's writes: cycles computed by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kcc.base.diagnostics import DiagnosticError
from kcc.sim.cycle.layout import CONF_SIZE, STATS, Conf, Dram, Stat
from tests.sim.cycle.sass import GLOBAL, Warp, no_side, one_lane, simulate
from tests.sim.cycle.test_cycle import check, stack

N = 60
SM86 = "accelsim-sm86-rtx3070"
"""Two register banks and two collectors to a scheduler; FFMA each cycle, seven cycles apart."""
CONF1 = "gpgpusim-minibench-conf1"
"""Eight lanes: a warp takes four cycles. Sixteen banks, which serve half a warp at a time."""


def independent(reads: tuple[int, ...], step: int) -> Warp:
    """FFMA to registers that nobody reads, of the bank of register 0 (step 2) or of both (1)."""
    warp = Warp()
    for n in range(N):
        warp.op("FFMA", 20 + step * n, reads)
    return warp


def test_registers_of_two_banks_are_read_each_cycle(tmp_path: Path) -> None:
    """Two reads and a write take three of the four steps that two banks have in a cycle; the last
    result is there after 7 cycles, and the warp ends 3 later."""
    timing = check(simulate(tmp_path, [[independent((4, 5), 1)]], gpu=SM86))
    assert timing.cycles == N - 1 + 7 + 3
    assert stack(timing)["register banks"] == 0


def test_registers_of_one_bank_are_read_in_order(tmp_path: Path) -> None:
    """Three reads and a write of one bank: two cycles for each instruction, once results come."""
    timing = check(simulate(tmp_path, [[independent((4, 6, 8), 2)]], gpu=SM86))
    assert timing.cycles == pytest.approx(2 * N + 9, abs=8)
    assert stack(timing)["register banks"] == pytest.approx(N, abs=8)
    free = check(simulate(tmp_path, [[independent((4, 6, 8), 2)]], "register_banks=64", gpu=SM86))
    assert free.cycles == N - 1 + 7 + 3


def test_eight_lanes_issue_a_warp_in_four_cycles(tmp_path: Path) -> None:
    warp = Warp()
    for n in range(N):
        warp.op("FFMA", n + 1, (100, 101))
    assert check(simulate(tmp_path, [[warp]], gpu=CONF1)).cycles == 4 * (N - 1) + 1


@pytest.mark.parametrize(("stride", "passes"), [(1, 2), (2, 4), (4, 8), (8, 16), (16, 32), (3, 2)])
def test_half_warps_conflict_in_sixteen_banks(tmp_path: Path, stride: int, passes: int) -> None:
    """No fewer cycles than eight lanes take to hand on their addresses."""
    warp = Warp()
    for n in range(N):
        warp.op("LDS", n + 1, (100,), [4 * stride * lane for lane in range(32)])
    timing = check(simulate(tmp_path, [[warp]], gpu=CONF1, shared=4096))
    assert timing.statistics["local passes"] == N * passes
    assert timing.cycles == (N - 1) * max(passes, 4) + 1


def test_miss_entries_of_l2_bound_a_slice(tmp_path: Path) -> None:
    """One entry of one slice: each miss of 334 - 172 cycles beyond L2 waits for the one before."""
    warp = Warp()
    for n in range(N):
        one_lane(warp, "LDG", n + 1, (100,), GLOBAL + n * 128)
    one_slice = ("l2.slices=1", "dram.channels=1")
    timing = check(simulate(tmp_path, [[warp]], *one_slice, "l2.mshr=1"))
    beyond = 334 - 172
    assert 334 + (N - 1) * (beyond - 40) <= timing.cycles <= 334 + (N - 1) * (beyond + 40)
    free = check(simulate(tmp_path, [[warp]], *one_slice, "l2.mshr=64"))
    assert free.cycles < timing.cycles / 5


def test_more_warps_than_the_core_can_hold_are_an_error(tmp_path: Path) -> None:
    settings = ("schedulers_per_sm=1", "max_warps_per_sm=128", "max_threads_per_sm=4096")
    with pytest.raises(DiagnosticError) as caught:
        simulate(tmp_path, [[independent((4, 5), 1)] * 4] * 32, *settings)
    assert caught.value.diagnostics[0].code == "K803"
    assert "128 warps to a scheduler" in caught.value.diagnostics[0].message


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("latency_cycles.int_add=1000000", "can do with 131,072"),
        ("l2.size_bytes=1099511627776", "bytes of the host's memory"),
        ("dram.timing=RP:12", "is not NAME=CYCLES"),
        ("dram.timing=REFI=10:RFC=10", "lasts until the next one"),
    ],
)
def test_what_no_machine_can_be(tmp_path: Path, setting: str, message: str) -> None:
    with pytest.raises(DiagnosticError) as caught:
        simulate(tmp_path, [[independent((4, 5), 1)]], setting)
    assert caught.value.diagnostics[0].code == "K803"
    assert message in caught.value.diagnostics[0].message


def test_dram_turns_around_once_for_many_writes() -> None:
    from kcc.sim.cycle.memory_native import write_dram

    conf, stats = np.zeros(CONF_SIZE, np.int64), np.zeros(STATS, np.int64)
    conf[Conf.L2_SLICES], conf[Conf.CHANNELS], conf[Conf.DRAM_QUEUE] = 1, 1, 64
    conf[Conf.BURST], conf[Conf.WRITES_TOGETHER], conf[Conf.TURNAROUND] = 64, 8, 640
    channels = np.zeros(1, np.int64)
    none = np.zeros((1, 1), np.int64)
    memory = Dram(none[0], channels, none[0], none, np.array([[0, 1]]), none, none[0], *no_side())
    for _ in range(7):
        write_dram(conf, memory, stats, 0, 100)
    assert channels[0] == 0
    write_dram(conf, memory, stats, 0, 100)
    assert channels[0] == 64 * (100 + 8 + 10)
    assert stats[Stat.DRAM_WRITES] == 8
