"""Limits within which warps do the same, for values of many lanes and iterations at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kcc.base.records import dataclass
from kcc.tracegen.static.regions import Limits

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Limit:
    """For each row (or one for all): ``low <= key . apart <= high``; not for rows that are not
    ``sure``."""

    key: Ints
    low: Ints
    high: Ints
    sure: NDArray[np.bool_]


class Gathered:
    """Limits of the rows that were used, put down in :class:`Limits`."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits

    def add(self, limit: Limit, used: NDArray[np.bool_]) -> None:
        """A limit for the rows that are ``used``."""
        rows = len(used)
        use = used & np.broadcast_to(limit.sure, rows)
        if not use.any():
            return
        low = np.broadcast_to(limit.low, rows)[use]
        high = np.broadcast_to(limit.high, rows)[use]
        if len(limit.key) == 1:
            self._require(limit.key[0], low, high)
            return
        keys = limit.key[use]
        for key in np.unique(keys, axis=0):
            own = (keys == key).all(axis=1)
            self._require(key, low[own], high[own])

    def _require(self, key: Ints, low: Ints, high: Ints) -> None:
        self.limits.require(tuple(key.tolist()), int(low.max()), int(high.min()))
