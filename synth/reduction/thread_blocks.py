"""Which thread blocks of a launch a miniature keeps, where it keeps fewer.

Yu et al. (IEEE TC 2015) reduce the trips of loops and never the grid, so a kernel without loops has
no speed-up. Here the grid is cut by the homogeneous regions of Huang et al. (TBPoint, IPDPS 2014,
section IV.B.1): of each region the miniature keeps as large a share as of all others. So thread
blocks need no weights: each stands for as many as any other, the GPU fills, warms and empties as it
does with the original, and IPC is that of the whole.

A whole row of the slowest dimension is kept or left out, so that neighbours stay neighbours. Kept
are the first rows, or one stretch of rows in the middle, or one stretch out of every so many: the
first of these that has the original's mixture, since what moves a thread block takes instructions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

from kcc.base.gpu.description import GpuDescription
from kcc.base.gpu.needs import GpuReader
from kcc.base.gpu.occupancy import occupancy_of
from kcc.base.profile.model import PerBlock
from kcc.base.records import dataclass
from kcc.sim.sampling.block_profile import LaunchProfile as BlockProfile
from kcc.sim.sampling.regions import cluster_epochs, epochs_of

ALIKE = 0.02
"""By how much the mixture of what is kept may differ from the whole before another choice is
looked at: well below the errors that miniatures have otherwise."""

EPOCHS = 64
"""Of a launch where no GPU is named."""

LONGEST_SHIFT = 31
"""Moves every number of a thread block to 0."""

Rows = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Cut:
    """Of ``total`` rows of thread blocks in a dimension ``kept`` are left: row ``n`` is row
    ``n + first + (n >> shift) * skip`` of the original. ``apart`` is by how much the mixture
    differs (0: not at all)."""

    total: int
    kept: int
    first: int = 0
    shift: int = LONGEST_SHIFT
    skip: int = 0
    apart: float = 0.0

    def rows(self) -> NDArray[np.int64]:
        """The original's rows that are kept."""
        own = np.arange(self.kept)
        return own + self.first + (own >> self.shift) * self.skip


@dataclass(frozen=True, slots=True)
class Mixture:
    """What each row of thread blocks does, a line each, and in which region: ``amounts`` are warp
    and thread instructions and the lines and sectors of memory asked for, ``regions`` the warp
    instructions in each region."""

    amounts: Rows
    regions: Rows

    def apart(self, rows: NDArray[np.int64]) -> float:
        """The largest difference between what is kept and the whole: of a row's mean amounts
        relative to the whole's, of the share of a region."""
        whole, own = self.amounts.mean(axis=0), self.amounts[rows].mean(axis=0)
        amounts = np.abs(np.divide(own, whole, out=np.ones_like(own), where=whole > 0) - 1)
        shares = np.abs(_shares(self.regions[rows]) - _shares(self.regions)).sum() / 2
        return float(max(amounts.max(), shares))


def _shares(rows: Rows) -> Rows:
    return rows.sum(axis=0) / max(float(rows.sum()), 1.0)


def resident_blocks(
    gpus: Sequence[GpuDescription], block_threads: int, registers: int, local_bytes: int
) -> int:
    """The thread blocks that the largest of some GPUs holds at a time; 0 where none is named."""
    most = 0
    for gpu in gpus:
        held = occupancy_of(gpu, block_threads, registers, local_bytes).blocks
        most = max(most, held * GpuReader(gpu).integer("sm_count"))
    return most


def cuts(
    blocks: Sequence[int], factor: int, profile: PerBlock, resident: int = 0
) -> tuple[Cut, ...]:
    """For each dimension of a grid of ``blocks`` thread blocks what is kept of it, so that about
    one in ``factor`` (a power of two) is left, at least one in each dimension; the slowest
    dimension is cut first. ``resident``: the size of an epoch, where it is known."""
    found = [Cut(n, n) for n in blocks]
    labels = _regions(profile, resident)
    for place in reversed(range(len(blocks))):
        own = min(factor, 1 << (blocks[place].bit_length() - 1))
        if own > 1:
            found[place] = _cut(_mixture(profile, labels, blocks, place), own)
            factor //= own
    return tuple(found)


def _regions(profile: PerBlock, resident: int) -> NDArray[np.int64]:
    """The cluster of epochs that each thread block is in, from 0 on; epochs that vary too much for
    a region are one more."""
    blocks = len(profile.warp_instructions)
    size = min(resident or -(-blocks // EPOCHS), blocks)
    counts = BlockProfile(
        0, "", np.asarray(profile.thread_instructions), np.asarray(profile.warp_instructions),
        np.asarray(profile.memory_requests), np.asarray(profile.memory_instructions),
    )  # fmt: skip
    labels = cluster_epochs(epochs_of(counts, size))
    labels = np.where(labels < 0, labels.max() + 1, labels)
    return np.repeat(labels, size)[:blocks]


def _mixture(
    profile: PerBlock, labels: NDArray[np.int64], blocks: Sequence[int], place: int
) -> Mixture:
    """By row of dimension ``place``; the first dimension is the fastest."""
    own = np.asarray(profile.warp_instructions, np.float64)
    columns = (
        own,
        np.asarray(profile.thread_instructions, np.float64),
        np.asarray(profile.memory_requests, np.float64),
        np.asarray(profile.sectors, np.float64),
    )
    amounts = np.stack([_by_row(column, blocks, place) for column in columns], axis=1)
    each = [_by_row(np.where(labels == n, own, 0), blocks, place) for n in range(labels.max() + 1)]
    return Mixture(amounts, np.stack(each, axis=1))


def _by_row(values: Rows, blocks: Sequence[int], place: int) -> Rows:
    inner = prod(blocks[:place])
    return values.reshape(-1, blocks[place], inner).sum(axis=(0, 2))


def _cut(mixture: Mixture, factor: int) -> Cut:
    """The first choice whose mixture is the original's, or the one that is nearest to it."""
    total = len(mixture.amounts)
    best: Cut | None = None
    for kept, first, shift, skip in _choices(total, factor):
        one = Cut(total, kept, first, shift, skip)
        one = Cut(total, kept, first, shift, skip, mixture.apart(one.rows()))
        if one.apart <= ALIKE:
            return one
        if best is None or one.apart < best.apart:
            best = one
    assert best is not None
    return best


def _choices(total: int, factor: int) -> Iterator[tuple[int, int, int, int]]:
    """Kept rows, first row, shift and skip, those that take fewest instructions first."""
    kept = max(total // factor, 1)
    yield kept, 0, LONGEST_SHIFT, 0
    yield kept, (total - kept) // 2, LONGEST_SHIFT, 0
    for is_centred in (False, True):
        for shift in reversed(range(kept.bit_length())):
            run = 1 << shift
            skip = run * (factor - 1)
            first = skip // 2 if is_centred else 0
            whole, rest = divmod(total - first, run + skip)
            yield whole * run + min(rest, run), first, shift, skip
