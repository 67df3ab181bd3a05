"""What the miniature's buffers hold where addresses come out of them.

Beyond Yu et al. (IEEE TC 2015), who clone addresses that are affine in the thread's id: an array of
indices is described by a line through its values, the spread about it and its bounds, and filled
anew from these. So an indirect access keeps its place in the chain of dependences, and its
locality: neighbouring rows stay neighbours, scattered ones scattered.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kcc.synth.model import Fill

if TYPE_CHECKING:
    from kcc.trace.decode import TraceBatch

Ints = NDArray[np.int64]

LEAST_CORRELATION = 0.5
"""Below it a line through the values says too little to follow it."""

OUTER = 5.0
"""Percent of the values on each side that may lie outside the spread."""


class Footprints:
    """The lowest and highest address that accesses touched, and the greatest common distance."""

    def __init__(self, accesses: Iterable[int]) -> None:
        self.found: dict[int, tuple[int, int, int]] = {}
        self._wanted = frozenset(accesses)

    def add(self, batch: TraceBatch) -> None:
        """Account for a batch of the trace."""
        if not self._wanted or not len(batch.access):
            return
        masks = np.repeat(batch.mask, np.diff(batch.access_start))
        lanes = np.arange(batch.addresses.shape[1], dtype=np.uint64)
        for access in self._wanted.intersection(np.unique(batch.access).tolist()):
            rows = np.flatnonzero(batch.access == access)
            active = (masks[rows, None] >> lanes) & np.uint64(1)
            self._add(access, batch.addresses[rows][active.astype(np.bool_)])

    def _add(self, access: int, touched: Ints) -> None:
        low, high = int(touched.min()), int(touched.max())
        step = int(np.gcd.reduce(touched - low))
        if access in self.found:
            old_low, old_high, old_step = self.found[access]
            step = math.gcd(step, old_step, low - old_low)
            low, high = min(low, old_low), max(high, old_high)
        self.found[access] = low, high, step


def described(contents: NDArray[np.uint8], offset: int, end: int, stride: int, size: int) -> Fill:
    """The integers of ``size`` bytes at ``offset`` and every ``stride`` bytes on, to ``end``
    (that of the last one), by a few numbers; the same line goes on through the whole array, in
    which a miniature may go elsewhere."""
    stride = max(stride, size)
    count = (end - offset) // stride + 1
    places = offset + stride * np.arange(count)[:, None] + np.arange(size)
    values = contents[places].view(f"<i{size}").reshape(-1).astype(np.int64)
    start, slope, spread = _line(values)
    before = offset // stride
    first = offset - before * stride
    count = (len(contents) - first - size) // stride + 1
    return Fill(
        first, stride, count, size, start - before * slope, slope, spread,
        int(values.min()), int(values.max()),
    )  # fmt: skip


def _line(values: Ints) -> tuple[float, float, int]:
    """Start, slope and spread of values over their numbers."""
    numbers, slope = np.arange(len(values), dtype=np.float64), 0.0
    if len(values) > 2 and int(values.min()) < int(values.max()):
        correlation = float(np.corrcoef(numbers, values)[0, 1])
        if abs(correlation) >= LEAST_CORRELATION:
            slope = float(np.polyfit(numbers, values.astype(np.float64), 1)[0])
    apart = values - slope * numbers
    low, high = (float(x) for x in np.percentile(apart, [OUTER, 100 - OUTER]))
    spread = (high - low) / (1 - 2 * OUTER / 100)
    return (low + high - spread) / 2, slope, round(spread)
