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

OUTER = 10.0
"""Percent of the values on each side that may lie outside the spread."""


PIECES = 64
"""Lines that describe an array, at most."""

LEAST_PIECE = 32
"""Values that a line stands for, at least."""


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


def described(
    contents: NDArray[np.uint8], offset: int, end: int, stride: int, size: int
) -> tuple[Fill, ...]:
    """The integers of ``size`` bytes at ``offset`` and every ``stride`` bytes on, to ``end``
    (that of the last one), by lines through pieces of the array; the first and the last go on to
    its ends and beyond, where a miniature may go."""
    stride = max(stride, size)
    count = (end - offset) // stride + 1
    places = offset + stride * np.arange(count)[:, None] + np.arange(size)
    values = contents[places].view(f"<i{size}").reshape(-1).astype(np.int64)
    before, first = divmod(offset, stride)
    last = (len(contents) + slack_bytes(len(contents)) - first - size) // stride + 1
    found = list[Fill]()
    pieces = _pieces(values)
    for number, (start, stop) in enumerate(pieces):
        own = values[start:stop]
        usable = own[_indices(own)]
        begin, slope, spread = _line(own)
        head = before if number == 0 else 0
        ending = last - before if number == len(pieces) - 1 else stop
        found.append(
            Fill(
                first + (before + start - head) * stride,
                stride,
                ending - start + head,
                size,
                begin - head * slope,
                slope,
                spread,
                int(usable.min()),
                int(usable.max()),
            )
        )
    return tuple(found)


def slack_bytes(size: int) -> int:
    """Bytes behind a buffer for addresses that are sums of filled contents and counters."""
    return 4096 + size // 8


def _pieces(values: Ints) -> list[tuple[int, int]]:
    """Stretches of values that a line each describes much better than one through two of them:
    neighbours are joined where that does not widen the spread by half."""
    most = max(min(PIECES, len(values) // LEAST_PIECE), 1)
    count = 1 << (most.bit_length() - 1)
    pieces = [(len(values) * n // count, len(values) * (n + 1) // count) for n in range(count)]
    while len(pieces) > 1:
        joined = list[tuple[int, int]]()
        place = 0
        while place < len(pieces):
            pair = pieces[place : place + 2]
            whole = (pair[0][0], pair[-1][1])
            spreads = [_line(values[a:b])[2] for a, b in pair]
            if len(pair) == 2 and _line(values[slice(*whole)])[2] <= 1.5 * max(spreads) + 1:
                joined.append(whole)
            else:
                joined += pair
            place += 2
        if len(joined) == len(pieces):
            break
        pieces = joined
    return pieces


def _line(values: Ints) -> tuple[float, float, int]:
    """Start, slope and spread of values over their numbers."""
    numbers, slope = np.arange(len(values), dtype=np.float64), 0.0
    used = _indices(values)
    numbers, values = numbers[used], values[used]
    if len(values) > 2 and int(values.min()) < int(values.max()):
        correlation = float(np.corrcoef(numbers, values)[0, 1])
        if abs(correlation) >= LEAST_CORRELATION:
            slope = float(np.polyfit(numbers, values.astype(np.float64), 1)[0])
    apart = values - slope * numbers
    low, high = (float(x) for x in np.percentile(apart, [OUTER, 100 - OUTER]))
    spread = (high - low) / (1 - 2 * OUTER / 100)
    return (low + high - spread) / 2, slope, round(spread)


def _indices(values: Ints) -> NDArray[np.bool_]:
    """Which values can be indices: negative ones among others that are not are marks, which a
    kernel tests for before it uses them."""
    found = values >= 0
    return found if found.any() else np.ones(len(values), np.bool_)
