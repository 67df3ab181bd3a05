"""Instruction fetch, constants, stores that wait, refresh: cycles computed by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kcc.base.gpu import load_gpu
from kcc.cli import main
from kcc.sim.cycle.layout import CONF_SIZE, STATS, Conf, Dram
from kcc.sim.cycle.sources import simulate_trace
from kcc.sim.result import Timing
from tests.sim.cycle.sass import GLOBAL, Warp, no_side, one_lane, simulate
from tests.sim.cycle.test_cycle import check, stack

N = 64
PER_LINE = 8
"""Instructions of 16 bytes in a line of 128."""


def straight(count: int) -> Warp:
    """Instructions that are all different, so that each has a place of its own in the code."""
    warp = Warp()
    for n in range(count):
        warp.op("FFMA", n + 1, (200, 201))
    return warp


def test_code_comes_line_by_line(tmp_path: Path) -> None:
    """A line comes from DRAM in 334 cycles; its eight instructions issue every other cycle."""
    cached = ("instruction_cache_bytes=4096",)
    timing = check(simulate(tmp_path, [[straight(N)]], *cached))
    lines = N // PER_LINE
    stats = timing.statistics
    assert (stats["code lines fetched"], stats["code sectors missed"]) == (lines, 4 * lines)
    issuing = 2 * (PER_LINE - 1) + 1
    assert timing.cycles == lines * (334 + issuing)
    parts = stack(timing)
    idle = 3 * timing.cycles + 79 * 4 * timing.cycles  # other schedulers
    assert parts["fetch"] + parts["memory queue"] == lines * 334
    assert parts["idle"] == idle


def test_code_that_fits_is_fetched_once(tmp_path: Path) -> None:
    """A loop over 32 instructions, of which the cache holds all or none when they come again."""
    loop = Warp()
    for _ in range(10):
        for n in range(4 * PER_LINE):
            loop.op("FFMA", n + 1, (200, 201))
    fits = check(simulate(tmp_path, [[loop]], "instruction_cache_bytes=512"))
    assert fits.statistics["code sectors missed"] == 4 * 4
    small = check(simulate(tmp_path, [[loop]], "instruction_cache_bytes=256"))
    assert small.statistics["code sectors missed"] > 4 * 4 * 5
    assert small.cycles > fits.cycles + 20 * 172


def test_a_line_that_is_under_way_is_waited_for_by_all(tmp_path: Path) -> None:
    """Warps that come to a line together make one miss."""
    timing = check(simulate(tmp_path, [[straight(N)] * 4], "instruction_cache_bytes=4096"))
    assert timing.statistics["code sectors missed"] == 4 * N // PER_LINE
    assert timing.statistics["code lines fetched"] == 4 * N // PER_LINE


def test_without_an_instruction_cache_nothing_is_fetched(tmp_path: Path) -> None:
    timing = check(simulate(tmp_path, [[straight(N)]]))
    assert timing.statistics["code lines fetched"] == 0
    assert stack(timing)["fetch"] == 0


def test_code_outlives_a_launch(tmp_path: Path) -> None:
    """The kernel of the sample's first and third launch is fetched once."""
    sample = str(Path(__file__).parents[3] / "docs" / "sample.kct")
    gpu = load_gpu("gpumech-table7", [])
    first, second = simulate_trace(sample, gpu, launches=[range(1), range(2, 3)])
    assert first.statistics["code sectors missed"] > 0
    assert second.statistics["code sectors missed"] == 0
    assert second.statistics["code lines fetched"] > 0


CONSTANTS = """
__kernel void k(__global float *out, __constant float *c, int n) {
    float s = 0;
    for (int i = 0; i < n; i++) s += c[i * 32];
    out[get_global_id(0)] = s;
}
"""


