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


def _exchange(
    keys: Words, values: Words, low: NDArray[np.intp], stride: int, up: NDArray[np.bool_]
) -> None:
    """Orders the pairs (low, low + stride) in place, upwards where `up`."""
    high = low + stride
    swap = (keys[low] > keys[high]) == up
    for data in (keys, values):
        data[low], data[high] = (
            np.where(swap, data[high], data[low]),
            np.where(swap, data[low], data[high]),
        )


def bitonic_merge(
    keys: Words, values: Words, size: int, strides: list[int], sort_dir: int
) -> tuple[Words, Words]:
    """The steps of a bitonic merge of `size` at the given strides."""
    out_keys, out_values = keys.copy(), values.copy()
    comparator = np.arange(keys.size // 2)
    up = ((comparator & (size // 2)) != 0) ^ bool(sort_dir)
    for stride in strides:
        low = 2 * comparator - (comparator & (stride - 1))
        _exchange(out_keys, out_values, low, stride, up)
    return out_keys, out_values


def alternately_sorted(keys: Words, values: Words, segment: int) -> tuple[Words, Words]:
    """Segments of distinct keys sorted downwards and upwards in turn, the first downwards."""
    order = np.argsort(keys.reshape(-1, segment), axis=1)
    order[::2] = order[::2, ::-1]
    out_keys = np.take_along_axis(keys.reshape(-1, segment), order, axis=1)
    out_values = np.take_along_axis(values.reshape(-1, segment), order, axis=1)
    return out_keys.ravel(), out_values.ravel()


def sorted_runs(values: Words, run: int) -> Words:
    """Every run of the values sorted; the last may be short."""
    parts = [np.sort(values[start : start + run]) for start in range(0, values.size, run)]
    return np.concatenate(parts)
