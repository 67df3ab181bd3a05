"""Which accesses miss which cache, by reuse distance in least recently used sets.

The warps of one SM go through their accesses in turn, each with its own addresses, and ask L1; a
warp whose turn it is goes on as long as it needs nothing that it waits for. What misses there, and
all stores, goes to the L2 that all SMs share, whose requests are interleaved again. Both caches are
sets of ways, the least recently used of which gives way (Wang et al., HPCA 2019, section III-B.3:
reuse distance theory, all caches least recently used). Every trial draws other delays of warps and
SMs; mean and deviation are over the trials.

Three reductions, each of which can be switched off (:class:`kcc.sim.caches.options.CacheOptions`):
some of the sets of L2 are looked at; one SM stands for all, moved by the numbers of its thread
blocks; a loop is left when the misses of its periods repeat, and the last period stands for the
rest, whose lines pass through the caches when it is left.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kcc.base.records import dataclass
from kcc.sim.caches.options import CacheOptions, Interleaving
from kcc.sim.caches.reuse.layout import (
    EMPTY,
    MOST_LINES,
    PERIODS,
    RECENT,
    Asked,
    Blocks,
    First,
    Gpu,
    Lru,
    Scratch,
    Second,
    Sm,
    SmOrder,
    Tallies,
    Warps,
)
from kcc.sim.caches.reuse.program import ReuseProgram

if TYPE_CHECKING:
    from collections.abc import Sequence

Rates = tuple[float, float, float, float, float, float, bool]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

SECTOR, LINE = 32, 128

ANY_LINES = 1 << 16
"""More than any access has."""

SKEW = 8
"""Accesses that a warp, and requests that an SM, is late by at most."""

MOST_STEPS = 1 << 17
"""Accesses of warps of one SM that are simulated."""

MOST_REQUESTS = 1 << 17
"""Requests of one SM to L2 that are kept."""

ENOUGH_LOOKUPS = 1 << 16
"""Lookups in L2 above which sets are sampled."""

FEW_LOOKUPS = 1 << 12
"""Lookups in L2 that are enough where they are alike in all sets."""

AGREED = 1e-6
"""By how much the shares of two halves of the sets may differ, that few of them are enough."""

MOST_CLASSES, DRAWN_CLASSES = 4, 8
"""SMs that stand for the others, where thread blocks begin at different places of a sector, and
where some accesses happen in a share of all cases."""

MOST_ROUNDS = 12
FEWEST_SETS = 64


@dataclass(frozen=True, slots=True)
class Ways:
    """A cache of ``sets`` of ``ways`` lines; 0 sets: there is none."""

    sets: int
    ways: int

    @staticmethod
    def of(size_bytes: int, ways: int, line_bytes: int = LINE) -> Ways:
        """The cache of a size: of as many ways, or a few less so that no line is left over."""
        lines = size_bytes // line_bytes
        if lines <= 0:
            return Ways(0, 0)
        sets = max(1, round(lines / max(ways, 1)))
        return Ways(sets, max(1, lines // sets))


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """The caches of a GPU and what a launch has of it: ``resident`` thread blocks on each of
    ``sms``. ``l1`` has no sets where loads pass it by, and asks for ``fetch_sectors`` at least.
    ``l2`` is that of one of so many ``dies``, to which the thread blocks of a launch go in turn.
    After an access to more than ``lines_at_once`` another warp's turn comes."""

    l1: Ways
    l2: Ways
    constant: Ways
    sms: int
    resident: int
    write_back: bool = True
    fetch_sectors: int = 1
    dies: int = 1
    lines_at_once: int = ANY_LINES


@dataclass(frozen=True, slots=True)
class Rate:
    """Mean and standard deviation over the ``trials``; one alone says nothing of the latter."""

    mean: float
    deviation: float
    trials: int = 1