def constants(folder: Path, *settings: str) -> Timing:
    """One warp that reads a constant of each of 100 lines."""
    source, path = folder / "k.cl", folder / "k.kct"
    source.write_text(CONSTANTS, encoding="utf-8")
    words = ["--global", "32", "--local", "32", "--arg", "n=100"]
    assert main(["trace", str(source), *words, "-o", str(path)]) == 0
    (timing,) = simulate_trace(str(path), load_gpu("accelsim-sm7-qv100", settings))
    return timing


def test_constants_are_fetched_where_the_cache_is_known(tmp_path: Path) -> None:
    always = check(constants(tmp_path))
    assert always.statistics["constant lines read"] == 0
    known = ("constant_cache.size_bytes=2048", "constant_cache.assoc=4")
    timing = check(constants(tmp_path, *known))
    stats = timing.statistics
    assert stats["constant lines read"] == stats["constant sectors missed"] == 100
    assert stats["L2 reads"] == 100
    assert always.cycles < timing.cycles


def stores(blocks: int, each: int) -> list[list[Warp]]:
    found = list[list[Warp]]()
    for block in range(blocks):
        warps = list[Warp]()
        for number in range(8):
            warp = Warp()
            for n in range(each):
                first = GLOBAL + ((n * blocks + block) * 8 + number) * 128
                warp.op("STG", None, (100,), [first + 4 * lane for lane in range(32)])
            warps.append(warp)
        found.append(warps)
    return found


def test_stores_wait_for_dram(tmp_path: Path) -> None:
    """A stream of stores takes as long as DRAM takes for what L2 does not keep: 769 bytes per
    cycle, and no more than queues are left behind."""
    small = ("l2.size_bytes=131072",)
    timing = check(simulate(tmp_path, stores(80, 32), *small))
    moved = 80 * 8 * 32 * 128
    written = timing.statistics["DRAM sectors written"] * 32
    assert moved - 131072 <= written <= moved
    peak = (moved - 131072 - 32 * 64 * 32) / (870.4e3 / 1132)
    assert peak <= timing.cycles <= 1.3 * peak + 200
    assert stack(timing)["memory queue"] > 0.5 * sum(p.cycles for p in timing.stack)


def test_stores_that_l2_keeps_wait_for_nothing(tmp_path: Path) -> None:
    warp = Warp()
    for n in range(8):
        one_lane(warp, "STG", None, (100,), GLOBAL + n * 128)
    timing = check(simulate(tmp_path, [[warp]]))
    assert stack(timing)["memory queue"] == 0
    assert timing.statistics["DRAM sectors written"] == 0


def test_what_is_stored_stays_where_the_policy_says_so(tmp_path: Path) -> None:
    warp = Warp()
    for n in range(8):
        one_lane(warp, "STG", None, (100,), GLOBAL + n * 128)
    for n in range(8):
        one_lane(warp, "LDG", n + 1, (100,), GLOBAL + n * 128)
    through = check(simulate(tmp_path, [[warp]]))
    assert through.caches[0].hits == 0
    lazy = check(simulate(tmp_path, [[warp]], "l1.write_policy=write-through, lazy fetch on read"))
    assert lazy.caches[0].hits == 8
    assert lazy.cycles < through.cycles


@pytest.mark.parametrize(("unit", "asked"), [("sector", 7), ("line", 10)])
def test_what_is_under_way_is_asked_for_again_with_what_is_not(
    unit: str, asked: int, tmp_path: Path
) -> None:
    """Loads of sectors in a row, one after another; there are four to a line. By line the second
    one asks for sector 2 again, as it lacks 3, and the last one for 4 and 5, as it lacks 6."""
    warp = Warp()
    for first, count in [(0, 3), (2, 2), (0, 1), (1, 4), (5, 1), (4, 3)]:
        addresses = [GLOBAL + 32 * (first + n) for n in range(count)]
        warp.op("LDG.E", len(warp.lines) + 1, (100,), addresses, mask=(1 << count) - 1)
    timing = check(simulate(tmp_path, [[warp]], f"l1.merge_unit={unit}"))
    level = timing.caches[0]
    assert level.accesses - level.hits - level.pending == 7
    assert timing.statistics["DRAM sectors read"] == 7
    assert timing.statistics["L2 reads"] == asked


