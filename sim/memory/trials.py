"""Trials: each is a random order of a stream's accesses, seeded by its number alone, so that any
number of threads gives the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kcc.sim.memory.facts import COUNTS, Count, MemoryMachine, Place, Stream, Trial

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
        from kcc.sim.memory.l2_native import sets_of_lines

        self.stream, self.machine, self.seed = stream, machine, seed
        c = machine.conf
        self.known, numbers = np.unique(
            np.concatenate([stream.lines, l2.lines[l2.lines >= 0]]), return_inverse=True
        )
        self.lines = numbers[: len(stream.lines)].astype(np.int32)
        sets = [np.zeros(len(self.known), np.int32) for _ in range(3)]
        sets_of_lines(c, self.known, *sets)
        self.l1 = _Cache.empty(c[Place.L1_SETS], c[Place.L1_WAYS], sets[0])
        self.constants = _Cache.empty(c[Place.CONSTANT_SETS], c[Place.CONSTANT_WAYS], sets[1])
        self.l2 = _Cache.empty(
            c[Place.L2_SETS] * c[Place.L2_SLICES], c[Place.L2_WAYS_USED], sets[2]
        )
        self.l2.fill(l2, self.known)
        kept = machine[Place.PINNED_FIRST], machine[Place.PINNED_LINES]
        first = int(np.searchsorted(self.known, kept[0]))
        self.pinned = first, int(np.searchsorted(self.known, sum(kept))) - first
        self.counts = _counts(stream)
        self.sms = max(min(machine[Place.SMS], stream.blocks), 1)

    def run(self, number: int) -> Trial:
        """One trial."""
        return self._run(number)[0]

    def run_with_state(self, number: int) -> tuple[Trial, CacheState]:
        """One trial, and what it leaves in L2."""
        trial, cells = self._run(number)
        return trial, self.l2.read(cells, self.known, self.machine[Place.L2_WAYS])

    def _run(self, number: int) -> tuple[Trial, NDArray[np.int32]]:
        from kcc.sim.memory.batches_native import batch_latencies
        from kcc.sim.memory.l1_native import run_l1
        from kcc.sim.memory.l2_native import run_l2

        c, s = self.machine.conf, self.stream
        random = np.random.SeedSequence([self.seed, number]).generate_state(1, np.uint64)
        counts = self.counts.copy()
        room = len(s.lines)
        queue_lines, queue_info = np.empty(room, np.int32), np.empty(room, np.int64)
        queue_sms = np.empty(room, np.int16)
        asked = run_l1(
            c, self.lines, s.info, s.bounds, s.lengths, self.l1.sets, self.constants.sets,
            *self.l1.copies(self.sms), *self.constants.copies(self.sms), counts, random,
            queue_lines, queue_info, queue_sms,
        )  # fmt: skip
        cells, heads = self.l2.cells.copy(), self.l2.heads.copy()
        misses = np.empty(asked * c[Place.SECTORS] * 2 + len(cells) * 2, np.int32)
        missed, back = run_l2(
            c, queue_lines, queue_info, queue_sms[:asked], self.sms, self.l2.sets, *self.pinned,
            cells, heads, counts, random, misses,
        )  # fmt: skip
        found = np.zeros(MOST_BATCHES)
        batches = batch_latencies(c, self.known, misses, missed, random, found)
        return Trial(counts, found[:batches].copy(), back), cells

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
class _Cache:
    """A cache before a trial, as cache_native has it; ``sets`` are the cells of lines' sets."""

    count: int
    ways: int
    cells: NDArray[np.int32]
    heads: NDArray[np.int32]
    sets: NDArray[np.int32]

    @classmethod
    def empty(cls, sets: int, ways: int, set_of_line: NDArray[np.int32]) -> _Cache:
        """One that holds nothing."""
        from kcc.sim.memory.cache_native import SIZE, empty_cells

        count, ways = max(int(sets), 0), max(int(ways), 1)
        cells = np.zeros((ways + 1) * count * SIZE, np.int32)
        heads = np.zeros(1 << (2 * ways * count).bit_length(), np.int32)
        empty_cells(count, ways, cells, heads)
        return cls(count, ways, cells, heads, (count * ways + set_of_line) * SIZE)

    def copies(self, number: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Cells and heads of so many."""
        return np.tile(self.cells, (number, 1)), np.tile(self.heads, (number, 1))

    def fill(self, state: CacheState, known: NDArray[np.int64]) -> None:
        """Put in what a launch left."""
        from kcc.sim.memory.cache_native import fill_cells

        held = np.where(state.lines >= 0, np.searchsorted(known, state.lines), -1)
        fill_cells(self.count, self.ways, held, state.valid, state.written, self.cells, self.heads)

    def read(self, cells: NDArray[np.int32], known: NDArray[np.int64], ways: int) -> CacheState:
        """What a trial left in cells like these, in so many ways."""
        from kcc.sim.memory.cache_native import read_cells

        held = np.full((self.count, ways), -1)
        valid, written = np.zeros_like(held), np.zeros_like(held)
        read_cells(self.count, min(self.ways, ways), cells, held, valid, written)
        return CacheState(np.append(known, -1)[np.maximum(held, -1)], valid, written)


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
