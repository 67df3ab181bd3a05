"""What each thread block executed, counted from a trace's words. Compiled by numba; import it
lazily."""

from __future__ import annotations

from typing import Any

import numpy as np

from kcc.base.native import inlined, native, trailing_zeros
from kcc.base.trace.decode_native import (
    BAD_SEGMENT,
    BAD_TAG,
    BAD_WARP,
    CUT_OFF,
    FINE,
    MASK,
    THREAD_BLOCK,
)
from kcc.base.trace.words import (
    HEADER_MARK,
    HEADER_WORDS,
    REACH,
    SAME_MASK,
    TAG_FAR,
    TAG_PATTERN,
    TAG_SEQUENTIAL,
    TAG_SHIFT,
    TAG_UNIFORM,
)
from kcc.sim.cycle.rows_native import ones

Ints = Any

UNTOUCHED, SHARED_BY_LANES, PRIVATE = range(3)
"""How an access makes requests: none, by the lines its lanes touch, by its words (private memory
lies so that the lanes' words stand side by side)."""

LINE_SHIFT = 7
"""A request is for 128 bytes, the line of all GPUs that this project knows."""

WORD_BYTES = 4

THREAD_INSTRUCTIONS, WARP_INSTRUCTIONS, REQUESTS, ACCESSES = range(4)
"""Columns of the counts of thread blocks."""


OFFSET, LANES, REGULAR, FOUND = range(4)
"""Columns of what is known of the access that an instruction made last: where in its line the
address was, the active lanes, whether they followed one another, and the requests."""


@inlined
def read_address(words: Ints, place: int, before: int) -> tuple[int, int, int]:
    """The place after an access's words for its address (beyond all words where they are cut
    off), the tag and the address; ``before`` is the one written last."""
    word = int(words[place])
    tag = word >> TAG_SHIFT
    if tag != TAG_FAR:
        apart = word & (2 * REACH - 1)
        return place + 1, tag, before + (apart - 2 * REACH if apart >= REACH else apart)
    if place + 3 > len(words):
        return place + 3, tag, before
    high = int(words[place + 2])
    address = int(words[place + 1]) | (high & ((1 << TAG_SHIFT) - 1)) << 32
    return place + 3, high >> TAG_SHIFT, address


@inlined
def read_pattern(words: Ints, place: int, lanes: int, pattern: Ints) -> int:
    """Read the pattern of the active lanes, that is all there."""
    for lane in range(len(pattern)):
        pattern[lane] = 0
    left = np.uint64(lanes)
    while left:
        delta = int(words[place])
        pattern[trailing_zeros(left)] = delta - (1 << 32) if delta >> 31 else delta
        left &= left - np.uint64(1)
        place += 1
    return place


@inlined
def lines_touched(
    address: int, pattern: Ints, regular: bool, size: int, lanes: int, lines: Ints
) -> int:
    """How many lines the active lanes touch. Most are new or that of the lane before: a line whose
    hash no other has is not looked for."""
    found, hashes, left = 0, np.uint64(0), np.uint64(lanes)
    while left:
        lane = trailing_zeros(left)
        left &= left - np.uint64(1)
        low = address + (lane * size if regular else pattern[lane])
        for line in range(low >> LINE_SHIFT, ((low + size - 1) >> LINE_SHIFT) + 1):
            own = np.uint64(1) << (np.uint64(line) * np.uint64(HASH) >> np.uint64(58))
            at = found - 1
            if hashes & own:
                while at >= 0 and lines[at] != line:
                    at -= 1
            else:
                at = -1
            if at < 0 and found < len(lines):
                lines[found] = line
                found += 1
            hashes |= own
    return found


HASH = 0x9E3779B97F4A7C15
"""The golden ratio as a fraction of 2^64: products with it are spread evenly (Knuth, The Art of
Computer Programming 3, section 6.4)."""


