"""The Markov chain of Huang et al., IPDPS 2014, section IV.A."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from kcc.sim.sampling.markov import ipc_of, ipc_of_matrix, ipc_variation

FIGURE_5 = list(itertools.product((0.05, 0.1, 0.2), (100, 400), (4, 8, 16, 32)))


def test_one_warp_by_hand() -> None:
    """Stalled for pM of 1 + pM: with p 0.1 and 30 cycles three quarters of the time."""
    assert float(ipc_of(0.1, np.array([30.0]))) == pytest.approx(0.25)
    assert ipc_of_matrix(0.1, np.array([30.0])) == pytest.approx(0.25)


@pytest.mark.parametrize("warps", [1, 2, 3, 5, 8])
def test_product_is_the_matrix(warps: int) -> None:
    random = np.random.default_rng(warps)
    for p in (0.02, 0.1, 0.5):
        cycles = random.uniform(2, 60, warps)
        assert ipc_of_matrix(p, cycles) == pytest.approx(float(ipc_of(p, cycles)), abs=1e-9)


@pytest.mark.parametrize(("p", "cycles", "warps"), FIGURE_5)
def test_figure_5(p: float, cycles: float, warps: int) -> None:
    """Lemma 4.1: more than 95 % of the samples lie within a tenth of the average."""
    found = ipc_variation(p, cycles, warps)
    assert len(found.ipc) == 10_000
    assert found.within > 0.95
    assert found.mean == pytest.approx(float(ipc_of(p, np.full(warps, float(cycles)))), rel=0.01)


def test_figure_5_by_memory_and_warps() -> None:
    """The variation grows with memory intensity and shrinks with warps (dissertation, 3.4.1)."""

    def deviation(p: float, cycles: float, warps: int) -> float:
        found = ipc_variation(p, cycles, warps)
        return float(found.ipc.std()) / found.mean

    assert deviation(0.05, 100, 4) < deviation(0.1, 100, 4) < deviation(0.1, 400, 4)
    assert deviation(0.1, 400, 16) < deviation(0.1, 400, 4)


def test_same_seed_same_samples() -> None:
    assert ipc_variation(0.1, 100, 4).ipc.tolist() == ipc_variation(0.1, 100, 4).ipc.tolist()
    assert ipc_variation(0.1, 100, 4, seed=1).mean != ipc_variation(0.1, 100, 4).mean
