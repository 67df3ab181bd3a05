"""Places in the arrays that the native core of the cycle-level model works on.

All state of a simulation is in a few arrays of integers; these are the columns. Times are cycles
of the SM clock since the launch's first cycle.
"""

from __future__ import annotations

from enum import IntEnum

NEVER = 1 << 60
"""A time that does not come."""

LATEST = (1 << 31) - 2
"""Times of results are kept in 32 bits."""


class Cause(IntEnum):
    """What a scheduler's cycle went to; each cycle goes to exactly one."""

    ISSUED = 0
    LAUNCH = 1
    """Before the first instruction: what the host, driver and front end take."""
    IDLE = 2
    """The scheduler holds no warp: the tail of a launch, or too few blocks."""
    BARRIER = 3
    ARITHMETIC = 4
    """A result of an arithmetic pipeline is not there yet (or a branch's)."""
    UNIT = 5
    """The pipeline takes no instruction yet: its initiation interval."""
    LOCAL = 6
    """A result from local memory."""
    LOAD_STORE = 7
    """The load/store unit still works: bank conflicts, many sectors."""
    CONSTANT = 8
    L1 = 9
    L2 = 10
    DRAM = 11
    ATOMIC = 12
    QUEUE = 13
    """Beyond the latency without load: waiting for ports, slices and channels."""
    MSHR = 14
    """The load/store unit waits for a free miss entry."""
    FENCE = 15


CAUSES = len(Cause)

NAMES = {
    Cause.ISSUED: "issued",
    Cause.LAUNCH: "launch",
    Cause.IDLE: "idle",
    Cause.BARRIER: "barrier",
    Cause.ARITHMETIC: "dependence",
    Cause.UNIT: "unit busy",
    Cause.LOCAL: "local memory",
    Cause.LOAD_STORE: "load/store unit",
    Cause.CONSTANT: "constant cache",
    Cause.L1: "L1",
    Cause.L2: "L2",
    Cause.DRAM: "DRAM",
    Cause.ATOMIC: "atomic",
    Cause.QUEUE: "memory queue",
    Cause.MSHR: "MSHR",
    Cause.FENCE: "fence",
}
"""Names in reports."""


class Kind(IntEnum):
    """What an operation does when it issues."""

    FREE = 0
    """Makes no code: its result is there when its operands are."""
    PHI = 1
    """The same with the operand of the block that control came from."""
    ARITHMETIC = 2
    GLOBAL_LOAD = 3
    GLOBAL_STORE = 4
    GLOBAL_ATOMIC = 5
    LOCAL_LOAD = 6
    LOCAL_STORE = 7
    LOCAL_ATOMIC = 8
    CONSTANT_LOAD = 9
    BARRIER = 10
    FENCE = 11


class Op(IntEnum):
    """Columns of the operations."""

    KIND = 0
    UNIT = 1
    LATENCY = 2
    INTERVAL = 3
    """Cycles for which the unit takes nothing else, for all issues together."""
    ISSUES = 4
    """Machine instructions: cycles of the scheduler."""
    RESULT = 5
    """Register, -1 for none."""
    FIRST_SOURCE = 6
    END_SOURCE = 7
    HAS_ACCESS = 8
    COUNTED = 9
    """Whether it counts as a warp instruction of the trace."""
    CAUSE = 10
    """To which waiting for the result goes, where memory does not decide."""


OP_COLUMNS = len(Op)


class Conf(IntEnum):
    """Places in the configuration."""

    SMS = 0
    SCHEDULERS = 1
    PER_SCHEDULER = 2
    """Warp slots of one scheduler."""
    BLOCKS = 3
    """Blocks resident on an SM."""
    WARPS = 4
    """Warps of a block."""
    POLICY = 5
    WIDTH = 6
    QUANTUM = 7
    BARRIER_LATENCY = 8
    L1_LATENCY = 9
    L1_SETS = 10
    """0: no L1 for global loads."""
    L1_WAYS = 11
    SECTORS = 12
    """Sectors of a line of L1."""
    L1_MSHR = 13
    L1_MERGE = 14
    L1_BANKS = 15
    LSU_INTERVAL = 16
    L2_SETS = 17
    """Of one slice; 0: no L2."""
    L2_WAYS = 18
    L2_SLICES = 19
    L2_LATENCY = 20
    """A load that hits L2, in all."""
    L2_OCCUPANCY = 21
    """Of a slice by one sector, in 1/64 cycle."""
    L2_WRITE_BACK = 22
    HASH = 23
    """1: slices by a hash of the address."""
    REQUEST_CYCLES = 24
    """Of an SM's way out by one load request."""
    DATA_CYCLES = 25
    """Of an SM's way in or out by one sector."""
    CHANNELS = 26
    DRAM_LATENCY = 27
    """Beyond an L2 hit, row activation with it."""
    BURST = 28
    """Of a channel by one sector, in 1/64 cycle."""
    ROW_LINES = 29
    BANKS = 30
    ROW_MISS = 31
    """What a row hit saves: RP and RCD, in cycles."""
    ROW_CYCLE = 32
    CONSTANT_LATENCY = 33
    ATOMIC_LATENCY = 34
    REGISTERS = 35
    OVERHEAD = 36
    LOCAL_ATOMIC_LATENCY = 37
    STORE_SECTOR_CYCLES = 38


