"""The reuse-distance analysis: by hand, against a slow twin, and its reductions."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kcc.sim.caches.options import CacheOptions, Interleaving
from kcc.sim.caches.reuse.analysis import Hierarchy, Reuse, ReuseStudy, Ways, reuse_of
from kcc.sim.caches.reuse.layout import Code, Kind, Op
from kcc.sim.caches.reuse.program import ReuseProgram

FULL = CacheOptions().in_full()


@dataclass(frozen=True)
class Touch:
    """An access of a made-up kernel: bytes by which thread blocks, their places on the SM, SMs,
    warps, lanes and the iterations of the two loops move it."""

    kind: Kind = Kind.LOAD
    group: int = 0
    place: int = 0
    sm: int = 0
    warp: int = 0
    lane: int = 4
    outer: int = 0
    inner: int = 0
    base: int = 0
    size: int = 4
    mask: int = (1 << 32) - 1


def made(
    touches: Sequence[Touch], outer: int = 1, inner: int = 1, blocks: int = 1, warps: int = 1,
    barrier: bool = False,
) -> ReuseProgram:  # fmt: skip
    """``for outer: for inner: touches`` by all warps."""
    ops = [(Op.LOOP, 0, 0), (Op.LOOP, 1, 0), *((Op.ACCESS, i, 0) for i in range(len(touches)))]
    ops += [(Op.BARRIER, 0, 0)] * barrier
    ops[1] = (Op.LOOP, 1, len(ops))
    ops.append((Op.END, 1, 1))
    ops[0] = (Op.LOOP, 0, len(ops))
    ops.append((Op.END, 0, 0))
    lanes = np.arange(32, dtype=np.int64)
    local = [t for t in touches if t.sm]
    own = any(t.outer for t in local), any(t.inner for t in local)
    rows = [t.base + t.warp * w + t.lane * lanes for t in touches for w in range(warps)]
    accesses = [(i * warps, t.size, t.kind, i, 1, 0, 0) for i, t in enumerate(touches)]
    code = Code(
        np.array(ops, np.int64),
        np.array([[outer, 1, -1, own[0]], [inner, 1, 0, own[1]]], np.int64),
        np.array(accesses, np.int64),
        np.array([[t.group, 0, 0, t.place, t.sm] for t in touches], np.int64),
        np.array([[t.outer, t.inner] for t in touches], np.int64),
        np.ones(len(touches)),
        np.ones(2),
        np.array(rows, np.int64),
        np.array([[t.mask] * warps for t in touches], np.int64),
        np.zeros((len(touches), 2), np.int64),
        np.zeros((len(touches), 2), np.int64),
    )
    each = float(blocks * warps * outer * inner)
    lines = each * sum(t.kind is not Kind.CONSTANT for t in touches)
    accesses = tuple(range(len(touches)))
    return ReuseProgram(code, accesses, (blocks, 1, 1), warps, lines, each * len(touches))


SMALL_L1, SMALL_L2 = Ways(1, 2), Ways(1, 4)


def caches(l1: Ways = SMALL_L1, l2: Ways = SMALL_L2, sms: int = 1, resident: int = 1) -> Hierarchy:
    return Hierarchy(l1, l2, Ways(2, 2), sms, resident)


def only(study: ReuseStudy) -> Reuse:
    (found,) = study.accesses.values()
    return found


# by hand


def test_what_fits_a_set_hits_from_the_second_time_on() -> None:
    found = only(reuse_of(made([Touch(inner=128)], outer=4, inner=2), caches(), FULL))
    assert found.sectors == 4
    assert found.l1_hits.mean == pytest.approx(6 / 8)
    assert found.dram.mean == pytest.approx(2 / 8)


def test_one_line_more_than_ways_misses_always() -> None:
    found = only(reuse_of(made([Touch(inner=128)], outer=4, inner=3), caches(), FULL))
    assert found.l1_hits.mean == 0
    assert found.l2_hits.mean == pytest.approx(9 / 12)


def test_one_line_more_than_l2_goes_to_memory_always() -> None:
    found = only(reuse_of(made([Touch(inner=128)], outer=3, inner=5), caches(), FULL))
    assert (found.l1_hits.mean, found.l2_hits.mean, found.dram.mean) == (0, 0, 1)


def test_lines_of_one_set_conflict_though_the_cache_has_room() -> None:
    """Four sets of one way; lines 0 and 5 share set 0 (5 ^ 1 is 4), lines 0 and 1 do not."""
    apart = only(reuse_of(made([Touch(inner=128)], 4, 2), caches(Ways(4, 1)), FULL))
    same = only(reuse_of(made([Touch(inner=640)], 4, 2), caches(Ways(4, 1)), FULL))
    assert apart.l1_hits.mean == pytest.approx(6 / 8)
    assert same.l1_hits.mean == 0


def test_a_sector_that_was_not_fetched_misses_in_a_line_that_is_there() -> None:
    found = only(reuse_of(made([Touch(inner=32, lane=0)], 2, 4), caches(), FULL))
    assert found.sectors == 1
    assert found.l1_hits.mean == pytest.approx(1 / 2)


def test_what_one_sm_fetched_is_in_l2_for_the_others() -> None:
    found = only(reuse_of(made([Touch()], blocks=4), caches(sms=4), FULL))
    assert found.l1_hits.mean == 0
    assert found.l2_hits.mean == pytest.approx(3 / 4)


def test_dies_with_an_l2_each_find_nothing_of_each_other() -> None:
    """Thread blocks that read one line: of eight seven find it, of the four of one of two dies
    three; each reads a line of its own again: a die's half of L2 has room for it."""
    shared, hierarchy = made([Touch()], blocks=8), caches(l2=Ways(2, 4), sms=8)
    assert only(reuse_of(shared, hierarchy, FULL)).l2_hits.mean == pytest.approx(7 / 8)
    parts = replace(hierarchy, l2=Ways(1, 4), dies=2)
    assert only(reuse_of(shared, parts, FULL)).l2_hits.mean == pytest.approx(3 / 4)
    own = made([Touch(group=128)], blocks=8, outer=3)
    parts = replace(parts, l1=Ways(0, 0))
    assert only(reuse_of(own, parts, FULL)).l2_hits.mean == pytest.approx(2 / 3)


