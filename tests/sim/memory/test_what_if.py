"""Altered accesses, on streams written by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kcc.sim.memory.facts import Stream
from kcc.sim.memory.sequences_native import BEGINS, FIRST
from kcc.sim.memory.summary import dram_latency
from kcc.sim.memory.trials import Plan, empty_l2
from kcc.sim.memory.what_if import altered_by_local_memory, altered_to_vectors, what_if
from tests.sim.memory.streams import Entry, counted, machine, stream, trial


def entries(found: Stream) -> list[tuple[int, int, bool, bool]]:
    """Line, sectors, whether an execution and whether a sequence begins there."""
    return [
        (line, word & 15, bool(word & FIRST), bool(word & BEGINS))
        for line, word in zip(found.lines.tolist(), found.info.tolist(), strict=True)
    ]


def test_four_executions_become_one():
    """Lanes in sectors 0 and 1, of which the last load reaches sector 2; a fifth stays alone."""
    warp: list[Entry] = [("load", 1, 3), ("load", 1, 3), ("load", 1, 3), ("load", 1, 7)]
    found = altered_to_vectors(stream([[*warp, ("load", 2, 1)]]), 0)
    assert found is not None
    assert entries(found) == [(1, 7, True, True), (2, 1, True, True)]


def test_a_load_that_moves_as_much_as_before_is_no_vector():
    warp: list[Entry] = [("load", n, 1) for n in range(8)]
    assert altered_to_vectors(stream([warp]), 0) is None


def test_what_follows_a_load_that_goes_begins_its_sequence():
    """The store joins nothing when the load before it has gone to the first one."""
    warp: list[Entry] = [("load", 1, 1), ("load", 1, 1), ("+store", 9, 1)]
    of = stream([warp])
    info = of.info.copy()
    info[2] += 1 << 21  # of access 1
    two = replace(of, info=info, accesses=(of.accesses[0], of.accesses[0]))
    found = altered_to_vectors(two, 0)
    assert found is not None
    assert entries(found) == [(1, 1, True, True), (9, 1, True, True)]


def test_a_block_loads_once_what_it_keeps_in_local_memory():
    """Each of two blocks: line 1 twice, and one sector more by the second warp."""
    block: list[list[Entry]] = [[("load", 1, 3), ("load", 1, 3)], [("load", 1, 3), ("load", 1, 6)]]
    found, dropped, most = altered_by_local_memory(stream(block, block), [0])
    assert [(line, sectors) for line, sectors, _, _ in entries(found)] == [(1, 3), (1, 4)] * 2
    assert dropped == 4
    assert most == 3


def test_pinned_lines_stay_in_l2():
    """Five lines go through four ways of L2 in turn, and none is there when it comes again; kept
    apart, line 1 is."""
    warp: list[Entry] = [("load", n, 1) for n in (1, 2, 3, 4, 5)] * 3
    here = machine(l1_sets=0)
    assert "l2_hits" not in counted(trial(stream([warp]), here))
    pinned = machine(l1_sets=0, pinned_first=1, pinned_lines=1)
    assert counted(trial(stream([warp]), pinned))["l2_hits"] == 15 - 5


def test_changes_are_measured_with_the_same_orders():
    """Warps walk along lines, four loads in each of four sectors. Of the twelve blocks eight throw
    each other out of L1 (two ways, four blocks), and hit L2 three times of four; the four last ones
    hit L1 three times of four. Loading four at a time leaves what DRAM has to bring."""
    rng = np.random.default_rng(0)
    blocks = [[[("load", int(b), 1 << n // 4) for n in range(16)]] for b in rng.permutation(12)]
    here = machine(sms=2, blocks=4, l2_ways=16, l2_ways_used=16)
    before = stream(*blocks)
    after = altered_to_vectors(before, 0)
    assert after is not None
    first, then = (dram_latency(trial(s, here).batch_cycles, 400) for s in (before, after))
    x = 48 / 192 * 30 + 96 / 192 * 200 + 48 / 192 * first
    found = what_if(before, here, empty_l2(here), Plan(8))
    assert found[0].code == "vectorise"
    assert found[0].latency_change == pytest.approx(48 * then / (192 * x) - 1)
    assert found == what_if(before, here, empty_l2(here), Plan(8, jobs=3))
