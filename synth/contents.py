"""What the miniature's buffers hold where addresses come out of them.

Beyond Yu et al. (IEEE TC 2015), who clone addresses that are affine in the thread's id: an array of
indices is described by a line through its values, the spread about it and its bounds, and filled
anew from these. So an indirect access keeps its place in the chain of dependences, and its
locality: neighbouring rows stay neighbours, scattered ones scattered.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
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

FEW = 16
"""Different values that are told one by one."""

QUANTILES = 64
"""Classes of size of others."""

LEAST_PIECE = 32
"""Values that a line stands for, at least."""


class Form(Enum):
    """How the values of an array are described."""

    LINE = "by a line through them"
    CLASSES = "by how often each is there"
    SUMS = "by how often each step from one to the next is there"


@dataclass(frozen=True, slots=True)
class Use:
    """What a kernel does with integers that it loads: they decide conditions and trips, and
    addresses are made of them."""

    decides: bool
    addresses: bool


ADDRESSES_ONLY = Use(decides=False, addresses=True)


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
    contents: NDArray[np.uint8], offset: int, end: int, stride: int, size: int,
    use: Use = ADDRESSES_ONLY,
) -> tuple[Fill, ...]:  # fmt: skip
    """The integers of ``size`` bytes at ``offset`` and every ``stride`` bytes on, to ``end``
    (that of the last one), by pieces of the array; the first and the last go on to its ends and
    beyond, where a miniature may go.

    Few different values are described by how often each is there, starts of rows (all there are) by
    what lies between them, others by lines; where they decide something, in 64 classes of size.
    """
    stride = max(stride, size)
    values = _elements(contents, offset, end, stride, size)
    if _form(values, use) is Form.SUMS:
        whole = _elements(contents, offset % stride, len(contents) - size, stride, size)
        if _form(whole, use) is Form.SUMS:
            offset, values = offset % stride, whole
    before, first = divmod(offset, stride)
    last = (len(contents) + slack_bytes(len(contents)) - first - size) // stride + 1
    found = list[Fill]()
    form = _form(values, use)
    pieces = _pieces(values) if form is Form.LINE else _equal_pieces(len(values))
    for number, (start, stop) in enumerate(pieces):
        own = values[start:stop]
        usable = own[_indices(own)]
        begin, slope, spread = _line(own)
        head = before if number == 0 else 0
        ending = last - before if number == len(pieces) - 1 else stop
        if form is Form.SUMS:
            begin, slope, head = float(own[0]), 0.0, 0
        some, often = _classes(values, start, stop, form, use)
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
                some,
                often,
                form is Form.SUMS,
            )
        )
    return tuple(found)


def _elements(contents: NDArray[np.uint8], offset: int, end: int, stride: int, size: int) -> Ints:
    places = np.arange(offset, end + 1, stride)[:, None] + np.arange(size)
    return contents[places].view(f"<i{size}").reshape(-1).astype(np.int64)


def _form(values: Ints, use: Use) -> Form:
    if len(np.unique(values[: 1 << 16])) <= FEW and len(np.unique(values)) <= FEW:
        return Form.CLASSES
    if not use.decides:
        return Form.LINE
    if int(np.diff(values).min()) >= 0:
        return Form.SUMS
    return Form.LINE if use.addresses else Form.CLASSES


def _equal_pieces(count: int) -> list[tuple[int, int]]:
    number = max(min(PIECES, count // LEAST_PIECE), 1)
    return [(count * n // number, count * (n + 1) // number) for n in range(number)]


def _classes(
    values: Ints, start: int, stop: int, form: Form, use: Use
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Values of a piece and how often each is there; of a line the marks beside it alone, if they
    decide anything."""
    own = values[start:stop]
    match form:
        case Form.SUMS:
            own = np.diff(values[start : stop + 1])
            own = own if len(own) else np.zeros(1, np.int64)
        case Form.LINE if not use.decides:
            return (), ()
        case Form.LINE:
            own = own[~_indices(own)]
        case Form.CLASSES:
            pass
    found, often = np.unique(own, return_counts=True)
    if len(found) > FEW:
        found, often = _by_size(own)
    return tuple(found.tolist()), tuple(often.tolist())


def _by_size(values: Ints) -> tuple[Ints, Ints]:
    """Values in 64 classes by size, each by its mean, with the same sum: where it is no whole
    number, by the two next to it."""
    rows = dict[int, int]()
    for group in np.array_split(np.sort(values), QUANTILES):
        if len(group):
            mean, more = divmod(int(group.sum()), len(group))
            rows[mean] = rows.get(mean, 0) + len(group) - more
            if more:
                rows[mean + 1] = rows.get(mean + 1, 0) + more
    return np.array(list(rows), np.int64), np.array(list(rows.values()), np.int64)


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