CONF_SIZE = len(Conf)


class Warp(IntEnum):
    """Columns of warp slots."""

    ROW = 0
    END_ROW = 1
    OP = 2
    END_OP = 3
    ACCESS = 4
    BLOCK_SLOT = 5
    AGE = 6
    FROM_BLOCK = 7
    BASE = 8
    """Waiting after this is the queues'."""
    CAUSE = 9
    AFTER = 10
    """When its loads and atomics so far are done."""
    HELD = 11
    HELD_CAUSE = 12
    """When, and behind what, it could go on but for the barrier."""


WARP_COLUMNS = len(Warp)


class Sched(IntEnum):
    """Columns of schedulers."""

    NEXT = 0
    """Looked at again at this time."""
    CHARGED = 1
    """Cycles before this are charged."""
    LAST = 2
    """Slot issued from last."""
    LIVE = 3
    """Warps held."""
    OP = 4
    CAUSE = 5
    BASE = 6
    """What the cycles from CHARGED on go to."""


SCHED_COLUMNS = len(Sched)


class Sm(IntEnum):
    """Columns of SMs."""

    TIME = 0
    WANTED = 1
    """Blocks it could take."""
    LSU = 2
    """When the load/store unit is free."""
    LSU_CAUSE = 3
    OUT = 4
    """When the way to L2 is free."""
    MISSES = 5
    """Entries of the miss heap in use."""
    RESIDENT = 6


SM_COLUMNS = len(Sm)


class Run(IntEnum):
    """Places in the state of the whole run."""

    NEXT_BLOCK = 0
    """Next to be dispatched, in the pool."""
    END_BLOCK = 1
    """Blocks in the pool end here."""
    FINISHED = 2
    """No more blocks come."""
    SM = 3
    """The SM to go on with in this window."""
    WINDOW = 4
    FILL = 5
    """Places filled of the first blocks."""
    DISPATCHED = 6
    RETIRED = 7
    END = 8
    """The last cycle in which something was issued or arrived."""
    CLOCK = 9
    """Counts uses of cache lines."""
    ROOM = 10


RUN_SIZE = len(Run)


class Stat(IntEnum):
    """What is counted."""

    ISSUED = 0
    WARP_INSTRUCTIONS = 1
    L1_SECTORS = 2
    L1_HITS = 3
    L1_PENDING = 4
    """Merged with a miss under way."""
    L2_READS = 5
    L2_READ_HITS = 6
    L2_WRITES = 7
    DRAM_READS = 8
    DRAM_WRITES = 9
    ROW_HITS = 10
    LOCAL_ACCESSES = 11
    LOCAL_PASSES = 12
    ATOMICS = 13
    MSHR_CYCLES = 14
    LOADS = 15
    STORES = 16
    STORE_SECTORS = 17
    MERGE_STALLS = 18
    WARP_CYCLES = 19
    """Cycles of resident warps, all together."""


STATS = len(Stat)


class LineStat(IntEnum):
    """What is counted for each operation."""

    EXECUTED = 0
    SECTORS = 1
    L1_HITS = 2
    L2_HITS = 3
    DRAM = 4
    PASSES = 5


LINE_STATS = len(LineStat)

WAITING, DONE, TOO_LONG = range(3)
"""How the core came back: for want of blocks, at the end, at a time that 32 bits cannot hold."""

ROUND_ROBIN, GREEDY, TWO_LEVEL = range(3)
"""Scheduling policies."""

GROUP = 8
"""Warps of a group of the two-level scheduler (Narasiman et al., MICRO 2011, section 4)."""

SLOTS = 1 << 10
"""Windows of an SM's returning data that are kept."""
SLOT_CYCLES = 16
"""Of one window."""

INTERVALS = 1 << 9
"""Of the statistics over time; they double in length when the launch gets longer."""
INTERVAL_COLUMNS = 4
"""Issued, DRAM sectors, L1 misses, cycles of resident warps."""

NO_OP = 0
"""Row of the line statistics for cycles that belong to no operation; operation i is row i + 1."""
