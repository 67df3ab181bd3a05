"""The different values of an array of integers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

DENSE = 1 << 24
"""Widest range of numbers that are counted by marking each in an array of bytes."""


def unique_values(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """The different values, in order: as numpy's ``unique``, whose hashes take forty times as long
    as sorting a million different addresses, and which imports numpy.ma (10 ms)."""
    if not values.size:
        return values.ravel()
    low, high = int(values.min()), int(values.max())
    if high - low >= DENSE or high - low > 64 * values.size:
        found = np.sort(values, axis=None)
        return found[np.append(True, found[1:] != found[:-1])]
    seen = np.zeros(high - low + 1, np.bool_)
    seen[values.ravel() - low] = True
    return np.flatnonzero(seen).astype(np.int64) + low
