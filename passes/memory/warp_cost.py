"""What one execution of a memory access costs a warp: sectors, lines, passes through banks.

Everything works on many executions at a time: ``addresses`` is an array of shape (executions,
lanes) of bytes, ``active`` the lanes that take part (None: all). Import this lazily: it needs
numpy.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

_NOWHERE = np.iinfo(np.int64).max

PIECE_BYTES = 16
"""What a lane moves at a time through local memory: the widest load of PTX moves 16 bytes."""


def pieces_touched(addresses: Ints, size_bytes: int, granule: int, active: Mask | None) -> Ints:
    """How many distinct aligned pieces of ``granule`` bytes (a power of two) each execution
    touches, a lane moving ``size_bytes``."""
    pieces = _pieces(addresses, size_bytes, granule, active)
    pieces.sort(axis=1)
    fresh = np.ones(pieces.shape, np.bool_)
    fresh[:, 1:] = pieces[:, 1:] != pieces[:, :-1]
    return np.count_nonzero(fresh & (pieces != _NOWHERE), axis=1).astype(np.int64)


def _pieces(addresses: Ints, size_bytes: int, granule: int, active: Mask | None) -> Ints:
    """The numbers of the pieces, of all lanes side by side; repeated, or nowhere, to fill up."""
    shift = granule.bit_length() - 1
    first, last = addresses >> shift, (addresses + size_bytes - 1) >> shift
    if active is not None:
        first = np.where(active, first, _NOWHERE)
        last = np.where(active, last, _NOWHERE)
    parts = [first, last]
    # A lane touches its first piece, its last, and those between them.
    for number in range(1, (size_bytes + granule - 2) // granule):
        inside = first < last - number
        parts.append(np.where(inside, first + number, first))
    return np.concatenate(parts, axis=1)


def bank_passes(
    addresses: Ints, size_bytes: int, active: Mask | None, *, banks: int = 32, bank_bytes: int = 4
) -> tuple[Ints, Ints]:
    """Passes through local memory that each execution takes, and the most that one of its phases
    takes (1: no lane waits for another one).

    In a pass every bank gives one word, to any number of lanes. Distinct words beyond
    ``banks`` words, or as many lanes, go in phases of half the lanes, of a quarter ...; more than
    16 bytes a lane in pieces of 16 (NVIDIA, CUDA C++ Programming Guide, "Shared Memory", compute
    capability 3.x and 5.x).
    """
    count, lanes = addresses.shape
    total, worst = np.zeros(count, np.int64), np.zeros(count, np.int64)
    for place in range(0, size_bytes, PIECE_BYTES):
        here = min(PIECE_BYTES, size_bytes - place)
        group = lanes
        width = 1 << (lanes - 1).bit_length()
        while width > 1 and width * max(here, bank_bytes) > banks * bank_bytes:
            width //= 2
            group = width
        for start in range(0, lanes, group):
            own = slice(start, start + group)
            mask = None if active is None else active[:, own]
            passes = _phase(addresses[:, own] + place, here, mask, banks, bank_bytes)
            total += passes
            worst = np.maximum(worst, passes)
    return total, worst


def lone_passes(addresses: Ints, *, banks: int = 32, bank_bytes: int = 4) -> Ints:
    """Passes of each execution where accesses to one word are serialised as those to other words of
    its bank are: atomic operations."""
    asked = addresses // bank_bytes % banks
    return (asked[:, :, None] == np.arange(banks)).sum(axis=1).max(axis=1)


def _phase(addresses: Ints, size_bytes: int, active: Mask | None, banks: int, width: int) -> Ints:
    """The most distinct words that one bank has to give."""
    words = _pieces(addresses, size_bytes, width, active)
    words.sort(axis=1)
    fresh = words != _NOWHERE
    fresh[:, 1:] &= words[:, 1:] != words[:, :-1]
    rows, columns = np.nonzero(fresh)
    count = len(words)
    load = np.bincount(rows * banks + words[rows, columns] % banks, minlength=count * banks)
    return load.reshape(count, banks).max(axis=1).astype(np.int64)
