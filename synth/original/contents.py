"""What the miniature's buffers hold where addresses come out of them.

Beyond Yu et al. (IEEE TC 2015), who clone addresses that are affine in the thread's id: an array of
indices is described by a line through its values, the spread about it and its bounds, and filled
anew from these. So an indirect access keeps its place in the chain of dependences, and its
locality: neighbouring rows stay neighbours, scattered ones scattered.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from kcc.base.records import dataclass
from kcc.synth.assembly.model import Fill
from kcc.synth.original.coarse import FEW, LEAST_TOLD, TRUTHS, extremes, told, truncated
from kcc.synth.original.order import NONE, SAMPLE, Correlation, ascends_in, correlation_of

Ints = NDArray[np.int64]

LEAST_CORRELATION = 0.5
"""Below it a line through the values says too little to follow it."""

OUTER = 10.0
"""Percent of the values on each side that may lie outside the spread."""


PIECES = 64
"""Lines that describe an array, at most."""

LEAST_PIECE = 32
"""Values of a piece, at least, where an array has as many."""


class Form(Enum):
    """How the values of an array are described."""

    LINE = "by a line through them"
    CLASSES = "by how often each is there"
    SUMS = "by how often each step from one to the next is there"


@dataclass(frozen=True, slots=True)
class Coding:
    """What stands for values that are compared with a few numbers and used for nothing else: on
    which side of each they are. The numbers themselves become odd ones, in the same order."""

    thresholds: tuple[int, ...]
    is_unsigned: bool

    def coded(self, values: Ints, size: int) -> Ints:
        """What stands for values of that many bytes."""
        limits = np.array(self.thresholds, np.int64)
        if self.is_unsigned and size < 8:
            values = values & ((1 << (8 * size)) - 1)
        low, high = (np.searchsorted(limits, values, side) for side in ("left", "right"))
        return (low + high).astype(np.int64)

    def code(self, threshold: int) -> int:
        """What stands for one of the numbers."""
        return 2 * self.thresholds.index(threshold) + 1


@dataclass(frozen=True, slots=True)
class Use:
    """What a kernel does with integers that it loads: they decide conditions and trips, and
    addresses are made of them; it may take them apart into fields of ``field_bytes``, 0 if not.
    ``marks`` are what it tests them for before it uses them: no child, the end of a list."""

    decides: bool
    addresses: bool
    field_bytes: int = 0
    marks: frozenset[int] = frozenset()
    coding: Coding | None = None


ADDRESSES_ONLY = Use(decides=False, addresses=True)


@dataclass(frozen=True, slots=True, eq=False)
class Array:
    """Elements of ``size`` bytes at ``offset`` and every ``stride`` bytes on, to ``end`` (that of
    the last one) in ``contents``, all bytes of a buffer. ``reads`` says how often a kernel loads
    each: what is not loaded does not matter."""

    contents: NDArray[np.uint8]
    offset: int
    end: int
    stride: int
    size: int
    reads: Ints
    parts: int = 1
    """Elements that a lane loads at once, in one word; they have no signs then."""
    coding: Coding | None = None

    @property
    def values(self) -> Ints:
        places = np.arange(self.offset, self.end + 1, self.stride)[:, None] + np.arange(self.size)
        kind = "u" if self.parts > 1 else "i"
        found = self.contents[places].view(f"<{kind}{self.size}")
        values = found.reshape(-1).astype(np.int64)
        return values if self.coding is None else self.coding.coded(values, self.size)

    @property
    def whole(self) -> Array:
        """The same from one end of the buffer to the other, as if each were read once."""
        first, end = self.offset % self.stride, len(self.contents) - self.size
        reads = np.ones((end - first) // self.stride + 1, np.int64)
        return Array(
            self.contents, first, end, self.stride, self.size, reads, self.parts, self.coding
        )


def array_of(contents: NDArray[np.uint8], offset: int, end: int, stride: int, size: int) -> Array:
    """Elements that are each read once."""
    stride = max(stride, size)
    reads = np.ones((end - offset) // stride + 1, np.int64)
    return Array(contents, offset, end, stride, size, reads)


def rows_in(array: Array, use: Use) -> Ints | None:
    """The starts of rows, if that is what an array holds."""
    if _form(array.values[array.reads > 0], use) is not Form.SUMS:
        return None
    values = array.whole.values
    return values if _form(values, use) is Form.SUMS else None


def described(
    array: Array, use: Use = ADDRESSES_ONLY, starts: Mapping[int, Ints] | None = None
) -> tuple[Fill, ...]:
    """An array by its pieces; the first and the last go on to the ends of the buffer and beyond,
    where a miniature may go.

    Few different values are described by how often each is there, starts of rows (all there are) by
    what lies between them, others by lines; where they decide something, in 64 classes of size,
    none of fewer values than :mod:`kcc.synth.original.coarse` allows.
    ``starts`` are the starts of rows in which values may ascend, by argument.
    """
    is_sums = rows_in(array, use) is not None
    array = array.whole if is_sums else array
    values, reads = array.values, array.reads
    form = _form(values[reads > 0], use)
    first_number = array.offset // array.stride
    starts = {name: rows - first_number for name, rows in (starts or {}).items()}
    rows = ascends_in(values, starts) if form is Form.LINE else None
    marks = use.marks if use.decides else frozenset[int]()
    lines = form is Form.LINE
    pieces = _pieces(values, reads, marks) if lines else _equal_pieces(len(values))
    before, first = divmod(array.offset, array.stride)
    size_bytes = len(array.contents)
    last = (size_bytes + slack_bytes(size_bytes) - first - array.size) // array.stride + 1
    sample = SAMPLE // len(pieces)
    found = list[Fill]()
    for number, (start, stop) in enumerate(pieces):
        head = before if number == 0 else 0
        count = (last - before if number == len(pieces) - 1 else stop) - start + head
        piece = _piece(values, reads, start, stop, form, marks)
        begin, slope, spread = piece.line
        some, often = _classes(piece, form, use)
        least, most = extremes(piece.usable)
        order = NONE if rows is not None else _correlation(piece, array.parts, sample)
        found.append(
            Fill(
                offset_bytes=first + (before + start - head) * array.stride,
                stride_bytes=array.stride,
                count=count,
                size_bytes=array.size,
                start=begin - head * slope,
                slope=slope,
                spread=spread,
                least=least,
                most=most,
                values=some,
                counts=often
                if form is Form.SUMS
                else _stretched(often, count / int(piece.reads.sum())),
                adds_up=form is Form.SUMS,
                correlation=order.coefficient,
                filtered=order.times,
                rows_of=rows,
            )
        )
    return tuple(found)


@dataclass(frozen=True, slots=True, eq=False)
class _Piece:
    """Its ``own`` values that are read, and how often; ``usable`` as indices the most of them,
    which ``used`` tells; ``steps`` from each to the next; ``apart`` what orders them about their
    ``line``: marks come before all others."""

    own: Ints
    reads: Ints
    used: NDArray[np.bool_]
    usable: Ints
    steps: Ints
    apart: Ints
    line: tuple[float, float, int]
    is_told: bool
    """Whether its values or steps are told one by one or by classes."""


def _piece(
    values: Ints, reads: Ints, start: int, stop: int, form: Form, tested: frozenset[int]
) -> _Piece:  # fmt: skip
    often = reads[start:stop]
    often = often if often.any() else np.ones_like(often)
    numbers = np.flatnonzero(often)
    own, often = values[start:stop][numbers], often[numbers]
    steps = np.diff(values[start : stop + 1])
    if form is Form.SUMS:
        line = float(own[0]), 0.0, 0
        steps = steps if len(steps) else np.zeros(1, np.int64)
        every = np.ones(len(own), np.bool_)
        return _Piece(own, often, every, own, steps, steps, line, is_told=True)
    used = _indices(own, tested)
    line = _line(numbers[used], own[used])
    apart = own if form is Form.CLASSES else own - np.floor(line[1] * numbers).astype(np.int64)
    marks = own - own.max() + int(apart.min()) - 1
    is_told = form is Form.CLASSES
    ranked = np.where(used, apart, marks)
    return _Piece(own, often, used, own[used], steps, ranked, line, is_told)


def _correlation(piece: _Piece, parts: int, sample: int) -> Correlation:
    """Of neighbours, with what the host is going to draw."""
    marks = len(piece.own) - len(piece.usable)
    drawn = np.sort(piece.apart)
    if not piece.is_told:
        start, _, spread = piece.line
        drawn[marks:] = np.floor(np.linspace(start, start + spread, len(piece.usable)))
    slope = 0.0 if piece.is_told else piece.line[1]
    return correlation_of(piece.apart, drawn, slope, parts, sample)


def _stretched(often: tuple[int, ...], factor: float) -> tuple[int, ...]:
    """As often in a piece that is longer than what was read of it."""
    return tuple(round(count * factor) for count in often)


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


def _classes(piece: _Piece, form: Form, use: Use) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Values of a piece and how often each is there; of a line the marks beside it alone, if they
    decide anything."""
    own, reads = piece.own, piece.reads
    match form:
        case Form.SUMS:
            own, reads = piece.steps, np.ones_like(piece.steps)
        case Form.LINE if not use.decides:
            return (), ()
        case Form.LINE:
            own, reads = own[~piece.used], reads[~piece.used]
        case Form.CLASSES:
            pass
    codes = range(2 * len(use.coding.thresholds) + 1) if use.coding else ()
    found, often = told(own, reads, TRUTHS | use.marks | frozenset(codes))
    return tuple(found.tolist()), tuple(often.tolist())


