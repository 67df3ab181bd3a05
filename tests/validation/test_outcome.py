"""Figures of measured rows, computed by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kcc.validation.outcome import Outcome, figures, regrets

ROW = Outcome("t", 0, "k", "g", "NVIDIA Volta", 100.0, failed=False, choice="all",
              time_us=80.0, low_us=50.0, high_us=110.0, seconds=0.5)  # fmt: skip
SLOW = replace(ROW, measured_us=200.0, time_us=250.0, low_us=210.0, high_us=300.0)
BEST = replace(ROW, measured_us=90.0, time_us=90.0, low_us=45.0, high_us=180.0)
REFUSED = replace(ROW, time_us=None, reason="K807: unknown")
TOLD = replace(ROW, measured_us=None, failed=True, time_us=None)
NOT_TOLD = replace(ROW, measured_us=None, failed=True)


def test_figures() -> None:
    found = figures([ROW, SLOW, BEST, REFUSED, TOLD, NOT_TOLD])
    assert (found.rows, found.estimated, found.failed, found.told, found.refused) == (6, 3, 2, 1, 1)
    assert found.mean == pytest.approx((20 + 25 + 0) / 3)
    assert (found.median, found.largest) == (pytest.approx(20), pytest.approx(25))
    assert found.bias == pytest.approx(0.0, abs=1e-9)  # 0.8 x 1.25 x 1
    assert found.correlation == pytest.approx(0.5)  # ranks 1 2 0 and 0 2 1
    assert found.regret == pytest.approx(100 * (100 / 90 - 1))
    assert found.coverage == pytest.approx(200 / 3)
    assert found.width == pytest.approx(2.2)
    assert found.seconds == pytest.approx(3.0)


def test_nothing_is_said_of_nothing() -> None:
    found = figures([REFUSED])
    assert (found.mean, found.correlation, found.coverage) == (None, None, None)


def test_regret_is_that_of_each_choice() -> None:
    other = replace(ROW, choice="other", measured_us=10.0, time_us=1.0)
    alone = replace(ROW, choice="alone")
    free = replace(ROW, choice="", time_us=1.0)
    assert regrets(
        [ROW, BEST, other, replace(other, measured_us=5.0, time_us=2.0), alone, free]
    ) == [
        pytest.approx(100 * (100 / 90 - 1)),
        pytest.approx(100.0),
    ]
