"""How data are told: in classes of several values, never one by one.

k-anonymity (Samarati and Sweeney, "Protecting privacy when disclosing information", SRI-CSL-98-04,
1998) asks that nothing that is told be about fewer than k. Here k is :data:`LEAST_TOLD`: a value
stands for itself where so many elements share it, else for a class of so many by its mean. The one
exception is the largest of the last class, told to :data:`SIGNIFICANT` bits: a mean would cut the
longest row, which a warp waits for.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

LEAST_TOLD = 4
"""Elements that anything that is told is about."""

SIGNIFICANT = 3
"""Bits of what is about fewer."""

FEW = 16
"""Different values that are told one by one."""

CLASSES = 64
"""By size, of others."""

MOST_SPREAD = 8
"""Elements of classes that more than a mean is told of."""

TRUTHS = frozenset({-1, 0, 1})
"""Flags, which are told whatever their number."""


def truncated(value: int) -> int:
    """Its leading bits, towards zero: what lies within an array stays there."""
    shift = max(abs(value).bit_length() - SIGNIFICANT, 0)
    cut = abs(value) >> shift << shift
    return -cut if value < 0 else cut


def rounded(value: int) -> int:
    """The nearest number of as many bits."""
    shift = max(abs(value).bit_length() - SIGNIFICANT, 0)
    half = (1 << shift) >> 1
    near = (abs(value) + half) >> shift << shift
    return -near if value < 0 else near


def extremes(values: Ints) -> tuple[int, int]:
    """Bounds within the least and the largest value: means of the outermost different ones."""
    found = np.unique(values)
    if len(found) < LEAST_TOLD:
        return truncated(int(found[0])), truncated(int(found[-1]))
    low, high = found[:LEAST_TOLD], found[-LEAST_TOLD:]
    return -(-int(low.sum()) // LEAST_TOLD), int(high.sum()) // LEAST_TOLD


def told(values: Ints, weights: Ints, plain: frozenset[int] = TRUTHS) -> tuple[Ints, Ints]:
    """What stands for elements of these values, and how often, so that sums by weight remain (where
    there are fewer than a class has, about). ``plain`` are values that a kernel is known to test
    for."""
    found, place, elements = np.unique(values, return_inverse=True, return_counts=True)
    often = np.bincount(place.reshape(-1), weights, len(found)).astype(np.int64)
    return told_counts(found, elements.astype(np.int64), often, plain)


def told_counts(
    found: Ints, elements: Ints, often: Ints, plain: frozenset[int] = TRUTHS
) -> tuple[Ints, Ints]:
    """The same of different ascending values, each of so many elements and of so much weight."""
    shared = (elements >= LEAST_TOLD) | np.isin(found, list(plain))
    alone = ~shared if len(found) <= FEW else np.ones(len(found), np.bool_)
    rows = dict(zip(found[~alone].tolist(), often[~alone].tolist(), strict=True))
    found, elements, often = found[alone], elements[alone], often[alone]
    missing = LEAST_TOLD - int(elements.sum())
    if rows and 0 < missing < LEAST_TOLD:  # some of those that many share fill the class
        value = max(rows, key=rows.__getitem__)
        weight = min(missing * max(int(often.sum()) // int(elements.sum()), 1), rows[value])
        rows[value] -= weight
        place = int(np.count_nonzero(found < value))
        found = np.insert(found, place, value)
        elements = np.insert(elements, place, missing)
        often = np.insert(often, place, weight)
    for value, count in _classes(found, elements, often):
        rows[value] = rows.get(value, 0) + count
    rows = {value: count for value, count in rows.items() if count}
    ordered = sorted(rows.items())
    return np.array([v for v, _ in ordered], np.int64), np.array([n for _, n in ordered], np.int64)


def _classes(found: Ints, elements: Ints, often: Ints) -> list[tuple[int, int]]:
    """Values in classes of the same weight, of no fewer elements than may be told."""
    if not len(found):
        return []
    before = np.cumsum(often) - often
    number = before * CLASSES // max(int(often.sum()), 1)
    starts = [0, *(np.flatnonzero(np.diff(number)) + 1).tolist(), len(found)]
    members = np.concatenate([[0], np.cumsum(elements)])
    kept = [0]
    for start in starts[1:-1]:
        enough = members[start] - members[kept[-1]] >= LEAST_TOLD
        if enough and members[-1] - members[start] >= LEAST_TOLD:
            kept.append(start)
    rows = list[tuple[int, int]]()
    for start, stop in zip(kept, [*kept[1:], len(found)], strict=True):
        own = slice(start, stop)
        of_class = _last if stop == len(found) else _by_mean
        rows += of_class(found[own], elements[own], often[own])
    return rows


def _by_mean(found: Ints, elements: Ints, often: Ints) -> list[tuple[int, int]]:
    """A class by its mean, small ones evenly about it as far as its mean deviation says: what is a
    remainder of a value would else be the same in all."""
    weight = int(often.sum())
    if not weight:
        return []
    return _spread(_total(found, often), weight, *_about(found, elements, often))


def _about(found: Ints, elements: Ints, often: Ints) -> tuple[int, float]:
    """How many values stand for a class, and how far the outer ones are from its mean: twice the
    mean deviation, as in a uniform distribution."""
    members = int(elements.sum())
    if members > MOST_SPREAD:
        return 1, 0.0
    mean = float(np.average(found, weights=often))
    width = 2 * float(np.average(np.abs(found - mean), weights=often))
    return members, min(width, mean) if found[0] >= 0 else width


def _spread(total: int, weight: int, points: int, width: float) -> list[tuple[int, int]]:
    """Values evenly about a mean with the same sum."""
    mean, rows, done, used = total / weight, list[tuple[int, int]](), 0, 0
    for n in range(points):
        own = weight * (n + 1) // points - used
        if not own:
            continue
        used += own
        share = mean * used + width * (used / weight) * (used / weight - 1) * weight
        wanted = total - done if used == weight else round(share) - done
        value, more = divmod(wanted, own)
        rows += [(value, own - more), *([(value + 1, more)] if more else [])]
        done += wanted
    return rows


def _last(found: Ints, elements: Ints, often: Ints) -> list[tuple[int, int]]:
    """The class of the largest: one of about its largest, and the others about their mean."""
    total, weight = _total(found, often), int(often.sum())
    most, own = rounded(int(found[-1])), -(-int(often[-1]) // int(elements[-1]))
    rest = weight - own
    if int(elements.sum()) < LEAST_TOLD:
        others = rounded((total - int(found[-1]) * own) // max(rest, 1))
        return [*([(others, rest)] if rest else []), (most, own)]
    if total - most * own < rest * int(found[0]):
        most = truncated(int(found[-1]))
    if len(found) == 1 or not rest or total - most * own < rest * int(found[0]):
        return _by_mean(found, elements, often)
    return [*_spread(total - most * own, rest, 1, 0.0), (most, own)]


def _total(found: Ints, often: Ints) -> int:
    """A sum of integers of any size, of large ones about."""
    if int(np.abs(found).max()) < 1 << 31:
        return int((found * often).sum())
    return int((found.astype(np.float64) * often).sum())
