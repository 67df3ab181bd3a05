"""Sparse matrices in compressed rows, and in two padded forms made from them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kcc.base.records import dataclass
from kcc.inputs.seeds import Seed, generator

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class SparseMatrix:
    """Compressed rows: row i has ``values[starts[i]:starts[i + 1]]`` in ``columns`` likewise,
    ascending. ``starts`` int32 of rows + 1, ``columns`` int32, ``values`` float32 in [-1, 1)."""

    width: int
    starts: Ints
    columns: Ints
    values: Floats

    @property
    def rows(self) -> int:
        """The number of rows."""
        return self.starts.size - 1

    @property
    def lengths(self) -> Ints:
        """The number of entries of every row."""
        return np.diff(self.starts)

    @property
    def entry_rows(self) -> Ints:
        """The row of every entry."""
        return np.repeat(np.arange(self.rows, dtype=np.int32), self.lengths)

    def times(self, vector: Floats) -> NDArray[np.float64]:
        """The product with a vector, in double precision."""
        products = self.values.astype(np.float64) * vector[self.columns]
        return np.bincount(self.entry_rows, products, self.rows).astype(np.float64)


@dataclass(frozen=True, slots=True)
class Ellpack:
    """Rows padded to the longest and stored column by column: entry k of row i stands at
    k * rows + i. Padding is column 0, value 0. ``lengths``: entries of every row."""

    width: int
    columns: Ints
    values: Floats
    lengths: Ints


@dataclass(frozen=True, slots=True)
class Jagged:
    """Rows sorted by falling length; diagonal k holds the k-th entries of the rows that have one,
    at ``diagonals[k]`` and following. Place i holds the row ``order[i]``."""

    order: Ints
    diagonals: Ints
    columns: Ints
    values: Floats
    lengths: Ints


def banded_matrix(
    rows: int, entries: int, rng: Seed, *, longest: int | None = None
) -> SparseMatrix:
    """A square matrix whose entries fill a band around the diagonal: about `entries` of them, and
    next to no difference between rows. `longest` bounds the width of the band."""
    rng = generator(rng)
    width = min(entries // rows, rows if longest is None else longest)
    half = max(0, (width - 1) // 2)
    row = np.arange(rows)
    first, last = np.maximum(row - half, 0), np.minimum(row + half, rows - 1)
    lengths = last - first + 1
    starts = _starts(lengths)
    columns = np.arange(int(starts[-1])) - np.repeat(starts[:-1] - first, lengths)
    return _with_values(rows, starts, columns, rng)


def uniform_matrix(
    rows: int, entries: int, rng: Seed, *, longest: int | None = None
) -> SparseMatrix:
    """A square matrix with entries anywhere, every place as likely as every other. Rows are cut at
    `longest` entries."""
    rng = generator(rng)
    lengths = np.bincount(rng.integers(0, rows, entries), minlength=rows)
    return _with_lengths(rows, lengths, longest, rng)


def skewed_matrix(
    rows: int, entries: int, rng: Seed, *, longest: int | None = None
) -> SparseMatrix:
    """A square matrix with a few long rows and many short ones: the length of the i-th longest is
    near entries / (2 sqrt(rows i)), and rows are shuffled. Rows are cut at `longest` entries; what
    that takes is dealt out evenly to all rows."""
    rng = generator(rng)
    rank = (rng.random(entries) ** 2 * rows).astype(np.int64)
    lengths = np.bincount(rank, minlength=rows)[rng.permutation(rows)]
    if longest is not None:
        lengths = np.minimum(lengths, longest)
        spared = (entries - int(lengths.sum())) // rows
        lengths = np.minimum(lengths + spared, longest)
    return _with_lengths(rows, lengths, longest, rng)


def to_ellpack(matrix: SparseMatrix, width: int | None = None) -> Ellpack:
    """The matrix in padded columns.

    :param width: padded columns; the longest row without it.
    :raises ValueError: when a row is longer.
    """
    needed = int(matrix.lengths.max(initial=0))
    width = needed if width is None else width
    if needed > width:
        raise ValueError(f"a row has {needed} entries, more than {width}")
    rows = matrix.entry_rows
    place = (np.arange(rows.size) - matrix.starts[rows]) * np.int64(matrix.rows) + rows
    columns = np.zeros(width * matrix.rows, np.int32)
    values = np.zeros(width * matrix.rows, np.float32)
    columns[place], values[place] = matrix.columns, matrix.values
    return Ellpack(width, columns, values, matrix.lengths)


def to_jagged(matrix: SparseMatrix) -> Jagged:
    """The matrix in jagged diagonals."""
    lengths = matrix.lengths
    order = np.argsort(-lengths, kind="stable").astype(np.int32)
    sorted_lengths = lengths[order]
    deep = int(sorted_lengths[0]) if sorted_lengths.size else 0
    per_diagonal = np.searchsorted(-sorted_lengths, -np.arange(deep), side="left")
    diagonals = _starts(per_diagonal)
    position = np.empty(matrix.rows, np.int64)
    position[order] = np.arange(matrix.rows)
    rows = matrix.entry_rows
    place = diagonals[np.arange(rows.size) - matrix.starts[rows]] + position[rows]
    columns, values = np.empty_like(matrix.columns), np.empty_like(matrix.values)
    columns[place], values[place] = matrix.columns, matrix.values
    return Jagged(order, diagonals.astype(np.int32), columns, values, sorted_lengths)


def _starts(lengths: NDArray[np.integer]) -> Longs:
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])


def _with_lengths(
    rows: int, lengths: Longs, longest: int | None, rng: np.random.Generator
) -> SparseMatrix:
    """Rows of at most these lengths, in random columns; columns that repeat are dropped."""
    if longest is not None:
        lengths = np.minimum(lengths, longest)
    row = np.repeat(np.arange(rows), lengths)
    keys = row * rows + rng.integers(0, rows, row.size)
    keys.sort()
    if keys.size:
        keys = keys[np.concatenate([[True], keys[1:] != keys[:-1]])]
    starts = _starts(np.bincount(keys // rows, minlength=rows))
    return _with_values(rows, starts, keys % rows, rng)


def _with_values(
    rows: int, starts: Longs, columns: Longs, rng: np.random.Generator
) -> SparseMatrix:
    values = rng.random(columns.size, np.float32) * np.float32(2) - np.float32(1)
    return SparseMatrix(rows, starts.astype(np.int32), columns.astype(np.int32), values)
