"""Batches of requests to DRAM, worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from kcc.sim.memory.batches_native import batch_latencies, batch_latency
from kcc.sim.memory.l2_native import COUNT_BITS
from kcc.sim.memory.summary import dram_latency
from tests.sim.memory.streams import PLAIN, machine


def latency(*lines: int, **places: int) -> float:
    conf = machine(deviations=PLAIN, **places).conf
    entries = np.array([line << COUNT_BITS | 1 for line in lines])
    channels, banks = np.zeros((2, 2), np.int64), np.zeros((4, 3), np.int64)
    return batch_latency(conf, np.arange(99), entries, 0, len(lines), channels, banks)


def test_one_request_waits_for_nothing():
    assert latency(0) == 400


def test_a_row_that_is_open_saves_its_activation():
    """The second is in the row of the first (4 lines a row): its data could come 10 cycles sooner,
    but the row opens for the first, and the bus is free after it: 0 + max(2 - 10, 0) beyond."""
    assert latency(0, 1) == 400


def test_a_bank_opens_one_row_in_a_row_cycle():
    """Rows 0 and 2 are in the same of two banks: the second opens 30 cycles later."""
    assert latency(0, 8) == pytest.approx(400 + 30 / 2)


def test_the_bus_serves_one_sector_at_a_time():
    """Twenty sectors of one row, 2 cycles each: sector n waits for 2 n - 10 cycles, if more than
    nothing."""
    waits = [max(2 * n - 10, 0) for n in range(20)]
    assert latency(*[0] * 20) == pytest.approx(400 + sum(waits) / 20)


def test_channels_work_side_by_side():
    """Lines go to the two slices in turn, each with a channel of its own."""
    alone = latency(*[0] * 20)
    assert latency(*[0, 1] * 20, l2_slices=2, channels=2) == pytest.approx(alone)


def test_batches_have_a_group_for_each_sm():
    here = machine(sms=2, groups=0)
    found = np.zeros(64)
    lines, misses = np.arange(99), np.ones(200, np.int64)
    random = np.ones(1, np.uint64)
    assert batch_latencies(here.conf, lines, misses, 200, random, found) == 3
    assert random[0] == 1  # nothing was drawn
    waits = [max(2 * n - 10, 0) for n in range(64)]
    assert found[0] == pytest.approx(400 + sum(waits) / 64)


def test_an_entry_is_so_many_sectors_of_a_line():
    """Five lines of four sectors are as long on the bus as twenty requests; batches of random size
    do not end before the entries do."""
    here = machine(sms=2)
    found, alone = np.zeros(8), np.zeros(8)
    fours, ones = np.full(500, 4), np.full(2000, 1)
    many = batch_latencies(here.conf, np.arange(9), fours, 500, np.ones(1, np.uint64), found)
    same = batch_latencies(here.conf, np.arange(9), ones, 2000, np.ones(1, np.uint64), alone)
    assert many == same == 8
    assert found == pytest.approx(alone, rel=0.02)


def test_the_dominant_latency_is_taken_if_there_is_one():
    most = np.array([500.0] * 80 + [900.0] * 20)
    assert dram_latency(most, 400) == 500
    flat = np.linspace(400, 1000, 101)
    assert dram_latency(flat, 400) == pytest.approx(700)
    assert dram_latency(np.zeros(0), 400) == 400
