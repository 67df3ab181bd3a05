"""The memory-side cache: times and traffic computed by hand."""

from __future__ import annotations

import numpy as np

from kcc.base.gpu.loading import load_gpu
from kcc.sim.cycle.layout import CONF_SIZE, STATS, Conf, Dram, Stat
from kcc.sim.cycle.machine import machine_of
from tests.sim.cycle.sass import no_side

LINES = 16


def _one_set() -> tuple[np.ndarray, Dram, np.ndarray]:
    """A channel with one set of 16 sectors, 2 cycles for each and 50 to a hit; DRAM takes 4 cycles
    for a sector and 200 to the first, its row is always open."""
    conf, stats = np.zeros(CONF_SIZE, np.int64), np.zeros(STATS, np.int64)
    conf[Conf.CHANNELS] = conf[Conf.L2_SLICES] = conf[Conf.SECTORS] = conf[Conf.SIDE_SETS] = 1
    conf[Conf.SIDE_LATENCY], conf[Conf.SIDE_BURST] = 50, 2 * 64
    conf[Conf.BANKS], conf[Conf.ROW_LINES], conf[Conf.DRAM_LATENCY] = 1, 1 << 20, 200
    conf[Conf.BURST], conf[Conf.DRAM_QUEUE], conf[Conf.WRITES_TOGETHER] = 4 * 64, 32, 1
    rows = np.zeros((1, 4, 3), np.int64)
    rows[..., 0] = -1
    zero = [np.zeros(1, np.int64) for _ in range(4)]
    pair = np.zeros((1, 2), np.int64)
    memory = Dram(zero[0], zero[1], zero[2], rows, pair, pair.copy(), zero[3], *no_side())
    return conf, memory, stats


def test_what_dram_gave_comes_from_the_cache_the_next_time() -> None:
    from kcc.sim.cycle.memory_native import read_beyond

    conf, memory, stats = _one_set()
    found = [read_beyond(conf, memory, stats, 0, line, 0, 0) for line in range(LINES)]
    assert found == [(4 * line + 200, 4 * line) for line in range(LINES)]
    found = [read_beyond(conf, memory, stats, 0, line, 0, 1000) for line in range(LINES)]
    assert found == [(1000 + 2 * line + 50, 2 * line) for line in range(LINES)]
    assert (stats[Stat.SIDE_READS], stats[Stat.SIDE_HITS]) == (2 * LINES, LINES)
    assert stats[Stat.DRAM_READS] == LINES


def test_the_least_recently_used_sector_goes() -> None:
    from kcc.sim.cycle.memory_native import read_beyond

    conf, memory, stats = _one_set()
    for line in range(LINES + 1):
        read_beyond(conf, memory, stats, 0, line, 0, 0)
    read_beyond(conf, memory, stats, 0, 1, 0, 1000)
    assert stats[Stat.SIDE_HITS] == 1
    read_beyond(conf, memory, stats, 0, 0, 0, 1000)
    assert stats[Stat.SIDE_HITS] == 1


def test_what_is_written_goes_to_dram_when_another_takes_its_place() -> None:
    from kcc.sim.cycle.memory_native import read_beyond, write_beyond

    conf, memory, stats = _one_set()
    for _ in range(3):
        write_beyond(conf, memory, stats, 0, 7, 0, 0)
    assert stats[Stat.DRAM_WRITES] == 0
    for line in range(100, 100 + LINES):
        read_beyond(conf, memory, stats, 0, line, 0, 1000)
    assert stats[Stat.DRAM_WRITES] == 1
    assert stats[Stat.DRAM_READS] == LINES


def test_its_values_are_those_of_the_gpu() -> None:
    """RX 6900 XT: 128 MB in 16 channels and lines of 16 sectors; 154 ns and 1,570 GB/s at the SMs'
    clock."""
    machine = machine_of(load_gpu("amd-radeon-rx-6900-xt", []), 256, 32, 0)
    sectors = machine[Conf.SIDE_SETS] * 16 * machine[Conf.CHANNELS]
    assert sectors * machine.sector_bytes == 128 << 20
    latency = machine[Conf.L2_LATENCY] + machine[Conf.SIDE_LATENCY]
    assert abs(latency - 154e-3 * machine.clock_mhz) <= 1
    per_cycle = 64 * machine.sector_bytes * machine[Conf.CHANNELS] / machine[Conf.SIDE_BURST]
    assert abs(per_cycle * machine.clock_mhz / 1570e3 - 1) < 0.02
    assert machine_of(load_gpu("v100", []), 256, 32, 0)[Conf.SIDE_SETS] == 0
