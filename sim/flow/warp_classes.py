"""Which warps of a thread block do the same, where their place in it decides.

A loop that loads a tile with its edges in steps of the thread block's width runs twice for some
warps and once for the others, and all wait for the former at the next barrier: the mean of both is
what none of them does.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

APART = 1.0 / 16.0
"""Warps are alike where executions of no block are further apart, as a part of the most that any
warp has: half of what one of the eight traces that warps share otherwise stands for."""

MOST_CLASSES = 8
"""Of warps; where more differ (a triangle, of which each warp has a row), those most alike are
taken together."""


FROM_THE_MIDDLE = (4, 3, 6, 1, 5, 2, 7, 0)
"""The order in which warps of one class of several take its eight traces, the first of which rounds
shares of an execution down and the last up: in the only thread block of an SM a class may be one
warp, whose time is the block's."""


def alike_warps(executions: Floats) -> tuple[tuple[int, ...], ...]:
    """The warps of a thread block in classes, by their places; ``executions[b, w]`` are those of
    block b of the program by warp w. One class where all are alike."""
    most = executions.max(axis=1, initial=0.0, keepdims=True)
    parts = executions / np.where(most > 0.0, most, 1.0)
    differences = np.abs(parts[:, :, None] - parts[:, None, :]).max(axis=0, initial=0.0)
    apart = APART
    while len(classes := _within(differences, apart)) > MOST_CLASSES:
        apart *= 1.5
    return classes


def _within(differences: Floats, apart: float) -> tuple[tuple[int, ...], ...]:
    """Each warp with the first one that it is no further ``apart`` from."""
    classes = list[list[int]]()
    for warp in range(len(differences)):
        near = (c for c in classes if differences[warp, c[0]] <= apart)
        found = next(near, None)
        if found is None:
            classes.append([warp])
        else:
            found.append(warp)
    return tuple(map(tuple, classes))


def assigned_traces(
    classes: tuple[tuple[int, ...], ...], variants: tuple[int, ...]
) -> NDArray[np.int32]:
    """Which trace each warp takes: ``[n, w]`` for warp w of thread blocks n, n + rounds,
    n + 2 * rounds ... The traces of a class lie one after another, ``variants`` of them, and its
    warps take them in turn."""
    rounds = max(variants)
    found = np.zeros((rounds, sum(map(len, classes))), np.int32)
    first, numbers = 0, np.arange(rounds)[:, None]
    for places, count in zip(classes, variants, strict=True):
        turn = (np.arange(len(places)) + numbers * len(places)) % count
        if count > 1 and len(classes) > 1:
            turn = np.array(FROM_THE_MIDDLE)[turn]
        found[:, list(places)] = first + turn
        first += count
    return found
