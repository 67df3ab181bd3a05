"""Takes the text of kernel traces apart, compiled by numba. Import it lazily.

The reader hands on pieces of whole lines. An instruction is known by its line of the source and its
text from the destinations to the width ("key"); keys are kept in a hash table, so that each piece
of text is looked at once and only distinct instructions are read by Python.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kcc.base.native import uncounted

Bytes = Any
Ints = Any

WIDTH = 32

(
    LINE, BLOCK, WARP, LEFT, INSIDE, KEYS, POOL, LOWEST, HIGHEST, LIVE, UNENDED, UNENDED_BLOCK,
    UNENDED_WARP, WARPS, HAS_LINES, HAS_PLACES, GRID_X, GRID_Y, GRID_Z,
) = range(19)  # fmt: skip
"""Places in the state that goes from one piece to the next: lines read, the thread block and warp,
instructions still announced for it, whether inside a thread block, keys and bytes of them so far,
the range of addresses of stacks, lanes of the warp that came to no EXIT yet, warps that ended so
and the first of them; and what stays: warps of a thread block, whether instructions begin with a
line of the source, whether with their thread block and warp, and the grid."""
STATE = 19

KEY_HASH, KEY_LINE, KEY_START, KEY_END, KEY_COUNT, KEY_WIDTH = range(6)
"""Columns of the keys: their text is in the pool; how often they were executed; whether they have
addresses."""
KEY_COLUMNS = 6

(
    FINE, NOT_HEXADECIMAL, NOT_DECIMAL, TOO_MANY_REGISTERS, NO_SUCH_MODE, TOO_FEW_ADDRESSES,
    NOT_ANNOUNCED, OUTSIDE, NO_SUCH_WARP, STILL_ANNOUNCED, NESTED, TOO_MANY_KEYS, NEW_KEY, NO_LINE,
    SPLIT_LANES, TOO_SHORT, TWICE, NO_SUCH_BLOCK,
) = range(18)  # fmt: skip

WORDS_OF_ERRORS = {
    NOT_HEXADECIMAL: "a program counter, mask or address is no hexadecimal number",
    NOT_DECIMAL: "a count, width or delta is no decimal number",
    TOO_MANY_REGISTERS: "an instruction writes or reads more registers than any does",
    NO_SUCH_MODE: "addresses are lists (0), strides (1) or deltas (2)",
    TOO_FEW_ADDRESSES: "an address for each active lane is wanted",
    NOT_ANNOUNCED: "more instructions than announced",
    OUTSIDE: "this stands outside of a thread block",
    NO_SUCH_WARP: "thread blocks have fewer warps",
    STILL_ANNOUNCED: "fewer instructions than announced",
    NESTED: "a thread block begins in another",
    TOO_MANY_KEYS: "the kernel has more distinct instructions than can be",
    NEW_KEY: "the file has changed since it was first read",
    NO_LINE: "this is not a line of a trace",
    SPLIT_LANES: "a stride is given for lanes that are not contiguous",
    TOO_SHORT: "the line ends too early",
    TWICE: "this thread block comes twice",
    NO_SUCH_BLOCK: "the grid has no such thread block",
}

MOST_REGISTERS = 16
"""Version 5 has one destination and four sources; some tracers write more."""

MOST_DIGITS = 18

PLACES = 4
"""Numbers before an instruction of version 1 and 2: its thread block (x, y, z) and warp."""

SPACE, NEWLINE, RETURN, TAB = ord(" "), ord("\n"), ord("\r"), ord("\t")
ZERO, NINE, MINUS, LETTER_X = ord("0"), ord("9"), ord("-"), ord("x")
LOWER_A, LOWER_F, UPPER_A, UPPER_F = ord("a"), ord("f"), ord("A"), ord("F")
LETTER_T, LETTER_W, LETTER_I, HASH, EQUALS, COMMA = (
    ord("t"), ord("w"), ord("i"), ord("#"), ord("="), ord(","),
)  # fmt: skip
LETTER_B, LETTER_E, LETTER_L, LETTER_D, LETTER_S = (
    ord("B"), ord("E"), ord("L"), ord("D"), ord("S"),
)  # fmt: skip


@uncounted
def _word(text: Bytes, place: int, end: int) -> tuple[int, int]:
    """The next word of a line: its first byte and the one after its last."""
    while place < end and text[place] == SPACE:
        place += 1
    start = place
    while place < end and text[place] != SPACE:
        place += 1
    return start, place


@uncounted
def _hexadecimal(text: Bytes, start: int, end: int) -> int:
    """The number, -1 if it is none of up to 62 bits."""
    if end - start > 2 and text[start] == ZERO and text[start + 1] == LETTER_X:
        start += 2
    if start >= end:
        return -1
    value = np.int64(0)
    for place in range(start, end):
        c = np.int64(text[place])
        if ZERO <= c <= NINE:
            digit = c - ZERO
        elif LOWER_A <= c <= LOWER_F:
            digit = c - LOWER_A + 10
        elif UPPER_A <= c <= UPPER_F:
            digit = c - UPPER_A + 10
        else:
            return -1
        if value >> 58:
            return -1
        value = value << 4 | digit
    return int(value)


@uncounted
def _decimal(text: Bytes, start: int, end: int) -> tuple[int, bool]:
    """The number, which may be negative, and whether it is one."""
    negative = start < end and text[start] == MINUS
    if negative:
        start += 1
    if start >= end or end - start > MOST_DIGITS:
        return 0, False
    value = np.int64(0)
    for place in range(start, end):
        c = np.int64(text[place])
        if not ZERO <= c <= NINE:
            return 0, False
        value = value * 10 + (c - ZERO)
    return int(-value if negative else value), True


@uncounted
def _count(text: Bytes, start: int, end: int) -> int:
    """A number that is not negative, -1 if it is none."""
    value, good = _decimal(text, start, end)
    return value if good and value >= 0 else -1


@uncounted
def _find_key(
    text: Bytes, start: int, end: int, line: int, keys: Ints, places: Ints, pool: Bytes,
    state: Ints, may_add: bool,
) -> int:  # fmt: skip
    """The number of a key, found or added; -1 without room, -2 if it may not be added."""
    code = np.uint64(14695981039346656037) ^ np.uint64(line)
    for place in range(start, end):
        code = (code ^ np.uint64(text[place])) * np.uint64(1099511628211)
    own = np.int64(code >> np.uint64(2))
    slots = len(places)
    slot = own & (slots - 1)
    while places[slot] >= 0:
        key = places[slot]
        first = keys[key, KEY_START]
        if (
            keys[key, KEY_HASH] == own
            and keys[key, KEY_LINE] == line
            and keys[key, KEY_END] - first == end - start
        ):
            same = True
            for offset in range(end - start):
                if pool[first + offset] != text[start + offset]:
                    same = False
                    break
            if same:
                return key
        slot = (slot + 1) & (slots - 1)
    if not may_add:
        return -2
    key, used = state[KEYS], state[POOL]
    if key >= len(keys) or used + end - start > len(pool):
        return -1
    for offset in range(end - start):
        pool[used + offset] = text[start + offset]
    keys[key, KEY_HASH], keys[key, KEY_LINE] = own, line
    keys[key, KEY_START], keys[key, KEY_END] = used, used + end - start
    keys[key, KEY_COUNT] = 0
    places[slot] = key
    state[KEYS] += 1
    state[POOL] += end - start
    return key


@uncounted
def _lanes(text: Bytes, place: int, end: int, mask: int, lanes: Ints) -> int:
    """Read addresses of the active lanes from after the width on; an error or FINE."""
    start, place = _word(text, place, end)
    mode = _count(text, start, place)
    if not 0 <= mode <= 2:
        return NO_SUCH_MODE
    start, place = _word(text, place, end)
    address = _hexadecimal(text, start, place)
    if start == place:
        return TOO_FEW_ADDRESSES
    if address < 0:
        return NOT_HEXADECIMAL
    step = np.int64(0)
    if mode == 1:
        start, place = _word(text, place, end)
        step, good = _decimal(text, start, place)
        if not good:
            return NOT_DECIMAL
    first, before = True, -1
    for lane in range(WIDTH):
        if not mask >> lane & 1:
            lanes[lane] = 0
            continue
        if not first:
            if mode == 1:
                if lane != before + 1:
                    return SPLIT_LANES
                address += step
            else:
                start, place = _word(text, place, end)
                if start == place:
                    return TOO_FEW_ADDRESSES
                if mode == 0:
                    address = _hexadecimal(text, start, place)
                    if address < 0:
                        return NOT_HEXADECIMAL
                else:
                    delta, good = _decimal(text, start, place)
                    if not good:
                        return NOT_DECIMAL
                    address += delta
        first, before = False, lane
        if not 0 <= address < 1 << 62:
            return NOT_HEXADECIMAL
        lanes[lane] = address
    return FINE


@uncounted
def _registers(text: Bytes, place: int, end: int) -> tuple[int, int]:
    """Go over a count and so many registers; an error or FINE, and the place after them."""
    start, place = _word(text, place, end)
    registers = _count(text, start, place)
    if registers < 0:
        return (NOT_DECIMAL if start < place else TOO_SHORT), place
    if registers > MOST_REGISTERS:
        return TOO_MANY_REGISTERS, place
    for _ in range(registers):
        start, place = _word(text, place, end)
        if start == place:
            return TOO_SHORT, place
    return FINE, place


@uncounted
def _instruction(
    text: Bytes, place: int, end: int, keys: Ints, places: Ints, pool: Bytes, state: Ints,
    may_add: bool, lanes: Ints,
) -> tuple[int, int, int, bool]:  # fmt: skip
    """An instruction's line: an error or FINE, its key, mask, and whether ``lanes`` were read."""
    line = 0
    for _ in range(PLACES if state[HAS_PLACES] else 0):
        start, place = _word(text, place, end)
        if _count(text, start, place) < 0:
            return NOT_DECIMAL, 0, 0, False
    if state[HAS_LINES]:
        start, place = _word(text, place, end)
        line = _count(text, start, place)
        if line < 0:
            return NOT_DECIMAL, 0, 0, False
    start, place = _word(text, place, end)
    if _hexadecimal(text, start, place) < 0:
        return NOT_HEXADECIMAL, 0, 0, False
    start, place = _word(text, place, end)
    mask = _hexadecimal(text, start, place)
    if not 0 <= mask < 1 << WIDTH:
        return (NOT_HEXADECIMAL if start < place else TOO_SHORT), 0, 0, False
    first = place + 1
    error, place = _registers(text, place, end)
    stem, place = _word(text, place, end)
    if error == FINE:
        error, place = _registers(text, place, end)
    if error != FINE:
        return error, 0, 0, False
    start, place = _word(text, place, end)
    width = _count(text, start, place)
    if width < 0:
        return (NOT_DECIMAL if start < place else TOO_SHORT), 0, 0, False
    key = _find_key(text, first, place, line, keys, places, pool, state, may_add)
    if key < 0:
        return (TOO_MANY_KEYS if key == -1 else NEW_KEY), 0, 0, False
    if _is_exit(text, stem):
        state[LIVE] &= ~mask
    else:
        state[LIVE] |= mask
    if width == 0 or mask == 0:
        return FINE, key, mask, False
    keys[key, KEY_WIDTH] = 1
    error = _lanes(text, place, end, mask, lanes)
    if error == FINE and may_add and _is_stack(text, stem):
        for lane in range(WIDTH):
            if mask >> lane & 1:
                state[LOWEST] = min(state[LOWEST], lanes[lane])
                state[HIGHEST] = max(state[HIGHEST], lanes[lane])
    return error, key, mask, error == FINE


