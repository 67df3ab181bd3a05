"""What each thread block executed, counted from a trace's words. Compiled by numba; import it
lazily."""

from __future__ import annotations

from typing import Any

from kcc.native import native
from kcc.trace.walk import BAD_SEGMENT, BAD_TAG, BAD_WARP, CUT_OFF, FINE, MASK, THREAD_BLOCK
from kcc.trace.words import (
    HEADER_MARK,
    HEADER_WORDS,
    REACH,
    SAME_MASK,
    TAG_FAR,
    TAG_PATTERN,
    TAG_SAME,
    TAG_SHIFT,
    TAG_UNIFORM,
)

Ints = Any

UNTOUCHED, SHARED_BY_LANES, PRIVATE = range(3)
"""How an access makes requests: none, by the lines its lanes touch, by its words (private memory
lies so that the lanes' words stand side by side)."""

LINE_SHIFT = 7
"""A request is for 128 bytes, the line of all GPUs that this project knows."""

WORD_BYTES = 4

THREAD_INSTRUCTIONS, WARP_INSTRUCTIONS, REQUESTS, ACCESSES = range(4)
"""Columns of the counts of thread blocks."""


@native
def profile_words(
    words: Ints, state: Ints, patterns: Ints, bases: Ints, starts: Ints, sizes: Ints, kinds: Ints,
    counted: Ints, counts: Ints, lines: Ints, base: int,
) -> tuple[int, int]:  # fmt: skip
    """Add what the words hold to ``counts``, a row for each thread block from ``base`` on.

    ``kinds`` and ``sizes`` are of the accesses, ``starts`` and ``counted`` of the segments, as for
    the decoder of traces; ``state``, ``patterns`` and ``bases`` go on from piece to piece;
    ``lines`` is room for the lines of one access. Gives the place reached and how it ended.
    """
    width, count = patterns.shape[1], len(words)
    place = 0
    active = 0
    for lane in range(width):
        active += state[MASK] >> lane & 1
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
            active = 0
            for lane in range(width):
                active += state[MASK] >> lane & 1
        lanes = state[MASK]
        counts[block, THREAD_INSTRUCTIONS] += counted[segment] * active
        counts[block, WARP_INSTRUCTIONS] += counted[segment]
        for number in range(starts[segment], starts[segment + 1]):
            if place >= count:
                return place, CUT_OFF
            word = int(words[place])
            tag = word >> TAG_SHIFT
            place += 1
            if tag == TAG_FAR:
                if place + 2 > count:
                    return place, CUT_OFF
                high = int(words[place + 1])
                tag = high >> TAG_SHIFT
                address = int(words[place]) | (high & ((1 << TAG_SHIFT) - 1)) << 32
                place += 2
            else:
                apart = word & (2 * REACH - 1)
                if apart >= REACH:
                    apart -= 2 * REACH
                address = bases[number] + apart
            bases[number] = address
            if tag == TAG_FAR or tag > TAG_PATTERN:
                return place, BAD_TAG
            if tag == TAG_PATTERN:
                for lane in range(width):
                    if not lanes >> lane & 1:
                        patterns[number, lane] = 0
                        continue
                    if place >= count:
                        return place, CUT_OFF
                    delta = int(words[place])
                    patterns[number, lane] = delta - (1 << 32) if delta >> 31 else delta
                    place += 1
            kind, size = kinds[number], sizes[number]
            if kind == UNTOUCHED:
                continue
            counts[block, ACCESSES] += 1
            if kind == PRIVATE:
                counts[block, REQUESTS] += (size + WORD_BYTES - 1) // WORD_BYTES
                continue
            if tag == TAG_UNIFORM:
                first, last = address >> LINE_SHIFT, (address + size - 1) >> LINE_SHIFT
                counts[block, REQUESTS] += last - first + 1
                continue
            pattern = tag in (TAG_PATTERN, TAG_SAME)
            found = 0
            for lane in range(width):
                if not lanes >> lane & 1:
                    continue
                low = address + (patterns[number, lane] if pattern else lane * size)
                for line in range(low >> LINE_SHIFT, ((low + size - 1) >> LINE_SHIFT) + 1):
                    at = found - 1
                    while at >= 0 and lines[at] != line:
                        at -= 1
                    if at < 0 and found < len(lines):
                        lines[found] = line
                        found += 1
            counts[block, REQUESTS] += found
    return place, FINE