@dataclass(frozen=True, slots=True)
class Reuse:
    """Of the sectors of an access: those that hit the first cache (L1, or the constant cache), of
    those that L2 is asked for those that hit there, and what DRAM reads or writes, by the
    ``sectors`` of an execution; an access that no warp came to has none."""

    sectors: float
    l1_hits: Rate
    l2_hits: Rate
    dram: Rate
    pending: float
    """Of the sectors that are read from L2, those that DRAM is still bringing for another SM."""
    fetched: float
    """Sectors that L2 is asked for by one of the access: what misses, and what L1 fetches with
    it."""
    unseen: bool = False
    """Of what L2 is asked for nothing came to it before the analysis was cut: what it finds there,
    and DRAM, is not known."""


@dataclass(frozen=True, slots=True)
class ReuseStudy:
    """What was found, by access; ``steps`` and ``lookups`` say how much was looked at. With
    ``cut`` the first rounds of thread blocks were too long to be looked at as a whole."""

    accesses: Mapping[int, Reuse]
    steps: int
    lookups: int
    sampled: int
    cut: bool


def reuse_of(program: ReuseProgram, caches: Hierarchy, options: CacheOptions) -> ReuseStudy:
    """The hits of all accesses of a program."""
    trials = [_Trial(program, caches, options, t).run() for t in range(options.trials)]
    by_access = [[trial.rates[i] for trial in trials] for i in range(len(program.accesses))]
    found = {a: _merged(r) for a, r in zip(program.accesses, by_access, strict=True)}
    return ReuseStudy(
        found, sum(t.steps for t in trials), sum(t.lookups for t in trials), trials[0].sampled,
        any(t.cut for t in trials),
    )  # fmt: skip


def _merged(rates: Sequence[Rates]) -> Reuse:
    table = np.array(rates)
    means, deviations = table.mean(axis=0), table.std(axis=0)
    l1, l2, dram = (Rate(float(means[i]), float(deviations[i]), len(rates)) for i in (1, 2, 3))
    unseen = any(row[6] for row in rates)
    return Reuse(float(means[0]), l1, l2, dram, float(means[4]), float(means[5]), unseen)


@dataclass(frozen=True, slots=True)
class _Found:
    rates: Sequence[Rates]
    steps: int
    lookups: int
    sampled: int
    cut: bool


@dataclass(frozen=True, slots=True)
class _Requests:
    """What SMs ask of L2, as :func:`kcc.sim.caches.reuse.l2_native.run_l2` takes it."""

    requests: Ints
    weights: Floats
    bounds: Ints
    repeats: int

    @property
    def number(self) -> int:
        """Of all SMs, in all rounds."""
        first, end = self.bounds[:, 1], self.bounds[:, 2]
        return int((first - self.bounds[:, 0] + self.repeats * (end - first)).sum())