@uncounted
def _is_stack(text: Bytes, place: int) -> bool:
    """Whether an opcode is LDL or STL."""
    a, b, c, d = text[place], text[place + 1], text[place + 2], text[place + 3]
    is_load = a == LETTER_L and b == LETTER_D and c == LETTER_L
    is_store = a == LETTER_S and b == ord("T") and c == LETTER_L
    return (is_load or is_store) and d in (SPACE, ord("."))


@uncounted
def _is_exit(text: Bytes, place: int) -> bool:
    """Whether an opcode is EXIT."""
    a, b, c, d = text[place], text[place + 1], text[place + 2], text[place + 3]
    return a == LETTER_E and b == ord("X") and c == ord("I") and d == ord("T")


@uncounted
def _end_warp(state: Ints) -> None:
    """All of a warp was read: whether its lanes came to their ends."""
    if state[LIVE] != 0:
        if state[UNENDED] == 0:
            state[UNENDED_BLOCK], state[UNENDED_WARP] = state[BLOCK], state[WARP]
        state[UNENDED] += 1
    state[LIVE] = 0


@uncounted
def _block_of(text: Bytes, place: int, end: int, state: Ints) -> int:
    """The number of the thread block that a heading names; -1 if it names none, -2 if the grid has
    no such one."""
    while place < end and text[place] != EQUALS:
        place += 1
    place += 1
    number = np.int64(0)
    size = np.int64(1)
    for axis in range(3):
        while place < end and text[place] == SPACE:
            place += 1
        start = place
        while place < end and text[place] != COMMA and text[place] != SPACE:
            place += 1
        value = _count(text, start, place)
        if value < 0:
            return -1
        if value >= state[GRID_X + axis]:
            return -2
        number += value * size
        size *= state[GRID_X + axis]
        while place < end and (text[place] == COMMA or text[place] == SPACE):
            place += 1
    return int(number)


