"""Walks the words of a trace at the speed of native code.

Both functions are plain Python that numba compiles when they are first asked for; they touch
nothing outside the arrays they get, whatever the words say, and give an error in place of it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from kcc.base.trace.words import (
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

THREAD_BLOCK, WARP, MASK = range(3)
"""Places in the state that goes from one piece to the next (the mask as a signed number)."""

FINE, FULL, CUT_OFF, BAD_SEGMENT, BAD_TAG, NO_LANES, BAD_WARP, DESCENDING = range(8)
"""How a walk ended: at the end; for want of room; wrongly: inside a record, at a segment that does
not exist, at a tag that does not exist, at a mask without lanes, at a thread block or warp that is
too large, at a thread block lower than the one before."""

WORDS_OF_ERRORS = {
    CUT_OFF: "a record is cut off",
    BAD_SEGMENT: "there is no such segment",
    BAD_TAG: "there is no such kind of address",
    NO_LANES: "a warp has no active lane",
    BAD_WARP: "the number of a thread block or warp is too large",
    DESCENDING: "a thread block comes after a later one",
}

EXECUTIONS, LANES = range(2)
"""Columns of what :func:`count_words` adds up for each segment."""


@cache
def decoder() -> Callable[..., tuple[int, int, int, int]]:
    """:func:`decode_words` as native code."""
    from kcc.base.native import native

    return native(decode_words)


@cache
def counter() -> Callable[..., tuple[int, int]]:
    """:func:`count_words` as native code."""
    from kcc.base.native import native

    return native(count_words)


def decode_words(
    words: Any, place: int, state: Any, patterns: Any, bases: Any, starts: Any, sizes: Any,
    thread_block: Any, warp: Any, segments: Any, mask: Any, access_start: Any, access: Any,
    addresses: Any,
) -> tuple[int, int, int, int]:  # fmt: skip
    """Decode from ``place`` on until the words or the room for results end.

    ``starts[s]`` to ``starts[s + 1]`` are the accesses of segment s (none are read if
    ``addresses`` has no columns), ``sizes`` their bytes per lane. ``mask`` to ``thread_block`` are
    the results, by segment; ``access`` and ``addresses`` by access. Gives the place reached, the
    segments and accesses decoded, and how it ended.
    """
    width, count = patterns.shape[1], len(words)
    tracing = addresses.shape[1] > 0
    n = m = 0
    access_start[0] = 0
    while place < count:
        word = int(words[place])
        if word == HEADER_MARK:
            if place + HEADER_WORDS > count:
                return place, n, m, CUT_OFF
            state[THREAD_BLOCK] = int(words[place + 1]) | int(words[place + 2]) << 32
            state[WARP] = int(words[place + 3])
            state[MASK] = 0
            if state[THREAD_BLOCK] < 0 or state[WARP] >= 1 << 31:
                return place, n, m, BAD_WARP
            place += HEADER_WORDS
            continue
        segment = word & ~SAME_MASK
        if segment >= len(starts) - 1:
            return place, n, m, BAD_SEGMENT
        first, end = starts[segment], starts[segment + 1]
        if n == len(segments) or (tracing and m + end - first > len(access)):
            return place, n, m, FULL
        place += 1
        if not word & SAME_MASK:
            if place + width // 32 > count:
                return place, n, m, CUT_OFF
            state[MASK] = int(words[place])
            if width == 64:
                state[MASK] |= int(words[place + 1]) << 32
            place += width // 32
        lanes = state[MASK]
        if lanes == 0:
            return place, n, m, NO_LANES
        thread_block[n], warp[n] = state[THREAD_BLOCK], state[WARP]
        segments[n], mask[n] = segment, lanes
        if tracing:
            for number in range(first, end):
                if place >= count:
                    return place, n, m, CUT_OFF
                word = int(words[place])
                tag = word >> TAG_SHIFT
                place += 1
                if tag == TAG_FAR:
                    if place + 2 > count:
                        return place, n, m, CUT_OFF
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
                    return place, n, m, BAD_TAG
                if tag == TAG_PATTERN:
                    for lane in range(width):
                        if not lanes >> lane & 1:
                            patterns[number, lane] = 0
                            continue
                        if place >= count:
                            return place, n, m, CUT_OFF
                        delta = int(words[place])
                        patterns[number, lane] = delta - (1 << 32) if delta >> 31 else delta
                        place += 1
                access[m] = number
                if tag in (TAG_PATTERN, TAG_SAME):
                    for lane in range(width):
                        addresses[m, lane] = address + patterns[number, lane]
                elif tag == TAG_UNIFORM:
                    for lane in range(width):
                        addresses[m, lane] = address
                else:
                    for lane in range(width):
                        addresses[m, lane] = address + lane * sizes[number]
                m += 1
        n += 1
        access_start[n] = m
    return place, n, m, FINE


def count_words(
    words: Any, state: Any, starts: Any, width: int, tracing: bool, seen: Any, blocks: Any
) -> tuple[int, int]:
    """Count the executions and the active lanes of each segment, without decoding addresses.

    ``seen`` has a row for each segment; ``blocks`` has the lowest and the highest thread block,
    which must ascend. The rest is as for :func:`decode_words`. Gives the place reached and how it
    ended.
    """
    place, count = 0, len(words)
    active = 0
    for lane in range(width):
        active += state[MASK] >> lane & 1
    while place < count:
        word = int(words[place])
        if word == HEADER_MARK:
            if place + HEADER_WORDS > count:
                return place, CUT_OFF
            state[THREAD_BLOCK] = int(words[place + 1]) | int(words[place + 2]) << 32
            state[WARP] = int(words[place + 3])
            state[MASK] = active = 0
            if state[THREAD_BLOCK] < 0 or state[WARP] >= 1 << 31:
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
        if active == 0:
            return place, NO_LANES
        accesses = starts[segment + 1] - starts[segment] if tracing else 0
        for _ in range(accesses):
            if place >= count:
                return place, CUT_OFF
            tag = int(words[place]) >> TAG_SHIFT
            if tag == TAG_FAR:
                if place + 2 >= count:
                    return place, CUT_OFF
                tag = int(words[place + 2]) >> TAG_SHIFT
                place += 2
            place += 1
            if tag == TAG_PATTERN:
                place += active
        if place > count:
            return place, CUT_OFF
        if state[THREAD_BLOCK] < blocks[1]:
            return place, DESCENDING
        if blocks[0] < 0:
            blocks[0] = state[THREAD_BLOCK]
        blocks[1] = state[THREAD_BLOCK]
        seen[segment, EXECUTIONS] += 1
        seen[segment, LANES] += active
    return place, FINE