class _Trial:
    def __init__(
        self, program: ReuseProgram, caches: Hierarchy, options: CacheOptions, number: int
    ) -> None:
        self.program, self.caches, self.options = program, caches, options
        self.random = np.random.default_rng((options.seed, number))
        self.skew = SKEW if number or options.trials > 1 else 0
        self.order = self._order()
        self.blocks = math.prod(program.grid)
        self.resident = min(caches.resident, -(-self.blocks // caches.sms))
        self.active = min(caches.sms, self.blocks)
        self.all_rounds = self.blocks / (self.active * self.resident)
        self.rounds = self._rounds()
        lines = program.lines * min(self.rounds / self.all_rounds, 1.0)
        steps = program.executions * min(self.own_rounds / self.all_rounds, 1.0) / self.active
        is_long = lines > options.forward_above or steps > MOST_STEPS
        self.forward = options.forward and is_long

    def _order(self) -> Interleaving:
        """Whose turn it is: anyone's, where memory decides when warps come to an access: those that
        do not do the same do not stay in step."""
        asked = self.options.interleaving
        round_robin = asked is Interleaving.ROUND_ROBIN
        return Interleaving.RANDOM if round_robin and self.program.assumed else asked

    def _rounds(self) -> int:
        """Rounds that are simulated: all of few, else until a row of thread blocks has passed that
        may share with the one before, and one more."""
        if not self.options.classes:
            return min(math.ceil(self.all_rounds), MOST_ROUNDS)
        x, y, z = self.program.grid
        row = x / (self.active * self.resident) if y * z > 1 else 0.0
        return min(math.ceil(self.all_rounds), max(2, math.ceil(row) + 2), MOST_ROUNDS)

    @property
    def own_rounds(self) -> int:
        """Of those, the ones in which the SM is looked at itself."""
        return min(self.rounds, 2) if self.options.classes else self.rounds

    def run(self) -> _Found:
        count = len(self.program.accesses)
        if not count:
            return _Found((), 0, 0, 1, cut=False)
        alike = self._alike()
        asked = {number: self._sm(number) for number in dict.fromkeys(alike)}
        first = np.sum([asked[number].counts[: self.own_rounds] for number in alike], axis=0)
        second, lookups, sampled = self._l2(asked, alike)
        l1, l2 = _whole(first, self.all_rounds), _whole(second, self.all_rounds)
        rates = [_rates(l1[i], l2[i]) for i in range(count)]
        steps = [int(a.totals[1]) for a in asked.values()]
        cut = max(steps) >= MOST_STEPS
        cut = cut or any(len(a.requests) == MOST_REQUESTS for a in asked.values())
        return _Found(rates, sum(steps), lookups, sampled, cut)

    def _alike(self) -> list[int]:
        """For each SM the one that stands for it: with as many thread blocks, which lie alike."""
        if not self.options.classes:
            return list(range(self.active))
        different, found = self._different(), dict[tuple[int, int], int]()
        most = self.own_rounds * self.resident
        return [
            found.setdefault((sm % different, min(most, -((sm - self.blocks) // self.active))), sm)
            for sm in range(self.active)
        ]

    def _different(self) -> int:
        """SMs that differ in how their thread blocks lie in sectors, a few of many; some where
        what happens is drawn."""
        code = self.program.code
        if (code.shares < 1).any() or (code.entered < 1).any():
            return min(DRAWN_CLASSES, self.active)
        steps = code.groups[:, :3][:, [n > 1 for n in self.program.grid]].ravel()
        period = SECTOR // math.gcd(*(int(c) for c in steps), SECTOR)
        return min(period, MOST_CLASSES, self.active)

    def _sm(self, number: int) -> Asked:
        """What an SM asks of L2, and what its own caches had."""
        from kcc.sim.caches.reuse.sm_native import run_sm

        program, caches, draws = self.program, self.caches, self.random
        loops, slots = len(program.code.loops), self.resident * program.warps
        x, y, _ = program.grid
        sm = Sm(
            number, self.active, self.resident, self.own_rounds, program.warps, self.blocks, x, y,
            int(self.order.order), self.forward, caches.l1.sets > 0, MOST_STEPS,
            caches.fetch_sectors, caches.lines_at_once,
        )  # fmt: skip
        late = draws.integers(0, self.skew + 1, slots)
        run_sm(
            program.code, sm, _warps(slots, loops, late, draws), _blocks(self.resident),
            _tallies(loops), _lru(caches.l1, loops), _lru(caches.constant, loops),
            asked := _asked(self.rounds, len(program.accesses)), _scratch(),
        )  # fmt: skip
        found = int(asked.totals[0])
        return asked._replace(requests=asked.requests[:found], weights=asked.weights[:found])

    def _l2(self, asked: Mapping[int, Asked], alike: Sequence[int]) -> tuple[Floats, int, int]:
        """Sectors at L2 by round and access, lookups, and of how many sets one was looked at."""
        every = list(asked.values())
        ordered = [np.argsort(a.requests[:, 4], kind="stable") for a in every]
        bounds = _bounds(asked, alike)
        repeats = self.rounds - 1 if self.options.classes else 1
        requests = _Requests(
            np.concatenate([a.requests[o] for a, o in zip(every, ordered, strict=True)]),
            np.concatenate([a.weights[o] for a, o in zip(every, ordered, strict=True)]),
            bounds, repeats,
        )  # fmt: skip
        total, sets = requests.number, max(self.caches.l2.sets, 1)
        sampled = self.options.sampled or _sampling(total, sets, ENOUGH_LOOKUPS)
        few = _sampling(total, sets, FEW_LOOKUPS)
        if few > 2 * sampled and self._may_be_few:
            counts, lookups = self._through(requests, few, np.random.default_rng(few), halves=2)
            if agree(counts[0], counts[1]):
                return counts.sum(axis=0), lookups, few
        counts, lookups = self._through(requests, sampled, self.random)
        return counts[0], lookups, sampled

    @property
    def _may_be_few(self) -> bool:
        """Whether sets know nothing of each other, so that few of them can say how far they differ:
        not where lines pass through all of them when a loop is left, nor where turns are drawn."""
        options = self.options
        drawn = self.skew or self.order is Interleaving.RANDOM
        return options.classes and not (options.sampled or self.forward or drawn)

    def _through(
        self, asked: _Requests, sampled: int, random: np.random.Generator, halves: int = 1
    ) -> tuple[Floats, int]:
        """Sectors at L2 by half of the sets, round and access, and lookups."""
        from kcc.sim.caches.reuse.l2_native import run_l2

        caches, code = self.caches, self.program.code
        sets, ways = max(caches.l2.sets, 1), max(caches.l2.ways, 1)
        gpu = Gpu(
            self.active, self.resident, asked.repeats, self.blocks,
            int(self.order.order), sets, sampled,
            int(random.integers(0, sampled)), halves - 1, caches.write_back,
            self.resident * self.program.warps, caches.dies,
        )  # fmt: skip
        counts = np.zeros((halves, self.rounds, len(self.program.accesses), len(Second)))
        lookups = run_l2(
            code, gpu, _lru(Ways(-(-sets // sampled), ways), len(code.loops), sets),
            asked.requests, asked.weights, asked.bounds, self._places(),
            _sm_order(random.integers(0, self.skew + 1, self.active), len(code.loops)),
            random.integers(0, 1 << 62, 1).astype(np.uint64), counts,
        )  # fmt: skip
        if not caches.l2.sets:
            counts[..., Second.HITS] = 0
            counts[..., Second.DRAM_WRITES] = counts[..., Second.WRITES]
        return counts, lookups

    def _places(self) -> Ints:
        """Numbers in x, y, z of the thread blocks that are simulated."""
        x, y, _ = self.program.grid
        count = min(self.blocks, self.rounds * self.resident * self.active)
        blocks = np.arange(count, dtype=np.int64)
        return np.stack([blocks % x, blocks // x % y, blocks // (x * y)], axis=1)


def _bounds(asked: Mapping[int, Asked], alike: Sequence[int]) -> Ints:
    """Where the requests of each SM's rounds begin and end, and whose they are."""
    own, start = dict[int, tuple[int, int, int, int]](), 0
    for number, each in asked.items():
        first = int((each.requests[:, 4] == 0).sum())
        own[number] = (start, start + first, start + len(each.requests), number)
        start += len(each.requests)
    return np.array([own[number] for number in alike], np.int64)


def _lru(cache: Ways, loops: int, sets: int = 0) -> Lru:
    """An empty cache; one whose ``sets`` are given chooses them at random, and has some of them."""
    own = max(cache.sets, 1)
    return Lru(
        np.full((own, max(cache.ways, 1)), EMPTY, np.int64), np.zeros(own), np.zeros(1),
        np.zeros(loops), np.zeros(loops), np.full(1, 1.0 / (sets or own)),
        float(sets > 0), np.zeros(1, np.int64), np.zeros(1, np.int64), np.zeros(own, np.int64),
    )  # fmt: skip


def _warps(slots: int, loops: int, late: Ints, draws: np.random.Generator) -> Warps:
    """Warps that have not begun; places without a thread block stay so."""
    return Warps(
        np.zeros(slots, np.int64), np.full(slots, 2, np.int64), late, np.zeros(slots, np.int64),
        np.zeros((slots, loops), np.int64), np.ones((slots, loops)), np.ones(slots),
        draws.integers(0, 1 << 62, 1).astype(np.uint64),
    )  # fmt: skip


def _blocks(places: int) -> Blocks:
    return Blocks(
        np.zeros(places, np.int64), np.zeros(places, np.int64), np.zeros(places, np.int64)
    )


def _tallies(loops: int) -> Tallies:
    seen, none = np.zeros((loops, PERIODS, 3), np.int64), np.zeros((4, loops), np.int64)
    return Tallies(seen, none[0], none[1], none[2], none[3])


def _sm_order(late: Ints, loops: int) -> SmOrder:
    return SmOrder(
        late, np.zeros_like(late), np.zeros_like(late), np.zeros_like(late),
        np.zeros(loops, np.int64), np.full((RECENT, 2), -1, np.int64),
    )  # fmt: skip


def _asked(rounds: int, accesses: int) -> Asked:
    return Asked(
        np.empty((MOST_REQUESTS, 6), np.int64), np.empty((MOST_REQUESTS, 2)),
        np.zeros((rounds, accesses, len(First))), np.zeros(3, np.int64),
    )  # fmt: skip


def _scratch() -> Scratch:
    return Scratch(
        np.zeros(MOST_LINES, np.int64), np.zeros(MOST_LINES, np.int64), np.zeros(5, np.int64)
    )


def _sampling(lookups: int, sets: int, enough: int) -> int:
    """Of how many sets one is looked at, so that ``enough`` lookups are left: a power of two."""
    wanted = max(1, lookups // enough)
    most = max(1, sets // FEWEST_SETS)
    return 1 << (min(wanted, most).bit_length() - 1)


def agree(one: Floats, other: Floats) -> bool:
    """Whether two halves of the sets, by round and access, say the same: that there were sectors of
    an access, and of them what hits, what goes to DRAM and what is on its way, as shares."""
    found, of = (half[..., Second.READS] + half[..., Second.WRITES] for half in (one, other))
    off = one[..., _SHARES] * of[..., None] - other[..., _SHARES] * found[..., None]
    near = np.abs(off) <= AGREED * (found * of)[..., None]
    return bool(near.all()) and bool(((found > 0) == (of > 0)).all())


_SHARES = [Second.HITS, Second.DRAM_WRITES, Second.PENDING]


def _whole(counts: Floats, rounds: float) -> Floats:
    """Of all rounds: those that were not simulated are as the last one that was."""
    more = max(rounds - len(counts), 0.0)
    return counts.sum(axis=0) + more * counts[-1]


def _rates(l1: Floats, l2: Floats) -> Rates:
    """Sectors of an execution; hits of the first level, of L2, what DRAM moves, what of the reads
    of L2 is on its way from there, and what L2 is asked for, as shares; whether L2 saw none of
    it."""
    asked = l1[First.SECTORS]
    hits = l1[First.HITS] / asked if asked else 0.0
    at_l2 = l2[Second.READS] + l2[Second.WRITES]
    missed = l2[Second.READS] - l2[Second.HITS] + l2[Second.DRAM_WRITES]
    beyond = missed / at_l2 if at_l2 else 0.0
    executed = l1[First.EXECUTED]
    with_them = l1[First.FETCHED] - (asked - l1[First.HITS])
    fetched = 1.0 - hits + (with_them / asked if asked else 0.0)
    pending = l2[Second.PENDING] / l2[Second.READS] if l2[Second.READS] else 0.0
    return (
        asked / executed if executed else 0.0, hits, 1.0 - beyond, fetched * beyond, pending,
        fetched, bool(asked and fetched > 0.0 and not at_l2),
    )  # fmt: skip