@uncounted
def _mark_block(text: Bytes, place: int, end: int, state: Ints, seen: Bytes) -> int:
    """The thread block that a heading names is ``seen``; an error or FINE."""
    number = _block_of(text, place, end, state)
    if number < 0:
        return NOT_DECIMAL if number == -1 else NO_SUCH_BLOCK
    bit = np.uint8(1 << (number & 7))
    if seen[number >> 3] & bit:
        return TWICE
    seen[number >> 3] |= bit
    return FINE


@uncounted
def _after_equals(text: Bytes, place: int, end: int) -> int:
    """The number after an equals sign, -1 if there is none."""
    while place < end and text[place] != EQUALS:
        place += 1
    start, stop = _word(text, place + 1, end)
    return _count(text, start, stop)


@uncounted
def _heading(text: Bytes, place: int, end: int, state: Ints, seen: Bytes, may_add: bool) -> int:
    """A line that begins or ends a thread block or a warp; an error or FINE. ``seen`` are bits of
    thread blocks that came so far, while those are looked at (``may_add``)."""
    letter = text[place]
    if letter == HASH:
        second = text[place + 1] if place + 1 < end else SPACE
        if second == LETTER_B:
            if state[INSIDE]:
                return NESTED
            state[BLOCK] += 1
            state[INSIDE], state[LEFT], state[WARP] = 1, 0, -1
        elif second == LETTER_E:
            if not state[INSIDE]:
                return OUTSIDE
            state[INSIDE] = 0
            if state[LEFT]:
                return STILL_ANNOUNCED
            _end_warp(state)
        return FINE
    if not state[INSIDE]:
        return OUTSIDE
    if letter == LETTER_T:
        return _mark_block(text, place, end, state, seen) if may_add else FINE
    value = _after_equals(text, place, end)
    if value < 0:
        return NOT_DECIMAL
    if letter == LETTER_W:
        if state[LEFT]:
            return STILL_ANNOUNCED
        if value >= state[WARPS]:
            return NO_SUCH_WARP
        _end_warp(state)
        state[WARP] = value
    else:
        if state[WARP] < 0:
            return OUTSIDE
        state[LEFT] = value
    return FINE


