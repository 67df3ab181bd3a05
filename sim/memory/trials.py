"""Trials: each is a random order of a stream's accesses, seeded by its number alone, so that any
number of threads gives the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kcc.base.records import dataclass
from kcc.sim.memory.facts import COUNTS, Count, MemoryMachine, Op, Place, Stream, Trial
from kcc.sim.memory.summary import dram_latency

PILOT = 1 << 32
"""The number of the trial that says how long misses take."""

MOST_BATCHES = 64
"""Batches of requests to DRAM that are timed in a trial."""

LOOK_BACK = 8
"""Trials over which rates must have settled."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How many trials: ``most``, or fewer where ``until`` is not None: until no rate's mean or
    deviation moved by more than that share of 1 in the last :data:`LOOK_BACK` trials."""

    most: int = 64
    until: float | None = None
    seed: int = 0
    jobs: int = 1


@dataclass(frozen=True, slots=True, eq=False)
class CacheState:
    """L2 as a launch left it: the lines of each set (rows), that used last first, -1 for none, with
    the sectors that are there and those that were written."""

    lines: NDArray[np.int64]
    valid: NDArray[np.int64]
    written: NDArray[np.int64]


def empty_l2(machine: MemoryMachine) -> CacheState:
    """An L2 that holds nothing."""
    shape = machine[Place.L2_SETS] * machine[Place.L2_SLICES], machine[Place.L2_WAYS]
    return CacheState(np.full(shape, -1), np.zeros(shape, np.int64), np.zeros(shape, np.int64))


class Trials:
    """Runs trials of a stream on a machine, whose L2 is at first as ``l2`` says. Lines are numbered
    in the order of their addresses, so that caches need no more than 32 bits of them."""

    def __init__(self, stream: Stream, machine: MemoryMachine, l2: CacheState, seed: int) -> None:
        from kcc.sim.memory.cache_native import fill_ways
        from kcc.sim.memory.l1_native import CERTAIN
        from kcc.sim.memory.l2_native import sets_of_lines
        from kcc.sim.memory.sequences_native import LINE_SHIFT, OP_MASK, OP_SHIFT

        self.stream, self.machine, self.seed = stream, machine, seed
        c = self.conf = machine.conf.copy()
        self.known, numbers = np.unique(
            np.concatenate([stream.lines, l2.lines[l2.lines >= 0]]), return_inverse=True
        )
        own = numbers[: len(stream.lines)]
        self.entries = stream.info | own.astype(np.int64) << LINE_SHIFT
        self.rooms = list[_Room]()
        l1_sets, constant_sets, self.l2_sets = (
            np.zeros(len(self.known), np.int32) for _ in range(3)
        )
        sets_of_lines(c, self.known, l1_sets, constant_sets, self.l2_sets)
        is_constant = (stream.info >> OP_SHIFT) & OP_MASK == Op.CONSTANT
        self.sets = np.where(is_constant, constant_sets[own], l1_sets[own])
        self.sms = max(min(machine[Place.SMS], stream.blocks), 1)
        self.l1 = empty_cache(c[Place.L1_SETS], self.sms)
        self.constants = empty_cache(c[Place.CONSTANT_SETS], self.sms)
        (self.l2,) = each_of(empty_cache(c[Place.L2_SETS] * c[Place.L2_SLICES], 1))
        held = np.where(l2.lines >= 0, np.searchsorted(self.known, l2.lines), -1)
        fill_ways(c[Place.L2_WAYS_USED], held, l2.valid, l2.written, self.l2)
        kept = machine[Place.PINNED_FIRST], machine[Place.PINNED_LINES]
        first = int(np.searchsorted(self.known, kept[0]))
        self.pinned = first, int(np.searchsorted(self.known, sum(kept))) - first
        self.counts = _counts(stream)
        self.chances = np.full(len(self.counts), CERTAIN)
        if machine[Place.LATENCY]:
            self._set_chances(self.run(PILOT))

    def _set_chances(self, pilot: Trial) -> None:
        """How long misses of L1 take, from a trial in which all took as long as L2."""
        from kcc.sim.memory.l1_native import CERTAIN

        asked = np.maximum(pilot.counts[:, Count.L2_READS], 1)
        self.chances = pilot.counts[:, Count.L2_HITS] * CERTAIN // asked
        if len(pilot.batch_cycles):
            without = self.machine[Place.DRAM_LATENCY]
            mean = dram_latency(pilot.batch_cycles, without)
            self.conf[Place.DRAM_SPREAD] = round(2 * (mean - without))

    def run(self, number: int) -> Trial:
        """One trial."""
        return self._run(number)[0]

    def run_with_state(self, number: int) -> tuple[Trial, CacheState]:
        """One trial, and what it leaves in L2."""
        from kcc.sim.memory.cache_native import read_ways

        trial, left = self._run(number)
        found = empty_l2(self.machine)
        ways = min(self.machine[Place.L2_WAYS_USED], self.machine[Place.L2_WAYS])
        read_ways(ways, left, found.lines, found.valid, found.written)
        lines = np.append(self.known, -1)[found.lines]
        return trial, replace(found, lines=lines)

    def _run(self, number: int) -> tuple[Trial, Any]:
        """One trial, and L2 after it."""
        from kcc.sim.memory.batches_native import batch_latencies
        from kcc.sim.memory.l1_native import run_l1
        from kcc.sim.memory.l2_native import run_l2

        c, s = self.conf, self.stream
        random = np.random.SeedSequence([self.seed, number]).generate_state(1, np.uint64)
        counts, l2, room = self.counts.copy(), copy_of(self.l2), self._take_room()
        runs = run_l1(
            c, self.entries, self.sets, s.bounds, s.lengths, copy_of(self.l1),
            copy_of(self.constants), counts, random, self.chances, room.queue, room.runs,
        )  # fmt: skip
        missed, back = run_l2(
            c, room.queue, room.runs[:runs], self.sms, self.l2_sets, *self.pinned, l2, counts,
            random, room.misses,
        )  # fmt: skip
        found = np.zeros(MOST_BATCHES)
        batches = batch_latencies(c, self.known, room.misses, missed, random, found)
        self.rooms.append(room)
        return Trial(counts, found[:batches].copy(), back), l2

    def _take_room(self) -> _Room:
        """That of an earlier trial: new pages of memory take the host longer than a trial."""
        try:
            return self.rooms.pop()
        except IndexError:
            entries = len(self.entries)
            runs = self.stream.blocks + 2 * self.sms
            return _Room(
                np.empty(entries, np.int64),
                np.empty((runs, 4), np.int64),
                np.empty(entries, np.int64),
            )

    def all(self, plan: Plan) -> list[Trial]:
        """The trials of a plan, by number."""
        found = list[Trial]()
        for trial in self._each(plan):
            found.append(trial)
            if plan.until is not None and has_settled(found, plan.until):
                break
        return found

    def _each(self, plan: Plan) -> Iterator[Trial]:
        if plan.jobs == 1:
            yield from map(self.run, range(plan.most))
            return
        with ThreadPoolExecutor(plan.jobs) as pool:  # native code runs without Python's lock
            for first in range(0, plan.most, plan.jobs):
                yield from pool.map(self.run, range(first, min(first + plan.jobs, plan.most)))


@dataclass(frozen=True, slots=True, eq=False)
class _Room:
    """Of a trial: requests to L2, their runs (SM, first, end and the SM's next run), and what goes
    to DRAM."""

    queue: NDArray[np.int64]
    runs: NDArray[np.int64]
    misses: NDArray[np.int64]


def empty_cache(sets: int, number: int) -> Any:
    """So many caches that hold nothing, as rows."""
    from kcc.sim.memory.cache_native import IN_TURN, NOTHING, SIZE, WAYS, Cache

    sets = max(int(sets), 0)
    ways = sets * WAYS
    return Cache(
        np.full((number, ways), NOTHING, np.int32), np.full((number, sets), IN_TURN, np.uint64),
        np.zeros((number, ways * SIZE), np.int32),
    )  # fmt: skip


def each_of(caches: Any) -> list[Any]:
    """The rows of caches."""
    return [type(caches)(*row) for row in zip(*caches, strict=True)]


def copy_of(cache: Any) -> Any:
    """A cache that a trial may change."""
    return type(cache)(*(part.copy() for part in cache))


def _counts(stream: Stream) -> NDArray[np.int64]:
    """What all entries of a stream count before they come to a cache."""
    from kcc.sim.memory.sequences_native import counts_of

    counts = np.zeros((max(len(stream.accesses), 1), COUNTS), np.int64)
    counts_of(stream.info, counts)
    return counts


def rates(trial: Trial) -> tuple[float, float, float]:
    """Hit rates of a trial: reads of L1, reads of L2, writes to L2; 0 where there are none."""
    c = trial.counts.sum(axis=0)
    pairs = (
        (Count.L1_HITS, Count.SECTORS), (Count.L2_HITS, Count.L2_READS),
        (Count.WRITE_HITS, Count.WRITES),
    )  # fmt: skip
    hits, of, writes = (float(c[h]) / max(int(c[a]), 1) for h, a in pairs)
    return hits, of, writes


def has_settled(trials: Sequence[Trial], within: float) -> bool:
    """Whether neither mean nor deviation of any rate moved by more than ``within`` (a share of 1)
    in the last trials."""
    if len(trials) < 2 + LOOK_BACK:
        return False
    values = np.array([rates(trial) for trial in trials])
    moments = [
        (*values[:count].mean(axis=0), *values[:count].std(axis=0, ddof=1))
        for count in range(len(trials) - LOOK_BACK, len(trials) + 1)
    ]
    return bool(np.ptp(np.array(moments), axis=0).max() <= within)