def test_what_memory_still_brings_for_another_sm_is_waited_for() -> None:
    together = made([Touch(outer=128)], outer=64, blocks=4)
    found = only(reuse_of(together, caches(l2=Ways(64, 4), sms=4), FULL))
    assert found.dram.mean == pytest.approx(1 / 4)
    assert found.pending == pytest.approx(3 / 4)  # three of four SMs right after the first one
    apart = made([Touch(group=128 * 64, outer=128)], outer=64, blocks=4)
    assert only(reuse_of(apart, caches(l2=Ways(64, 4), sms=4), FULL)).pending == 0
    again = made([Touch(inner=128)], outer=8, inner=64)  # each time long after it was fetched
    found = only(reuse_of(again, caches(l1=Ways(0, 0), l2=Ways(64, 4)), FULL))
    assert found.l2_hits.mean == pytest.approx(7 / 8)
    assert found.pending == 0


def test_thread_blocks_on_one_sm_share_its_l1() -> None:
    found = only(reuse_of(made([Touch()], blocks=4), caches(resident=4), FULL))
    assert found.l1_hits.mean == pytest.approx(3 / 4)


def test_a_cache_without_sets_is_passed_by() -> None:
    program = made([Touch()], outer=4)
    found = only(reuse_of(program, caches(Ways(0, 0), Ways(0, 0)), FULL))
    assert (found.l1_hits.mean, found.l2_hits.mean, found.dram.mean) == (0, 0, 1)


def test_what_is_written_twice_goes_to_memory_once_while_it_is_kept() -> None:
    kept = only(reuse_of(made([Touch(Kind.STORE, inner=128)], 2, 4), caches(), FULL))
    thrown = only(reuse_of(made([Touch(Kind.STORE, inner=128)], 2, 5), caches(), FULL))
    through = replace(caches(), write_back=False)
    assert kept.dram.mean == pytest.approx(1 / 2)
    assert thrown.dram.mean == 1
    assert only(reuse_of(made([Touch(Kind.STORE)], 3), through, FULL)).dram.mean == 1


def test_constants_have_a_cache_of_shorter_lines() -> None:
    touch = Touch(Kind.CONSTANT, lane=0, inner=64)
    fits = only(reuse_of(made([touch], 5, 4), caches(), FULL))
    thrashes = only(reuse_of(made([touch], 5, 6), caches(), FULL))
    assert fits.l1_hits.mean == pytest.approx(4 / 5)
    assert thrashes.l1_hits.mean == 0