@uncounted
def read_lines(
    text: Bytes, size: int, state: Ints, keys: Ints, places: Ints, pool: Bytes, may_add: bool,
    seen: Bytes, rows: Ints, masks: Any, access_start: Ints, addresses: Ints, lanes: Ints,
) -> tuple[int, int, int]:  # fmt: skip
    """Read ``size`` bytes of whole lines.

    With ``may_add`` keys are collected and counted and thread blocks marked as ``seen``, else rows
    are written: thread block, warp and key, the mask, where its accesses begin, and the addresses
    of each access.
    ``lanes`` is room for one warp's. Returns an error or FINE, rows and accesses.
    """
    place = row = access = 0
    while place < size:
        end = place
        while text[end] != NEWLINE:
            end += 1
        state[LINE] += 1
        last = end
        while place < last and (text[last - 1] == RETURN or text[last - 1] == SPACE):
            last -= 1
        while place < last and (text[place] == SPACE or text[place] == TAB):
            place += 1
        if place == last:
            place = end + 1
            continue
        letter = text[place]
        if letter in (HASH, LETTER_T, LETTER_W, LETTER_I):
            error = _heading(text, place, last, state, seen, may_add)
            if error != FINE:
                return error, row, access
            place = end + 1
            continue
        if not state[INSIDE]:
            return OUTSIDE, row, access
        if state[LEFT] <= 0:
            return NOT_ANNOUNCED, row, access
        state[LEFT] -= 1
        error, key, mask, has_lanes = _instruction(
            text, place, last, keys, places, pool, state, may_add, lanes
        )
        if error != FINE:
            return error, row, access
        place = end + 1
        if may_add:
            keys[key, KEY_COUNT] += 1
            continue
        if mask == 0:
            continue
        rows[row, 0], rows[row, 1], rows[row, 2] = state[BLOCK], state[WARP], key
        masks[row] = mask
        access_start[row] = access
        if has_lanes:
            for lane in range(WIDTH):
                addresses[access, lane] = lanes[lane]
            access += 1
        row += 1
    access_start[row] = access
    return FINE, row, access
