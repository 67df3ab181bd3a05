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
    """L2 as a launch left it: the order of its sets, the sectors that are there and written."""

    order: NDArray[np.int64]
    valid: NDArray[np.int64]
    written: NDArray[np.int64]


def empty_l2(machine: MemoryMachine) -> CacheState:
    """An L2 that holds nothing."""
    from kcc.sim.memory.cache_native import WAY_BITS

    ways = max(machine[Place.L2_WAYS], 1)
    lines = max(machine[Place.L2_SETS] * machine[Place.L2_SLICES], 1) * ways
    order = (-1 << WAY_BITS) | (np.arange(lines, dtype=np.int64) % ways)
    return CacheState(order, np.zeros(lines, np.int64), np.zeros(lines, np.int64))


class Trials:
    """Runs trials of a stream on a machine, whose L2 is at first as ``l2`` says."""

    def __init__(self, stream: Stream, machine: MemoryMachine, l2: CacheState, seed: int) -> None:
        self.stream, self.machine, self.l2, self.seed = stream, machine, l2, seed
        self.sizes = (stream.bounds[..., 1] - stream.bounds[..., 0]).sum(axis=1)

    def run(self, number: int) -> Trial:
        """One trial."""
        return self.run_with_state(number)[0]

    def run_with_state(self, number: int) -> tuple[Trial, CacheState]:
        """One trial, and what it leaves in L2."""
        from kcc.sim.memory.batches_native import batch_latencies
        from kcc.sim.memory.l1_native import run_sm
        from kcc.sim.memory.l2_native import run_l2

        c, s = self.machine.conf, self.stream
        random = np.random.SeedSequence([self.seed, number]).generate_state(1, np.uint64)
        counts = np.zeros((max(len(s.accesses), 1), COUNTS), np.int64)
        own = self.blocks_of_sms(int(random[0] % np.uint64(1 << 63)))
        sizes = [int(self.sizes[blocks].sum()) for blocks in own]
        starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        room = int(starts[-1])
        queue_lines, queue_info = np.empty(room, np.int64), np.empty(room, np.int64)
        l1, l1_valid = _cache(c, Place.L1_SETS, Place.L1_WAYS)
        constants, constants_valid = _cache(c, Place.CONSTANT_SETS, Place.CONSTANT_WAYS)
        ends = np.zeros(len(own), np.int64)
        for sm, blocks in enumerate(own):
            ends[sm] = run_sm(
                c, blocks, s.lines, s.info, s.bounds, s.lengths, l1, l1_valid, constants,
                constants_valid, counts, random, queue_lines, queue_info, int(starts[sm]),
            )  # fmt: skip
        after = CacheState(self.l2.order.copy(), self.l2.valid.copy(), self.l2.written.copy())
        asked = int((ends - starts[:-1]).sum())
        misses = np.empty(asked * c[Place.SECTORS] * 2 + len(after.valid) * 16, np.int64)
        missed, back = run_l2(
            c, queue_lines, queue_info, starts[:-1], ends, after.order, after.valid,
            after.written, counts, random, misses,
        )  # fmt: skip
        found = np.zeros(MOST_BATCHES)
        batches = batch_latencies(c, misses, missed, random, found)
        return Trial(counts, found[:batches].copy(), back), after

    def blocks_of_sms(self, seed: int) -> list[NDArray[np.int64]]:
        """The blocks that each SM takes, in order."""
        sms, count = self.machine[Place.SMS], self.stream.blocks
        every = np.arange(count, dtype=np.int64)
        sm_of_block = every % sms
        first = sms * self.machine[Place.BLOCKS]
        if self.machine[Place.DISPATCH] and count > first:
            rng = np.random.default_rng(seed)
            waves = -(-(count - first) // first)
            order = np.concatenate([rng.permutation(sms) for _ in range(waves)])
            taken = np.repeat(order, self.machine[Place.BLOCKS])
            sm_of_block[first:] = taken[: count - first]
        return [every[sm_of_block == sm] for sm in range(sms)]

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


def _cache(
    c: NDArray[np.int64], sets: Place, ways: Place
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    lines = max(int(c[sets]), 1) * max(int(c[ways]), 1)
    return np.zeros(lines, np.int64), np.zeros(lines, np.int64)


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
