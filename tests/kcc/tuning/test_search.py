"""Searches of design spaces whose times are a formula, and what is said of them."""

from __future__ import annotations

import itertools
import math
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kcc.report.exploration.front import front_of, regret_of
from kcc.report.plots.space import DesignSpace, SpacePoint, sensitivities
from kcc.tuning.search import GUIDED, NSGA2, RANDOM, TPE, Designs, search_of

VALUES = {
    "warps": tuple(str(8 * n) for n in range(1, 9)),
    "mshrs": ("16", "32", "64", "128"),
    "bandwidth": ("200", "400", "800", "1600", "3200"),
    "scheduler": ("gto", "lrr"),
}


def space(*, priced: bool) -> tuple[Designs, list[float]]:
    """A roofline of a kernel: time falls with each parameter until another one limits it."""
    points = tuple(itertools.product(*(range(len(values)) for values in VALUES.values())))
    times, costs = list[float](), list[float]()
    for warps, mshrs, bandwidth, scheduler in points:
        w, m, b = 8 * (warps + 1), 16 << mshrs, 200 << bandwidth
        parallel = min(w, m)
        times.append(max(64 / parallel, 1600 / b) + 0.05 * scheduler + 0.1)
        costs.append(w + m / 2 + b / 50)
    return Designs(VALUES, points, tuple(costs) if priced else None), times


def run(name: str, *, priced: bool, trials: int, seed: int = 0) -> list[int]:
    designs, times = space(priced=priced)
    search = search_of(name, designs, trials, seed)
    seen = list[int]()
    while asked := search.ask():
        assert not set(asked) & set(seen)
        seen += asked
        search.tell({n: times[n] for n in asked})
    return seen


@pytest.mark.parametrize("priced", [False, True])
def test_a_guided_search_finds_the_best_and_leaves_out_most(priced: bool):
    designs, times = space(priced=priced)
    seen = run(GUIDED, priced=priced, trials=len(times))
    found = regret_of(times, designs.costs, seen)
    assert found.fastest == 0
    assert found.front_most < 0.1
    assert len(seen) < 0.7 * len(times)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", [GUIDED, RANDOM, TPE, NSGA2])
def test_budget_and_seed_decide(name: str):
    if name in (TPE, NSGA2):
        pytest.importorskip("optuna", reason="needs kcc[tune]")
    first = run(name, priced=True, trials=75)
    assert len(first) == 75
    assert first == run(name, priced=True, trials=75)
    assert first != run(name, priced=True, trials=75, seed=1)


def test_points_that_cannot_be_are_no_end():
    designs, times = space(priced=False)
    search = search_of(GUIDED, designs, 200, 0)
    seen = list[int]()
    while asked := search.ask():
        seen += asked
        search.tell({n: math.inf if n % 2 else times[n] for n in asked})
    assert any(n % 2 == 0 for n in seen)


def pairs() -> st.SearchStrategy[list[tuple[int, int]]]:
    return st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9)), min_size=1, max_size=30)


@given(pairs())
def test_the_front_is_what_nothing_dominates(points: list[tuple[int, int]]):
    def dominated(p: tuple[int, int]) -> bool:
        return any(q != p and q[0] <= p[0] and q[1] <= p[1] for q in points)

    found = [points[n] for n in front_of([c for c, _ in points], [t for _, t in points])]
    assert found == sorted({p for p in points if not dominated(p)})


@given(pairs(), st.randoms())
def test_regret_is_what_the_front_says(points: list[tuple[int, int]], draw: Random):
    costs, times = [float(c) for c, _ in points], [float(t) for _, t in points]
    seen = [n for n in range(len(points)) if draw.random() < 0.5] or [0]
    found = regret_of(times, costs, seen)
    assert found.fastest == min(times[n] for n in seen) / min(times) - 1
    lost = [
        min((times[n] for n in seen if costs[n] <= costs[k]), default=math.inf) / times[k] - 1
        for k in front_of(costs, times)
    ]
    known = [each for each in lost if each < math.inf]
    assert found.front_most == max(known, default=math.inf)
    assert found.front_missed == lost.count(math.inf)
    assert found.front_mean == pytest.approx(sum(known) / len(known) if known else math.inf)
    assert min(lost) >= 0


def test_points_cheaper_than_all_found_are_counted():
    """Of three points on the front the two cheapest were not looked at; by hand."""
    found = regret_of([9.0, 6.0, 4.0, 5.0], [1.0, 2.0, 3.0, 3.0], [3])
    assert (found.fastest, found.front_mean, found.front_missed) == (0.25, 0.25, 2)


def test_shares_of_a_product_add_up():
    """Where factors multiply each has its own part of the variance of the logarithm, by hand."""
    one, two = (1.0, 4.0), (1.0, 2.0)
    points = tuple(SpacePoint((a, b), x * y) for a, x in enumerate(one) for b, y in enumerate(two))
    first, second = sensitivities(DesignSpace({"b": ("p", "q"), "a": ("r", "s")}, points))
    assert (first.name, second.name) == ("b", "a")
    assert first.share == pytest.approx(4 / 5)  # squares of log 4 and log 2
    assert second.share == pytest.approx(1 / 5)
    assert [v.fastest_us for v in first.values] == [1.0, 4.0]
    assert [v.median_us for v in second.values] == [2.5, 5.0]
