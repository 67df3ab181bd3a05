"""Writes the rows of a trace as text, compiled by numba. Import it lazily.

What is the same in all executions of an instruction stands in a pool of bytes: its counter before
the mask, the rest after it, up to the addresses.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kcc.base.native import uncounted

Bytes = Any
Ints = Any

WIDTH = 32

HEAD, BODY, END, ACCESS, OFFSET, IS_EXIT = range(6)
"""Columns of instructions: where in the pool the text before and after the mask begins, and where
that ends; the access of the row (-1: none), what is added to its addresses; whether lanes end."""
COLUMNS = 6

ROW, KEY, EXITED, WRITTEN = range(4)
"""State from one call to the next: the row to go on with, the warp that is being written (-1: none)
and its lanes that have ended, instructions written so far."""
STATE = 4

BEGIN, WARP, INSTRUCTIONS, FINISH = range(4)
"""Fixed lines: what begins a thread block and a warp, stands before its instructions, ends the
block."""

MOST_FIXED = 1024
"""Bytes of the fixed lines of a warp, and an EXIT."""

MOST_PER_ADDRESS = 20
"""Characters of an address or delta with the space before it."""

LARGEST_STEP = 1 << 31
"""Strides and deltas stay below: Accel-Sim reads strides as 32-bit numbers."""


@uncounted
def put_text(out: Bytes, place: int, pool: Bytes, start: int, end: int) -> int:
    """Copy text; the place after it."""
    for n in range(end - start):
        out[place + n] = pool[start + n]
    return place + end - start


@uncounted
def put_hexadecimal(out: Bytes, place: int, value: int, least: int) -> int:
    """A number of at least so many digits."""
    digits = least
    while digits < 16 and value >> (4 * digits):
        digits += 1
    for n in range(digits):
        digit = value >> (4 * (digits - 1 - n)) & 15
        out[place + n] = digit + 48 if digit < 10 else digit + 87
    return place + digits


@uncounted
def put_decimal(out: Bytes, place: int, value: int) -> int:
    """A number, which may be negative."""
    if value < 0:
        out[place] = 45
        place += 1
        value = -value
    digits, rest = 1, value // 10
    while rest:
        digits += 1
        rest //= 10
    for n in range(digits):
        out[place + digits - 1 - n] = 48 + value % 10
        value //= 10
    return place + digits


@uncounted
def put_addresses(
    out: Bytes, place: int, addresses: Ints, access: int, mask: int, offset: int
) -> int:
    """Mode and addresses of the active lanes: a stride where they are adjacent and go up
    evenly, else deltas; a list where deltas are too large."""
    first, before, step, lanes = -1, -1, 0, 0
    even, small = True, True
    for lane in range(WIDTH):
        if not mask >> lane & 1:
            continue
        if first < 0:
            first = lane
        else:
            delta = addresses[access, lane] - addresses[access, before]
            if lanes == 1:
                step = delta
            even = even and lane == before + 1 and delta == step
            small = small and -LARGEST_STEP < delta < LARGEST_STEP
        before = lane
        lanes += 1
    mode = (1 if even else 2) if small else 0
    out[place], out[place + 1], out[place + 2] = 32, 48 + mode, 32
    out[place + 3], out[place + 4] = 48, 120
    place = put_hexadecimal(out, place + 5, addresses[access, first] + offset, 1)
    if mode == 1:
        out[place] = 32
        return put_decimal(out, place + 1, step)
    before = first
    for lane in range(first + 1, WIDTH):
        if not mask >> lane & 1:
            continue
        out[place] = 32
        if mode == 2:
            delta = addresses[access, lane] - addresses[access, before]
            place = put_decimal(out, place + 1, delta)
        else:
            out[place + 1], out[place + 2] = 48, 120
            place = put_hexadecimal(out, place + 3, addresses[access, lane] + offset, 1)
        before = lane
    return place


@uncounted
def put_instruction(
    out: Bytes, place: int, op: int, ops: Ints, pool: Bytes, mask: int, access: int, addresses: Ints
) -> int:
    """One line."""
    place = put_text(out, place, pool, ops[op, HEAD], ops[op, BODY])
    place = put_hexadecimal(out, place, mask, 8)
    place = put_text(out, place, pool, ops[op, BODY], ops[op, END])
    if ops[op, ACCESS] >= 0:
        place = put_addresses(
            out, place, addresses, access + ops[op, ACCESS], mask, ops[op, OFFSET]
        )
    out[place], out[place + 1], out[place + 2] = 32, 48, 10
    return place + 3


@uncounted
def edge_of(segment: int, before: int, edge_start: Ints, edges: Ints) -> int:
    """The row of the moves on the way into a segment from the block before, -1 for none."""
    for row in range(edge_start[segment], edge_start[segment + 1]):
        if edges[row, 0] == before:
            return row
    return -1


@uncounted
def count_warp(
    row: int, end: int, key: int, keys: Ints, segments: Ints, masks: Ints, blocks: Ints,
    segment_ops: Ints, edge_start: Ints, edges: Ints, ops: Ints, alive: int,
) -> int:  # fmt: skip
    """Instructions of the warp whose rows begin at ``row``, with the EXIT that is added for lanes
    which end in none."""
    count, exited, before = 0, 0, -1
    while row < end and keys[row] == key:
        segment = segments[row]
        edge = edge_of(segment, before, edge_start, edges)
        if edge >= 0:
            count += edges[edge, 2] - edges[edge, 1]
        count += segment_ops[segment, 1] - segment_ops[segment, 0]
        last = segment_ops[segment, 1] - 1
        if last >= segment_ops[segment, 0] and ops[last, IS_EXIT]:
            exited |= np.int64(masks[row])
        before = blocks[row]
        row += 1
    return count + (alive & ~exited != 0)


@uncounted
def write_rows(
    out: Bytes, state: Ints, keys: Ints, segments: Ints, masks: Ints, blocks: Ints, access: Ints,
    addresses: Ints, end: int, warps: int, threads: int, grid: Ints, segment_ops: Ints,
    edge_start: Ints, edges: Ints, ops: Ints, pool: Bytes, words: Ints, last_op: int, most: Ints,
) -> int:  # fmt: skip
    """Write rows up to ``end``, or until ``out`` may be too small for the next; bytes written.

    ``keys`` number warps through the grid; ``words`` are where in the pool the fixed lines begin
    and end; ``most`` is what a segment's text takes at most; ``last_op`` the EXIT that is added.
    """
    place, row = 0, state[ROW]
    room = len(out)
    while True:
        key = state[KEY]
        if key >= 0 and (row == end or keys[row] != key):
            if room - place < MOST_FIXED:
                break
            warp = key % warps
            alive = (1 << min(threads - warp * WIDTH, WIDTH)) - 1
            left = alive & ~state[EXITED]
            if left:
                place = put_instruction(out, place, last_op, ops, pool, left, 0, addresses)
            if row == end or keys[row] // warps != key // warps:
                place = put_text(out, place, pool, words[FINISH, 0], words[FINISH, 1])
            state[KEY] = -1
        if row == end:
            break
        segment = segments[row]
        if room - place < most[segment] + MOST_FIXED:
            break
        key = keys[row]
        if state[KEY] < 0:
            warp, number = key % warps, key // warps
            if row == 0 or keys[row - 1] // warps != number:
                place = put_text(out, place, pool, words[BEGIN, 0], words[BEGIN, 1])
                place = put_decimal(out, place, number % grid[0])
                out[place] = 44
                place = put_decimal(out, place + 1, number // grid[0] % grid[1])
                out[place] = 44
                place = put_decimal(out, place + 1, number // (grid[0] * grid[1]))
            alive = (1 << min(threads - warp * WIDTH, WIDTH)) - 1
            count = count_warp(
                row, end, key, keys, segments, masks, blocks, segment_ops, edge_start, edges, ops,
                alive,
            )  # fmt: skip
            place = put_text(out, place, pool, words[WARP, 0], words[WARP, 1])
            place = put_decimal(out, place, warp)
            place = put_text(out, place, pool, words[INSTRUCTIONS, 0], words[INSTRUCTIONS, 1])
            place = put_decimal(out, place, count)
            out[place] = 10
            place += 1
            state[KEY], state[EXITED] = key, 0
            state[WRITTEN] += count
        mask: Any = np.int64(masks[row])
        if row > 0 and keys[row - 1] == key:
            edge = edge_of(segment, blocks[row - 1], edge_start, edges)
            if edge >= 0:
                for op in range(edges[edge, 1], edges[edge, 2]):
                    place = put_instruction(out, place, op, ops, pool, mask, 0, addresses)
        for op in range(segment_ops[segment, 0], segment_ops[segment, 1]):
            place = put_instruction(out, place, op, ops, pool, mask, access[row], addresses)
            if ops[op, IS_EXIT]:
                state[EXITED] |= mask
        row += 1
    state[ROW] = row
    return place