def test_greedy_warps_have_what_they_used_last() -> None:
    """Two warps, each with two lines of its own, in a cache of two lines."""
    program = made([Touch(warp=1024, inner=128)], outer=8, inner=2, warps=2)
    alternating = only(reuse_of(program, caches(), FULL))
    greedy = only(reuse_of(program, caches(), replace(FULL, interleaving=Interleaving.GREEDY)))
    assert alternating.l1_hits.mean == 0
    assert greedy.l1_hits.mean == pytest.approx(7 / 8)


def test_warps_that_wait_at_barriers_do_not_run_ahead() -> None:
    program = made([Touch(warp=1024, inner=128)], 8, 2, warps=2, barrier=True)
    greedy = replace(FULL, interleaving=Interleaving.GREEDY)
    assert only(reuse_of(program, caches(), greedy)).l1_hits.mean == 0


def test_warps_that_do_not_do_the_same_do_not_stay_in_step() -> None:
    """Five warps fill a sector each, word by word, in a cache of four lines: in step each word goes
    to memory; where memory decides who stores, the order is drawn."""
    program = made([Touch(Kind.STORE, warp=1024, lane=0, inner=4)], outer=4, inner=8, warps=5)
    halves = program.code._replace(shares=np.array([0.5]))
    drawn = replace(program, code=halves, assumed=True)
    any_order = replace(FULL, interleaving=Interleaving.RANDOM)
    greedy = replace(FULL, interleaving=Interleaving.GREEDY)
    assert only(reuse_of(program, caches(), FULL)).dram.mean == 1
    assert only(reuse_of(drawn, caches(), FULL)) == only(reuse_of(drawn, caches(), any_order))
    assert only(reuse_of(drawn, caches(), FULL)).dram.mean < 0.9
    assert only(reuse_of(drawn, caches(), greedy)).dram.mean < 0.3


# local memory


def local(kind: Kind, warps: int, inner: int = 128) -> Touch:
    """Along the local memory of warps that have 8 lines each."""
    return Touch(kind, warp=1024, place=warps * 1024, sm=1 << 20, inner=inner)


def test_what_is_stored_to_local_memory_is_in_l1_and_goes_to_l2() -> None:
    program = made([local(Kind.LOCAL_STORE, 1), local(Kind.LOAD, 1)], outer=4, inner=8)
    study = reuse_of(program, caches(Ways(1, 8), Ways(1, 64)), FULL)
    store, load = study.accesses[0], study.accesses[1]
    assert load.l1_hits.mean == 1
    assert (store.sectors, store.dram.mean) == (4, 1 / 4)


def test_a_thread_block_has_the_local_memory_of_the_one_before_it() -> None:
    """Of the same place, but not of another SM."""
    program = made([local(Kind.LOAD, 1)], inner=8, blocks=8)
    study = only(reuse_of(program, caches(Ways(1, 8), Ways(1, 64), sms=2), FULL))
    assert study.l1_hits.mean == 3 / 4
    assert study.dram.mean == 1 / 4


def test_local_memory_of_other_places_and_sms_are_other_lines() -> None:
    program = made([local(Kind.LOAD, 2)], inner=8, blocks=4, warps=2)
    study = only(reuse_of(program, caches(Ways(1, 64), Ways(1, 256), 2, 2), FULL))
    assert study.dram.mean == 1


@pytest.mark.parametrize(("lines", "hits"), [(32, 0.99), (72, 0.79), (96, 0.42), (128, 0.20)])
def test_local_memory_a_little_larger_than_l1_hits_in_part(lines: int, hits: float) -> None:
    """Of lines that are gone over again and again, and give way at random, a share h is found with
    h = exp((h - 1) lines / ways): those that the others did not take in the meantime."""
    touch = Touch(Kind.LOAD, sm=1 << 20, place=1 << 16, inner=128)
    found = only(reuse_of(made([touch], outer=100, inner=lines), caches(Ways(1, 64)), FULL))
    assert found.l1_hits.mean == pytest.approx(hits, abs=0.03)


