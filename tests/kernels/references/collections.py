"""Scans, histograms and sorting."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint32]


def _blocks(values: Words, block: int) -> Words:
    """The values in rows of one block each, padded by zeros."""
    padded = np.zeros(-(-values.size // block) * block, np.uint32)
    padded[: values.size] = values
    return padded.reshape(-1, block)


def exclusive_scan(values: Words, block: int) -> Words:
    """The exclusive prefix sums within blocks."""
    rows = _blocks(values, block)
    sums = np.cumsum(rows, axis=1, dtype=np.uint32) - rows
    return sums.ravel()[: values.size]


def block_sums(values: Words, block: int) -> Words:
    """The sum of every block."""
    return _blocks(values, block).sum(axis=1, dtype=np.uint32)


def add_offsets(values: Words, offsets: Words, block: int) -> Words:
    """Each value plus the offset of its block."""
    return values + np.repeat(offsets, block)[: values.size]


def histogram(words: Words) -> Words:
    """Counts of the 256 byte values in the words."""
    return np.bincount(words.view(np.uint8), minlength=256).astype(np.uint32)


def partial_histograms(words: Words, groups: int, local_size: int) -> Words:
    """The same per work-group, when word i goes to work-item i modulo the global size."""
    group = np.arange(words.size) // local_size % groups
    return np.concatenate([histogram(words[group == g].copy()) for g in range(groups)])
