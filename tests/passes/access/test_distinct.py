"""The different values of arrays against Python's sets."""

from __future__ import annotations

import numpy as np
import pytest

from kcc.passes.access.distinct import unique_values


@pytest.mark.parametrize("spread", [1, 10, 1 << 30], ids=["dense", "wide", "wider"])
def test_as_a_set_in_order(spread: int) -> None:
    values = np.random.default_rng(3).integers(-50, 50, (20, 30)) * spread
    assert unique_values(values).tolist() == sorted(set(values.ravel().tolist()))


def test_of_nothing_there_is_nothing() -> None:
    assert unique_values(np.zeros((0, 4), np.int64)).tolist() == []
