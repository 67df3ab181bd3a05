"""The interval algorithm and the choice of a warp."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from kcc.sim.interval.facts import Kind, Operations, Resource
from kcc.sim.interval.intervals import FEATURES, IntervalProfile, interval_profile
from kcc.sim.interval.representative import Selection, choose_representative, two_means
from tests.sim.interval.build import Step, operations

A, L = Kind.ARITHMETIC, Kind.GLOBAL_LOAD


def profile(o: Operations, latency: list[float], repeats: int = 1) -> IntervalProfile:
    sequence = np.zeros(repeats, np.int32)
    none = np.zeros((len(o), FEATURES))
    return interval_profile(o, sequence, np.array(latency, np.float64), none, structural=False)


def test_figure_22():
    # i3 is a load of 10 cycles, i5 depends on it; i4 issues meanwhile
    o = operations([(A, 1, ()), (A, 1, ()), (L, 10, ()), (A, 1, ()), (A, 1, (2,)), (A, 1, ())])
    found = profile(o, [1, 1, 10, 1, 1, 1])
    assert found.instructions.tolist() == [4, 2]
    assert found.stall_cycles.tolist() == [8, 0]  # issued at 2, there at 12, next issue at 4
    assert found.cause.tolist() == [2, -1]
    assert found.since_cycles.tolist() == [2, 0]


def test_what_takes_a_pipeline_for_long_begins_an_interval():
    """The second and fourth operation take theirs for 8 cycles: one after the other of a warp."""
    o = operations([(A, 1, ())] * 5)
    o.busy_cycles[[1, 3]], o.resource[[1, 3]] = 8, Resource.SFU
    none = np.zeros((len(o), FEATURES))
    found = interval_profile(o, np.zeros(1, np.int32), np.ones(5), none, structural=True)
    assert found.first.tolist() == [0, 1, 3]
    assert found.instructions.tolist() == [1, 2, 2]
    assert found.stall_cycles.tolist() == [0, 6, 0]
    assert len(profile(o, [1] * 5)) == 1  # the text has no pipelines


def test_accesses_begin_an_interval_of_the_schedule():
    o = operations([(A, 1, ()), (L, 1, ()), (Kind.LOCAL, 1, ()), (A, 1, ()), (L, 1, ())])
    none = np.zeros((len(o), FEATURES))
    sequence = np.zeros(1, np.int32)
    found = interval_profile(o, sequence, np.ones(5), none, structural=False, scheduled=True)
    assert found.first.tolist() == [0, 1, 2, 4]
    assert found.instructions.tolist() == [1, 1, 2, 1]


def test_a_load_that_hits_is_no_interval():
    o = operations([(L, 2, ()), (A, 1, ()), (A, 1, (0,))])
    assert len(profile(o, [2, 1, 1])) == 1


def test_phis_and_free_operations_pass_results_on():
    o = operations([(L, 50, ()), (Kind.FREE, 0, (0,)), (Kind.PHI, 0, (1,)), (A, 1, (2,))])
    found = profile(o, [50, 0, 0, 1])
    assert found.instructions.tolist() == [1, 1]
    assert found.cause.tolist() == [0, -1]


@st.composite
def programs(draw: st.DrawFn) -> list[Step]:
    count = draw(st.integers(1, 30))
    steps = list[Step]()
    for n in range(count):
        latency = draw(st.integers(1, 40))
        reads = draw(st.lists(st.integers(0, n - 1), max_size=2)) if n else []
        steps.append((A, latency, tuple(reads)))
    return steps


@settings(deadline=None, max_examples=60)
@given(programs(), st.integers(1, 3))
def test_equation_13(steps: list[Step], slots: int):
    """The profile is that of the recurrence, written down anew."""
    done, issue = dict[int, float](), 0.0
    issues = list[float]()
    for n, (_, latency, reads) in enumerate(steps):
        issue = max([issue, *(done[r] for r in reads)])
        issues.append(issue)
        done[n] = issue + latency
        issue += slots
    o = operations(steps, slots)
    found = profile(o, [latency for _, latency, _ in steps])
    assert found.total_cycles == pytest.approx(issues[-1] + slots)
    assert found.total_instructions == slots * len(steps)
    stalls = [b - a - slots for a, b in itertools.pairwise(issues) if b - a > slots]
    assert found.stall_cycles[:-1].tolist() == pytest.approx(stalls)


def test_the_majority_is_represented():
    perf = np.array([0.10, 0.11, 0.50])
    insts = np.array([100.0, 104.0, 900.0])
    warps = np.array([30, 2, 4])
    assert choose_representative(perf, insts, warps) == 0
    assert choose_representative(perf, insts, warps, Selection.MAX) == 2
    assert choose_representative(perf, insts, warps, Selection.MIN) == 0


def test_one_warp_represents_itself():
    assert choose_representative(np.array([0.2]), np.array([5.0]), np.array([7])) == 0


def spread(points: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
    if not len(points):
        return 0.0
    centre = np.average(points, axis=0, weights=weights)
    return float(weights @ ((points - centre) ** 2).sum(axis=1))


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 2**32 - 1), st.integers(2, 9))
def test_two_means_against_all_partitions(seed: int, count: int):
    """Two groups that lie apart are found; the spread is within a tenth of the least there is."""
    random = np.random.default_rng(seed)
    points = random.normal(size=(count, 2)) + 8 * random.integers(0, 2, (count, 1))
    weights = random.integers(1, 9, count).astype(np.float64)
    cluster, centres = two_means(points, weights)
    own = float(weights @ ((points - centres[cluster]) ** 2).sum(axis=1))
    groups = [np.array([n >> k & 1 for k in range(count)], np.bool_) for n in range(2**count)]
    least = min(spread(points[g], weights[g]) + spread(points[~g], weights[~g]) for g in groups)
    assert own <= 1.1 * least + 1e-9
