"""Writes the words of a trace from its columns, compiled by numba. Import it lazily."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kcc.base.native import native
from kcc.base.trace.words import (
    FAR_SHIFT,
    REACH,
    SAME_MASK,
    TAG_FAR,
    TAG_PATTERN,
    TAG_SAME,
    TAG_SEQUENTIAL,
    TAG_SHIFT,
    TAG_UNIFORM,
)

Ints = NDArray[np.int64]


@native
def encode(
    segments: NDArray[np.int32],
    masks: NDArray[np.uint64],
    counts: NDArray[np.int32],
    accesses: NDArray[np.int32],
    addresses: Ints,
    sizes: Ints,
    bases: Ints,
    patterns: Ints,
    last: NDArray[np.uint64],
) -> NDArray[np.uint32]:
    """The words of segments with ``counts`` accesses each, as :mod:`kcc.base.trace.words` has them.

    ``sizes`` are the bytes of each access of the tables. ``bases``, ``patterns`` and ``last`` (the
    last mask) are the state of the stream, which is carried on.
    """
    width = addresses.shape[1]
    out = np.empty(segments.shape[0] * 3 + accesses.shape[0] * (3 + width), np.uint32)
    place, done = 0, 0
    for number in range(segments.shape[0]):
        mask = masks[number]
        if mask == last[0]:
            out[place] = segments[number] | SAME_MASK
            place += 1
        else:
            out[place] = segments[number]
            out[place + 1] = mask & np.uint64(0xFFFFFFFF)
            place += 2
            if width == 64:
                out[place] = mask >> np.uint64(32)
                place += 1
            last[0] = mask
        lane = 0
        while not (mask >> np.uint64(lane)) & np.uint64(1):
            lane += 1
        for access in range(done, done + counts[number]):
            kind, row = accesses[access], addresses[access]
            first, size = row[lane], sizes[kind]
            sequential, uniform, same = True, True, True
            base = first - patterns[kind, lane]
            for i in range(lane, width):
                if (mask >> np.uint64(i)) & np.uint64(1):
                    sequential = sequential and row[i] == first + (i - lane) * size
                    uniform = uniform and row[i] == first
                    same = same and row[i] == base + patterns[kind, i]
            if sequential:
                tag, address = TAG_SEQUENTIAL, first - lane * size
            elif uniform:
                tag, address = TAG_UNIFORM, first
            elif same:
                tag, address = TAG_SAME, base
            else:
                tag, address = TAG_PATTERN, first
            apart = address - bases[kind]
            bases[kind] = address
            if -REACH <= apart < REACH:
                out[place] = (apart & ((1 << TAG_SHIFT) - 1)) | (tag << TAG_SHIFT)
                place += 1
            else:
                whole = (address & ((1 << FAR_SHIFT) - 1)) | (tag << FAR_SHIFT)
                out[place] = TAG_FAR
                out[place + 1] = whole & 0xFFFFFFFF
                out[place + 2] = (whole >> 32) & 0xFFFFFFFF
                place += 3
            if tag == TAG_PATTERN:
                for i in range(width):
                    patterns[kind, i] = 0
                    if (mask >> np.uint64(i)) & np.uint64(1):
                        patterns[kind, i] = row[i] - first
                        out[place] = (row[i] - first) & 0xFFFFFFFF
                        place += 1
        done += counts[number]
    return out[:place].copy()
