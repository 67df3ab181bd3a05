"""Rank correlations of an ablation, against values computed by hand."""

from __future__ import annotations

import numpy as np
import pytest

from kcc.report.estimate.ablation import kendall, ranks, spearman


def test_equal_values_share_a_rank() -> None:
    assert ranks(np.array([3.0, 1.0, 3.0, 2.0])).tolist() == [2.5, 0.0, 2.5, 1.0]


def test_spearman_by_hand() -> None:
    # Ranks 0..4 against 0 2 1 4 3: 1 - 6 (0 + 1 + 1 + 1 + 1) / (5 (25 - 1)).
    first, second = np.arange(5.0), np.array([0.0, 2.0, 1.0, 4.0, 3.0])
    assert spearman(first, second) == pytest.approx(1 - 24 / 120)


def test_kendall_by_hand() -> None:
    # Ten pairs, of which two stand the other way round.
    first, second = np.arange(5.0), np.array([0.0, 2.0, 1.0, 4.0, 3.0])
    assert kendall(first, second) == pytest.approx(0.6)
    # A tie counts in the root only: 9 of 10 pairs are apart in the second, all in the right order.
    assert kendall(first, np.array([0.0, 1.0, 1.0, 2.0, 3.0])) == pytest.approx(9 / np.sqrt(90))


def test_nothing_to_rank() -> None:
    assert spearman(np.ones(3), np.arange(3.0)) is None
    assert kendall(np.ones(1), np.ones(1)) is None
