"""Structures that kernel.toml cannot describe: graphs, sparse matrices, trees."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int32]


def random_starts(rows: int, entries: int, longest: int, rng: np.random.Generator) -> Ints:
    """Offsets, one more than rows, of `entries` entries in uneven rows of at most `longest`."""
    lengths = np.zeros(rows, np.int64)
    weights = rng.exponential(size=rows)
    weights[rng.random(rows) < 0.05] = 0.0  # some rows stay empty
    rest = entries
    while rest:
        open_rows = np.where(lengths < longest, weights, 0.0)
        lengths += rng.multinomial(rest, open_rows / open_rows.sum())
        lengths = np.minimum(lengths, longest)
        rest = entries - int(lengths.sum())
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)


def random_targets(starts: Ints, columns: int, rng: np.random.Generator) -> Ints:
    """A column or target node for each entry, ascending and without repeats within a row."""
    rows: Iterable[int] = np.diff(starts).tolist()
    parts: list[Ints] = [
        np.sort(rng.permutation(columns)[:length]).astype(np.int32) for length in rows
    ]
    return np.concatenate(parts)
