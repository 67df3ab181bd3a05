"""What the native part of the reuse-distance analysis works on."""

from __future__ import annotations

from enum import IntEnum
from typing import Any, NamedTuple

Ints = Any
Floats = Any

EMPTY = -1 << 62
"""A way without a line: one that no address is in, no sectors."""

PERIODS = 8
"""Periods of a loop that are told apart; a loop that has not settled by then is taken to have."""


RECENT = 1 << 14
"""Places for lines that DRAM is bringing, by the set they go to."""


class Op(IntEnum):
    """What a warp comes to: an access, the head and the end of a loop, a barrier."""

    ACCESS = 0
    LOOP = 1
    END = 2
    BARRIER = 3


class Kind(IntEnum):
    """How an access goes through the caches."""

    LOAD = 0
    STORE = 1
    """Passes L1 by and is kept in L2; so do atomics."""
    CONSTANT = 2
    LOCAL_STORE = 3
    """To local memory: goes on to L2 and stays in L1 as well."""


class Order(IntEnum):
    """Whose turn it is: warps one after another, one as long as it can, any."""

    ROUND_ROBIN = 0
    GREEDY = 1
    RANDOM = 2


class First(IntEnum):
    """Columns of what is counted before L2."""

    SECTORS = 0
    HITS = 1
    EXECUTED = 2
    FETCHED = 3
    """Sectors that L2 is asked for: more than miss where L1 asks for several at once."""


class Second(IntEnum):
    """Columns of what is counted at L2, in sectors."""

    READS = 0
    HITS = 1
    WRITES = 2
    DRAM_WRITES = 3
    PENDING = 4
    """Hits on what DRAM is still bringing for another SM."""


class Code(NamedTuple):
    """What a warp does. ``ops[i]``: kind, number of the access or loop, place of the loop's other
    end (of an access: 1 where the warp goes on to the next at once). ``loops[l]``: trips,
    iterations of a period, parent or -1, whether it moves along local memory, the lines of which
    come back: all its iterations are run. ``accesses[a]``: first row, size in bytes, kind, first
    mask, innermost loop or -1, whether a line lasts for several of its periods, bytes after the
    addresses of its rows. ``groups[a]`` and ``moves[a]``: bytes by which the numbers of the thread
    block, its place on the SM, the number of the SM, and iterations move it; ``shares[a]``,
    ``entered[l]``: how often it happens, of 1. ``rows[r, lane]``: addresses of the first thread
    block's warps. ``masks[m, w]``: lanes that take part, as bits; ``steps[a, l]`` and ``caps[a,
    l]``: m for the iterations."""

    ops: Ints
    loops: Ints
    accesses: Ints
    groups: Ints
    moves: Ints
    shares: Floats
    entered: Floats
    rows: Ints
    masks: Ints
    steps: Ints
    caps: Ints


class Sm(NamedTuple):
    """An SM among ``sms``: the thread blocks it holds and how often they are replaced. With
    ``forward`` loops whose misses repeat are left. L1 asks for ``fetch_sectors`` of a line at
    least (1, 2 or 4, aligned). Another warp's turn comes after an access to more lines than
    ``lines_at_once``."""

    number: int
    sms: int
    resident: int
    rounds: int
    warps: int
    blocks: int
    grid_x: int
    grid_y: int
    order: int
    forward: bool
    has_l1: bool
    most_steps: int
    fetch_sectors: int
    lines_at_once: int


class Lru(NamedTuple):
    """``entries[set]``: of each way line, epoch of its last use, dirty and valid sectors (8, 4, 4
    bits), the one used last first; a loop that is left begins the next ``epoch[0]``.
    ``aged[set]``: lines that were not simulated and have passed through it in the mean;
    ``debt[0]``: those through all sets; ``spread`` is 1 where they chose sets at random. ``due[l]``
    and ``carried[l]``: lines of loop l, over all sets, that will have passed unseen when it is
    left, and all of them. ``part[0]``: one over the number of sets. ``drawn[0]``: lines of local
    memory that took another one's way. ``used[set]``: ways after which all are empty."""

    entries: Ints
    aged: Floats
    debt: Floats
    due: Floats
    carried: Floats
    part: Floats
    spread: float
    epoch: Ints
    drawn: Ints
    used: Ints


class Warps(NamedTuple):
    """By warp of an SM: place in the code, whether it runs, turns that it is late, age, by loop the
    iteration and how many iterations it stands for, the product of these. ``random[0]`` draws."""

    pc: Ints
    status: Ints
    late: Ints
    born: Ints
    counter: Ints
    own: Floats
    total: Floats
    random: Ints


class Blocks(NamedTuple):
    """By place of an SM: the round of its thread block, warps that have not ended, warps that wait
    at a barrier."""

    round: Ints
    alive: Ints
    at_barrier: Ints


class Tallies(NamedTuple):
    """By loop: of each period how many warps finished it, lines asked for and those that missed;
    whether its periods repeat; warps in it now, at once at most, and those that left it."""

    seen: Ints
    settled: Ints
    inside: Ints
    peak: Ints
    exits: Ints


class Asked(NamedTuple):
    """What an SM asks of L2, in order. ``requests[i]``: access (-1: a loop is left), line and mask
    of its sectors (or the loop), place of the thread block, round, innermost loop. ``weights[i]``:
    how many requests it stands for, and in the innermost loop (of a loop that is left: in the loop
    around it). ``counts[round, access]`` as :class:`First` says. ``totals``: requests so far,
    accesses of warps, thread blocks begun."""

    requests: Ints
    weights: Floats
    counts: Floats
    totals: Ints


MOST_LINES = 512
"""That a request touches: 64 lanes, each with 16 numbers of 64 bits over a border."""


class Scratch(NamedTuple):
    """Room for the lines of an access, the sectors of each, and where its thread block stands:
    place in the grid, on the SM, and which SM that is."""

    lines: Ints
    masks: Ints
    at: Ints


class Gpu(NamedTuple):
    """L2 and who asks: ``repeats`` times come the thread blocks of the second round and later ones.
    One in ``sampled`` (a power of two) of the ``sets`` is looked at, those that leave ``phase``;
    with ``halves`` of 1 every other of these is counted apart, with 0 all are counted together.
    While DRAM brings a line, every SM asks ``in_flight`` times. Of so many ``dies``, to which
    thread blocks go in turn, the first one's L2 is looked at."""

    sms: int
    resident: int
    repeats: int
    blocks: int
    order: int
    sets: int
    sampled: int
    phase: int
    halves: int
    write_back: bool
    in_flight: int
    dies: int


class SmOrder(NamedTuple):
    """Whose turn it is at L2. By SM: requests that it is ``late`` and that are ``left``, where its
    next one is (before its first: it is late), and how often it has begun again. ``exits[l]``: SMs
    that have left loop l. ``brought[place]``: a line that DRAM brings, and when it was asked for.
    """

    late: Ints
    left: Ints
    at: Ints
    again: Ints
    exits: Ints
    brought: Ints