def test_a_channel_opens_rows_one_after_another() -> None:
    """Rows of 16 banks, each 40 cycles busy with one, 5 cycles apart: 5 cycles bound them."""
    from kcc.sim.cycle.memory_native import read_dram

    conf, stats = np.zeros(CONF_SIZE, np.int64), np.zeros(STATS, np.int64)
    conf[Conf.CHANNELS] = conf[Conf.L2_SLICES] = conf[Conf.ROW_LINES] = 1
    conf[Conf.BANKS], conf[Conf.BURST], conf[Conf.ROW_CYCLE] = 16, 64, 40
    conf[Conf.OPENING] = 5 * 64
    rows = np.zeros((16, 4, 3), np.int64)
    rows[..., 0] = -1
    one = np.zeros(1, np.int64)
    banks, turnarounds, openings = np.zeros(16, np.int64), np.zeros((1, 2), np.int64), one.copy()
    memory = Dram(one, one.copy(), banks, rows, turnarounds, rows[0], openings, *no_side())
    found = [read_dram(conf, memory, stats, 0, line, 0)[0] for line in range(64)]
    assert found == [5 * line for line in range(64)]


def test_refresh_takes_its_share_of_the_bandwidth() -> None:
    """100 of 1000 cycles: 900 sectors of one cycle take 1000."""
    from kcc.sim.cycle.memory_native import read_dram

    conf, stats = np.zeros(CONF_SIZE, np.int64), np.zeros(STATS, np.int64)
    conf[Conf.CHANNELS] = conf[Conf.BANKS] = conf[Conf.L2_SLICES] = 1
    conf[Conf.ROW_LINES], conf[Conf.BURST] = 1 << 20, 64
    conf[Conf.REFRESH_EVERY], conf[Conf.REFRESH] = 64_000, 6_400
    rows = np.zeros((1, 4, 3), np.int64)
    rows[..., 0] = -1
    one = np.zeros(1, np.int64)
    memory = Dram(
        one, one.copy(), one.copy(), rows, np.zeros((1, 2), np.int64), rows[0], one, *no_side()
    )
    for _ in range(1800):
        read_dram(conf, memory, stats, 0, 0, 0)
    assert memory.channels[0] == 64 * 2000


def test_a_store_hits_only_what_a_store_brought(tmp_path: Path) -> None:
    """Two sectors of a line are stored, loaded and one of them stored again; a sector that a load
    brought is a miss of the store after it (Baghsorkhi et al., section 2.1)."""
    warp = Warp()
    for opcode, sector in [("STG", 0), ("STG", 1), ("LDG", 2), ("STG", 1), ("STG", 2), ("STG", 2)]:
        to = 1 if opcode == "LDG" else None
        one_lane(warp, opcode, to, (100,), GLOBAL + 32 * sector)
    stats = check(simulate(tmp_path, [[warp]])).statistics
    assert stats["L2 writes"] == 5
    assert stats["L2 write hits"] == 2


@pytest.mark.parametrize(("fill", "asked", "hits"), [("sector", 2, 0), ("line", 4, 1)])
def test_a_miss_brings_a_line_where_l1_fills_lines(
    fill: str, asked: int, hits: int, tmp_path: Path
) -> None:
    """A load of sector 0, one that waits for it, and one of sector 3."""
    warp = Warp()
    one_lane(warp, "LDG", 1, (100,), GLOBAL)
    warp.op("IADD3", 2, (1, 100))
    warp.op("IADD3", 3, (2, 100))
    one_lane(warp, "LDG", 4, (3,), GLOBAL + 96)
    timing = simulate(tmp_path, [[warp]], f"l1.fill={fill}")
    assert timing.statistics["L2 reads"] == asked
    assert timing.caches[0].accesses == 2
    assert timing.caches[0].hits + timing.caches[0].pending == hits
    assert sum(line.load_cycles for line in timing.lines) > 0
