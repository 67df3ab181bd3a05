"""What the pipeline model's native code runs on: an SM, the operations of a program, and the state
of its warps, schedulers, memory and thread blocks, as named tuples of arrays."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Numbers = NDArray[np.int32]
Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]
Places = Any
"""What native code finds other values by: without a sign, so that it does not have to look whether
they count from the end, which takes a quarter of the time. Numbers have 32 bits, since a sum of 64
bits with a sign and 64 without is a float."""

NEVER = 1e30
"""When nothing happens."""


class Operations(NamedTuple):
    """Columns of the operations of a program, and which results each needs: those of operation o
    are ``needs[need_starts[o]:need_starts[o + 1]]``. Cycles, and sectors per execution. ``misses``
    is the share of a warp's executions that ask for all of these at once; 0 where they fall as they
    may. Of what is asked of L2, a share is ``pending``: L2 waits for DRAM itself. Each sector
    that is asked of L2 or written takes ``l2_cycles``. ``same``: the operation that this one is,
    in another iteration; ``results``: the number by which others need its result."""

    need_starts: Numbers
    needs: Numbers
    unit: Numbers
    memory: Numbers
    slots: Floats
    held: Floats
    busy: Floats
    latency: Floats
    port: Floats
    l2_sectors: Floats
    dram_sectors: Floats
    write_sectors: Floats
    sectors: Floats
    misses: Floats
    pending: Floats
    l2_cycles: Floats
    same: Places
    results: Places


class Sm(NamedTuple):
    """An SM and its share of the memory below it, in cycles (per sector for DRAM).
    ``resident`` thread blocks of ``warps`` warps run at a time, ``blocks`` in all; the first ones
    start together. ``greedy`` schedulers stay with a warp as long as it can issue, then take the
    youngest one; others take the warp that comes first in its place. A read of DRAM takes
    ``dram_wait`` longer in the mean than without load, at random: of several that a warp waits for
    together, the last one counts. With ``one_fp64`` all schedulers have one unit for double
    precision together. With ``starts_only`` the run is over when the last thread block starts."""

    schedulers: int
    resident: int
    warps: int
    blocks: int
    dram_cycles: float
    queue: float
    xu_queue: float
    shared_latency: float
    l1_latency: float
    l2_latency: float
    dram_latency: float
    dram_wait: float
    constant_latency: float
    barrier_latency: float
    atomic_latency: float
    block_start: float
    greedy: bool = False
    starts_only: bool = False
    one_fp64: bool = False


class Run(NamedTuple):
    """``cycles`` of all; ``spent`` scheduler cycles by reason, which add up to cycles times
    schedulers; when each thread block ``started``; the cycles of the ``middle``, in which a
    ``part`` of the operations that were watched were issued: from a quarter of them on until a
    thread block ends (once there are an eighth), or three quarters. ``steady``: what was spent in
    these; with nothing watched, once every thread block has taken the place of another one, up to
    the start of the last one. ``own``: of the slots that were issued in the middle, the share of
    what was watched."""

    cycles: float
    spent: Floats
    started: Floats
    middle: float
    part: float
    steady: Floats
    own: float


class Warps(NamedTuple):
    """By warp: its place in the trace and that trace's end, from when on it is ``ready`` for the
    operation there and ``why`` not before, the unit that this ``asks`` for, whether it is
    ``waiting`` at a barrier, by operation when its last result is ``known`` and its ``source``,
    ``reads`` of DRAM since it last waited for one, its scheduler and the place of its thread block.
    By scheduler the ``order`` of its warps, whose ``number`` may be one less in the last ones: of
    those that can issue at one time the first one is taken."""

    place: Places
    end: Places
    ready: Floats
    why: Places
    asks: Places
    waiting: Flags
    known: Floats
    source: NDArray[np.uint8]
    reads: Integers
    scheduler: Places
    block: Places
    order: Places
    number: Integers


class Schedulers(NamedTuple):
    """By scheduler: from when on it and its units are ``free``, and until when each unit (or the
    port) is ``taken``, so that it accepts no operation; the warp that can issue ``first``, and
    ``when`` it can: :data:`NEVER` where none can; the warp that it ``stays`` with while that can
    issue, -1 for none."""

    free: Floats
    unit_free: Floats
    taken: Floats
    first: Integers
    when: Floats
    stays: Integers


class MemoryState(NamedTuple):
    """``free``: from when on the port, L2 and DRAM are; ``credit_l2``, ``credit_dram``: parts of
    sectors that operations still owe; what they asked for last ``arrives`` in L1 then, from a
    ``level``; ``progress``: how far each warp has come in the sectors of each operation that walks
    along them, as a share."""

    free: Floats
    credit_l2: Floats
    credit_dram: Floats
    arrives: Floats
    level: NDArray[np.int8]
    progress: Floats


class Watch(NamedTuple):
    """Of operations that are watched: after how many of them the middle begins and ends at the
    latest (``marks``), how many and how many slots of them ``so_far``, and of both ends of the
    middle ``when`` they were, how many were ``issued``, their ``slots`` and what was ``spent`` up
    to then. Without any (no ``marks``) the latter from when all places were taken again to the last
    thread block."""

    marks: Floats
    so_far: Floats
    when: Floats
    issued: Floats
    slots: Floats
    spent: Floats


class Blocks(NamedTuple):
    """By place on the SM the warps that are ``left`` of its thread block and have ``arrived`` at
    its barrier; by thread block when it ``started``."""

    left: Integers
    arrived: Integers
    started: Floats