def slack_bytes(size: int) -> int:
    """Bytes after a buffer for addresses that are sums of filled contents and counters."""
    return 4096 + size // 8


def _pieces(values: Ints, reads: Ints, marks: frozenset[int]) -> list[tuple[int, int]]:
    """Stretches of values that a line each describes much better than one through two of them:
    neighbours are joined where that does not widen the spread by half."""
    most = max(min(PIECES, len(values) // LEAST_PIECE), 1)
    count = 1 << (most.bit_length() - 1)
    pieces = [(len(values) * n // count, len(values) * (n + 1) // count) for n in range(count)]

    def spread(start: int, stop: int) -> int:
        return _piece(values, reads, start, stop, Form.LINE, marks).line[2]

    while len(pieces) > 1:
        joined = list[tuple[int, int]]()
        place = 0
        while place < len(pieces):
            pair = pieces[place : place + 2]
            whole = (pair[0][0], pair[-1][1])
            spreads = [spread(a, b) for a, b in pair]
            if len(pair) == 2 and spread(*whole) <= 1.5 * max(spreads) + 1:
                joined.append(whole)
            else:
                joined += pair
            place += 2
        if len(joined) == len(pieces):
            break
        pieces = joined
    return pieces


def _line(numbers: Ints, values: Ints) -> tuple[float, float, int]:
    """Start, slope and spread of values over their numbers."""
    if len(values) < LEAST_TOLD:
        low, high = truncated(int(values.min())), truncated(int(values.max()))
        return float(low), 0.0, high - low
    slope = 0.0
    if int(values.min()) < int(values.max()):
        correlation = float(np.corrcoef(numbers, values)[0, 1])
        if abs(correlation) >= LEAST_CORRELATION:
            slope = float(np.polyfit(numbers, values.astype(np.float64), 1)[0])
    apart = values - slope * numbers
    low, high = (float(x) for x in np.percentile(apart, [OUTER, 100 - OUTER]))
    spread = (high - low) / (1 - 2 * OUTER / 100)
    return (low + high - spread) / 2, slope, round(spread)


def _indices(values: Ints, marks: frozenset[int]) -> NDArray[np.bool_]:
    """Which values can be indices: ``marks`` and negative ones among others that are not are
    what a kernel tests for before it uses them."""
    found = (values >= 0) & ~np.isin(values, list(marks))
    return found if found.any() else np.ones(len(values), np.bool_)
