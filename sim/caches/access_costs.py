"""What an access costs by itself, from the addresses of the lanes of warps: sectors, lines, and
passes through the load/store port, in the mean over what it is moved by."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kcc.base.records import dataclass
from kcc.passes.memory.warp_cost import bank_passes, lone_passes, pieces_touched

Ints = NDArray[np.int64]

SECTOR = 32
LINE = 128

MOST_SHIFTS = 8


def shifts_of(moves: Sequence[int], *, evenly: bool) -> Ints:
    """Remainders of a line that an access is moved by: by thread blocks, by iterations, by what
    memory holds and all lanes of a warp read (each by multiples of a number of bytes). Of many some
    are taken, ``evenly`` also within a sector."""
    steps = [abs(move) for move in moves if move % LINE]
    if not steps:
        return np.zeros(1, np.int64)
    step = math.gcd(*steps, LINE)
    every = np.arange(0, LINE, step, dtype=np.int64)
    stride = max(1, len(every) // MOST_SHIFTS)
    if evenly and stride > 1:
        some = np.arange(MOST_SHIFTS)
        return every[(some * stride + some) % len(every)]
    return every[::stride]


@dataclass(frozen=True, slots=True)
class Costs:
    """Of one execution of an access, in the mean; see :class:`Traffic`."""

    sectors: float
    lines: float
    passes: float
    bank_passes: float


def bulk_costs(size: int, local: bool) -> Costs:
    """Of a bulk copy: a line of shared memory a cycle; between L2 and there nothing of the load and
    store units."""
    lines = float(-(-size // LINE))
    return Costs(lines * LINE / SECTOR, lines, lines if local else 1.0, 0.0)


def costs_of(
    rows: Ints, shifts: Ints, size: int, local: bool, banks: int, *, alone: bool
) -> Costs:  # fmt: skip
    """Those of lanes that go to ``rows[warp, lane]``, of ``size`` bytes each, moved by ``shifts``.
    ``alone``: of an atomic operation, whose lanes wait for each other at one word."""
    if alone:
        return Costs(0.0, 0.0, float(lone_passes(rows, banks=banks).mean()), 0.0)
    if local:
        near = _without_pairs(rows - rows.min() // 4 * 4)
        passes, _ = bank_passes(near, size, None, banks=banks)
        sectors = pieces_touched(_moved(rows, shifts), size, SECTOR, None)
        return Costs(float(sectors.mean()), 0.0, float(passes.mean()), 0.0)
    moved = _moved(rows, shifts)
    sectors = pieces_touched(moved, size, SECTOR, None)
    lines = pieces_touched(moved, size, LINE, None)
    through_banks, _ = bank_passes(rows, size, None, banks=banks)
    return Costs(
        float(sectors.mean()), float(lines.mean()), _port_lines(moved, size),
        float(through_banks.mean()),
    )  # fmt: skip


def addresses_of(rows: Ints) -> float:
    """How many different ones the lanes of a warp have in the mean: so many requests to the
    constant cache (CUDA C++ Programming Guide, "Device Memory Accesses", constant memory)."""
    inside = np.sort(rows, axis=1)
    return float(1.0 + (inside[:, 1:] != inside[:, :-1]).sum(axis=1).mean())


def _moved(rows: Ints, shifts: Ints) -> Ints:
    """All rows at all shifts."""
    return (rows[None] + shifts[:, None, None]).reshape(-1, rows.shape[1])


def _without_pairs(rows: Ints) -> Ints:
    """One lane of each two where lanes want the same as their neighbours, or as those two on: the
    registers of both are given back at once (NVIDIA on its developer forum, "Unexpected shared
    memory bank conflict", 2019, for compute capabilities 7.0 to 7.5)."""
    if rows.shape[1] % 4:
        return rows
    fours = rows.reshape(len(rows), -1, 4)
    if (fours[:, :, ::2] == fours[:, :, 1::2]).all():
        return fours[:, :, ::2].reshape(len(rows), -1)
    if (fours[:, :, :2] == fours[:, :, 2:]).all():
        return fours[:, :, :2].reshape(len(rows), -1)
    return rows


def _without_repetition(rows: Ints) -> Ints:
    """One of each two neighbouring lanes as long as they all want the same."""
    while rows.shape[1] > 1 and rows.shape[1] % 2 == 0 and (rows[:, ::2] == rows[:, 1::2]).all():
        rows = rows[:, ::2]
    return rows


def _port_lines(moved: Ints, size: int) -> float:
    """Lines that the phases of an access touch: lanes that want more than a line together go in
    halves, quarters ..., each of which looks its lines up anew."""
    moved = _without_repetition(moved)
    lanes = moved.shape[1]
    group = max(1, min(lanes, LINE // min(size, 16)))
    parts = [
        pieces_touched(moved[:, start : start + group], min(size, 16), LINE, None)
        for start in range(0, lanes, group)
    ]
    return float(sum(parts).mean()) * max(1.0, size / 16)  # type: ignore[union-attr]