def test_loops_along_local_memory_are_run_to_their_end() -> None:
    program = made([local(Kind.LOAD, 1), Touch(outer=4096)], outer=60, inner=64)
    short = replace(FULL, forward=True, forward_above=0)
    shape = caches(Ways(1, 128), Ways(1, 512))
    full, left = (reuse_of(program, shape, options) for options in (FULL, short))
    assert left.steps < full.steps / 2
    assert left.accesses[0].l1_hits.mean == pytest.approx(full.accesses[0].l1_hits.mean, abs=0.02)


# the twin


class SlowCache:
    """Lists of lines, the one used last at the end."""

    def __init__(self, ways: Ways) -> None:
        self.sets = [dict[int, set[int]]() for _ in range(max(ways.sets, 1))]
        self.ways = ways.ways

    def use(self, at: int, line: int, sectors: set[int]) -> set[int]:
        """Use sectors of a line: those that were there."""
        lines = self.sets[at]
        there = lines.pop(line, set[int]())
        if len(lines) == self.ways:
            del lines[next(iter(lines))]
        lines[line] = there | sectors
        return there & sectors


def warp_accesses(
    touches: Sequence[Touch], outer: int, inner: int, block: int, warp: int
) -> Iterator[tuple[int, dict[int, set[int]]]]:
    """Number of the access, lines and their sectors."""
    for i, j, (number, t) in itertools.product(range(outer), range(inner), enumerate(touches)):
        found = dict[int, set[int]]()
        for lane in range(32):
            if t.mask >> lane & 1:
                address = t.base + t.warp * warp + t.lane * lane + t.group * block
                address += t.outer * i + t.inner * j
                for sector in range(address // 32, (address + t.size - 1) // 32 + 1):
                    found.setdefault(sector // 4, set()).add(sector % 4)
        if found:
            yield number, found


def slow_l1(
    touches: Sequence[Touch], outer: int, inner: int, blocks: int, warps: int, shape: Hierarchy
) -> dict[int, tuple[int, int]]:
    """Sectors and hits in L1 by access, over all SMs, warps in turn."""
    found: dict[int, tuple[int, int]] = dict.fromkeys(range(len(touches)), (0, 0))
    for sm in range(min(shape.sms, blocks)):
        cache, places = SlowCache(shape.l1), min(shape.resident, -(-blocks // shape.sms))
        own = list(range(sm, blocks, min(shape.sms, blocks)))
        waiting = {p: own[p::places] for p in range(places)}
        running = {
            (p, w): warp_accesses(touches, outer, inner, waiting[p][0], w)
            for p in range(places) if waiting[p] for w in range(warps)
        }  # fmt: skip
        while running:
            for place, warp in sorted(running):
                if (place, warp) not in running:
                    continue
                try:
                    number, lines = next(running[place, warp])
                except StopIteration:
                    del running[place, warp]
                    if not any(p == place for p, _ in running):
                        del waiting[place][0]
                        for w in range(warps if waiting[place] else 0):
                            block = waiting[place][0]
                            running[place, w] = warp_accesses(touches, outer, inner, block, w)
                    continue
                if touches[number].kind is Kind.LOAD:
                    for line, sectors in lines.items():
                        at = (line ^ (line // shape.l1.sets)) % shape.l1.sets
                        hits = len(cache.use(at, line, sectors))
                        asked, hit = found[number]
                        found[number] = asked + len(sectors), hit + hits
    return found


TOUCHES = st.builds(
    Touch,
    group=st.sampled_from([0, 64, 128, 4096]),
    warp=st.sampled_from([0, 32, 128, 512]),
    lane=st.sampled_from([0, 4, 8, 36, 128]),
    outer=st.sampled_from([0, 4, 128, 8192]),
    inner=st.sampled_from([0, 4, 32, 132, 1024]),
    base=st.sampled_from([0, 24, 1 << 20]),
    size=st.sampled_from([1, 4, 8, 16]),
    mask=st.sampled_from([0xFFFFFFFF, 1, 0x0F0F0F0F, 0]),
)


@given(
    touches=st.lists(TOUCHES, min_size=1, max_size=3),
    loops=st.tuples(st.integers(1, 4), st.integers(1, 5)),
    launch=st.tuples(st.integers(1, 7), st.integers(1, 3)),
    shape=st.builds(
        caches, st.sampled_from([Ways(3, 1), Ways(3, 2), Ways(3, 16)]), st.just(Ways(64, 4)),
        st.integers(1, 3), st.integers(1, 2),
    ),
)  # fmt: skip
@settings(max_examples=60, deadline=None)
def test_l1_as_a_slow_twin_has_it(
    touches: list[Touch], loops: tuple[int, int], launch: tuple[int, int], shape: Hierarchy
) -> None:
    study = reuse_of(made(touches, *loops, *launch), shape, FULL)
    for access, (asked, hits) in slow_l1(touches, *loops, *launch, shape).items():
        assert study.accesses[access].l1_hits.mean == pytest.approx(hits / asked if asked else 0)


# reductions


SWEEP = made([Touch(group=128, inner=128 * 32, warp=512)], outer=2, inner=300, blocks=64, warps=4)
TILES = made(
    [Touch(group=512, inner=65536), Touch(warp=1 << 20, inner=128), Touch(Kind.STORE, group=512)],
    outer=1, inner=200, blocks=96, warps=4,
)  # fmt: skip


@pytest.mark.parametrize("program", [SWEEP, TILES])
def test_a_loop_that_is_left_has_the_hits_of_the_whole(program: ReuseProgram) -> None:
    shape = caches(Ways(16, 16), Ways(512, 16), sms=8, resident=2)
    full = reuse_of(program, shape, FULL)
    short = reuse_of(program, shape, replace(FULL, forward=True, forward_above=0))
    assert short.steps < full.steps / 5
    for access, found in short.accesses.items():
        assert found.l1_hits.mean == pytest.approx(full.accesses[access].l1_hits.mean, abs=0.02)
        assert found.dram.mean == pytest.approx(full.accesses[access].dram.mean, abs=0.03)


@pytest.mark.parametrize("program", [SWEEP, TILES])
def test_one_sm_stands_for_all_that_are_equal(program: ReuseProgram) -> None:
    shape = caches(Ways(16, 16), Ways(512, 16), sms=8, resident=2)
    full, short = (reuse_of(program, shape, replace(FULL, classes=c)) for c in (False, True))
    assert short.steps < full.steps / 4
    for access, found in short.accesses.items():
        assert found.l1_hits.mean == pytest.approx(full.accesses[access].l1_hits.mean, abs=0.01)
        assert found.dram.mean == pytest.approx(full.accesses[access].dram.mean, abs=0.01)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("program", [SWEEP, TILES])
def test_sampled_sets_stand_for_all(program: ReuseProgram) -> None:
    """The mean over seeds, which choose the sets, is that of all sets: sets do not know of each
    other."""
    shape = caches(Ways(16, 16), Ways(512, 16), sms=8, resident=2)
    full = reuse_of(program, shape, FULL)
    every = [reuse_of(program, shape, replace(FULL, sampled=8, seed=s)) for s in range(24)]
    assert all(s.lookups == full.lookups for s in every)
    for access, found in full.accesses.items():
        sampled = np.array([s.accesses[access].dram.mean for s in every])
        error = 3 * sampled.std() / np.sqrt(len(sampled)) + 1e-9
        assert abs(sampled.mean() - found.dram.mean) <= error


def test_trials_are_the_seeds_and_differ() -> None:
    shape, options = caches(Ways(2, 2), Ways(8, 4), sms=4), CacheOptions(trials=4, seed=3)
    program = made([Touch(warp=128, inner=128)], outer=3, inner=7, blocks=8, warps=3)
    options = replace(options, interleaving=Interleaving.RANDOM)
    first, again = (only(reuse_of(program, shape, options)) for _ in range(2))
    other = only(reuse_of(program, shape, replace(options, seed=4)))
    assert first == again
    assert first != other
    assert first.l1_hits.deviation > 0


def test_an_access_that_no_lane_makes_has_no_sectors() -> None:
    found = only(reuse_of(made([Touch(mask=0)], outer=3), caches(), FULL))
    assert (found.sectors, found.l1_hits.mean, found.dram.mean) == (0, 0, 0)


def test_ways_of_a_size_leave_no_line_over() -> None:
    assert Ways.of(98304, 64) == Ways(12, 64)
    assert Ways.of(30720, 64) == Ways(4, 60)
    assert Ways.of(0, 16) == Ways(0, 0)
    assert Ways.of(128, 16) == Ways(1, 1)