@inlined
def all_lanes(width: int) -> int:
    """The mask of a warp whose lanes are all active."""
    return (1 << width) - 1 if width < 64 else -1


@inlined
def lines_wanted(
    tag: int, address: int, pattern: Ints, size: int, lanes: int, known: Ints, lines: Ints
) -> int:
    """The requests of an access to global memory. Those of lanes that are apart as they were before
    depend on where in its line the address is alone."""
    if tag == TAG_UNIFORM or (tag == TAG_SEQUENTIAL and lanes == all_lanes(len(pattern))):
        last = address + (size if tag == TAG_UNIFORM else len(pattern) * size) - 1
        return (last >> LINE_SHIFT) - (address >> LINE_SHIFT) + 1
    offset, regular = address & ((1 << LINE_SHIFT) - 1), int(tag == TAG_SEQUENTIAL)
    if (
        tag == TAG_PATTERN
        or known[OFFSET] != offset
        or known[LANES] != lanes
        or known[REGULAR] != regular
    ):
        known[OFFSET], known[LANES], known[REGULAR] = offset, lanes, regular
        known[FOUND] = lines_touched(address, pattern, regular == 1, size, lanes, lines)
    return known[FOUND]


@native
def profile_words(
    words: Ints, state: Ints, patterns: Ints, bases: Ints, known: Ints, starts: Ints, sizes: Ints,
    kinds: Ints, counted: Ints, counts: Ints, lines: Ints, base: int,
) -> tuple[int, int]:  # fmt: skip
    """Add what the words hold to ``counts``, a row for each thread block from ``base`` on.

    ``kinds`` and ``sizes`` are of the accesses, ``starts`` and ``counted`` of the segments, as for
    the decoder of traces; ``state``, ``patterns``, ``bases`` and ``known`` go on from piece to
    piece; ``lines`` is room for the lines of one access. Gives the place reached and how it ended.
    """
    width, count = patterns.shape[1], len(words)
    place, active = 0, ones(np.uint64(state[MASK]))
    block = state[THREAD_BLOCK]
    while place < count:
        word = int(words[place])
        if word == HEADER_MARK:
            if place + HEADER_WORDS > count:
                return place, CUT_OFF
            block = (int(words[place + 1]) | int(words[place + 2]) << 32) - base
            state[THREAD_BLOCK], state[MASK] = block, 0
            if block < 0 or block >= len(counts):
                return place, BAD_WARP
            place += HEADER_WORDS
            continue
        segment = word & ~SAME_MASK
        if segment >= len(starts) - 1:
            return place, BAD_SEGMENT
        place += 1
        if not word & SAME_MASK:
            if place + width // 32 > count:
                return place, CUT_OFF
            state[MASK] = int(words[place])
            if width == 64:
                state[MASK] |= int(words[place + 1]) << 32
            place += width // 32
            active = ones(np.uint64(state[MASK]))
        lanes = state[MASK]
        counts[block, THREAD_INSTRUCTIONS] += counted[segment] * active
        counts[block, WARP_INSTRUCTIONS] += counted[segment]
        for number in range(starts[segment], starts[segment + 1]):
            if place >= count:
                return place, CUT_OFF
            place, tag, address = read_address(words, place, bases[number])
            if place + (active if tag == TAG_PATTERN else 0) > count:
                return place, CUT_OFF
            bases[number] = address
            if tag == TAG_FAR or tag > TAG_PATTERN:
                return place, BAD_TAG
            if tag == TAG_PATTERN:
                place = read_pattern(words, place, lanes, patterns[number])
            if kinds[number] == UNTOUCHED:
                continue
            counts[block, ACCESSES] += 1
            if kinds[number] == PRIVATE:
                counts[block, REQUESTS] += (sizes[number] + WORD_BYTES - 1) // WORD_BYTES
            else:
                counts[block, REQUESTS] += lines_wanted(
                    tag, address, patterns[number], sizes[number], lanes, known[number], lines
                )
    return place, FINE
