"""What the native core of the cycle-level model works on: arrays of numbers and of records.

Times are cycles of the SM clock since the launch's first cycle.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any, NamedTuple

Array = Any
"""An array of numpy, in native code one of records."""

NEVER = 1 << 60
"""A time that does not come."""

NOT_YET = (1 << 31) - 1
"""The last time that 32 bits can say."""

WAY_BITS = 5
"""A line in its set's order stands above so many bits; in them its place in the set and, on top,
whether something of it is dirty."""
DIRTY = 1 << (WAY_BITS - 1)

ABSENT = -1
"""Of a sector that a cache does not hold and did not ask for."""

LATEST = (1 << 31) - (1 << 24)
"""Times of results are kept in 32 bits, with room for any latency."""


class Cause(IntEnum):
    """What a scheduler's cycle went to; each cycle goes to exactly one."""

    ISSUED = 0
    LAUNCH = 1
    """Before the first instruction: what the host, driver and front end take; also before that of
    a block that takes another's place."""
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
    REGISTERS = 16
    """No operand collector is free: register banks that others read."""
    FETCH = 17
    """Instructions that the instruction cache does not hold."""


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
    Cause.REGISTERS: "register banks",
    Cause.FETCH: "fetch",
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
    GROUP = 12
    """Makes no code, but its result is that of the operands as they are where it stands."""


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
    READS = 11
    """Machine registers read: of those whose number has remainder r by 16, how many, in the four
    bits from 4 r on. 0 where registers are not assigned yet."""
    WRITES = 12
    """The remainder of the machine register written, and 1; 0 for none."""
    STALL = 13
    """By control bits: cycles until the warp's next instruction; 0 where the code has none."""
    READ = 14
    """By control bits: the register that is there when the operands are read, -1 for none."""
    LAST_LATENCY = 15
    """Of the last of several machine instructions alone; it decides where others come between."""


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
    """Of an SM's way out by a load's request for a sector, the first of its line, in 1/64 cycle."""
    DATA_CYCLES = 25
    """Of an SM's way in by one sector, in 1/64 cycle."""
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
    REGISTER_BANKS = 38
    """Of one scheduler; 0: no limit is known."""
    COLLECTORS = 39
    """Operand collectors of one scheduler."""
    L2_MSHR = 40
    """Miss entries of a slice; 0: no limit is known."""
    WRITES_TOGETHER = 41
    """Sectors that a channel of DRAM collects before it writes them."""
    TURNAROUND = 42
    """Of a channel from reads to writes and back, in 1/64 cycle."""
    L2_QUEUE = 43
    """Requests that wait at a slice; an SM that writes to one where there are more waits."""
    DRAM_QUEUE = 44
    """Sectors that wait at a channel; a slice that has to write one more waits."""
    REFRESH_EVERY = 45
    """In 1/64 cycle; 0: not known."""
    REFRESH = 46
    """Of all banks of a channel, in 1/64 cycle."""
    STORES_STAY = 47
    """1: what is stored stays in L1."""
    FETCH_SETS = 48
    """Of an SM's instruction cache; 0: none is known, and instructions are always there."""
    FETCH_WAYS = 49
    CONSTANT_SETS = 50
    """Of an SM's constant cache; 0: none is known, and constants are always there."""
    CONSTANT_WAYS = 51
    OPENING = 52
    """Between two rows that a channel opens, in 1/64 cycle; 0: not known."""
    BLOCK_START = 54
    """From a block's end to the first instruction of the one that takes its place."""
    CODE_LINE = 53
    """The line where the kernel's code begins."""
    MERGE_LINES = 55
    """1: a load leaves to misses under way only lines that it misses nothing else of."""
    FILL_LINE = 56
    """1: a load that misses a line in L1 asks for all sectors of it."""
    WARP_END = 57
    """From a warp's last result or acknowledged store to its end; 0: it ends when its last
    instruction issues."""
    L1_BANK_SECTORS = 58
    """Sectors that lie in one bank of L1 before the next begins; 0: any bank has any sector."""
    L2_MERGE = 59
    """Requests for a sector that one miss entry of L2 serves; 0: no limit is known."""
    ONE_START = 61
    """1: an SM starts one thread block in a cycle, and the others have their turn."""
    AFTER_ATOMIC = 60
    """1: a warp whose atomic operation is under way issues nothing."""
    REQUEST_MORE = 62
    """Of an SM's way out by the request for a further sector of the same line, in 1/64 cycle."""
    STORE_CYCLES = 63
    """Of an SM's way out by a sector that is stored, the first of its line, in 1/64 cycle."""
    STORE_MORE = 64
    """The same of a further sector of the line."""
    L2_PARTIAL = 65
    """1: a sector of L2 that was stored in part is read from DRAM when it is loaded."""
    BANK_MAPPING = 66
    """Of rows to banks (:class:`kcc.sim.machine.dram_banks.BankMapping`)."""
    XU_QUEUE = 67
    """Cycles of work that the unit of special functions takes in ahead."""
    CODE_CYCLES = 68
    """Until the code of the launch is there, where no cache of instructions is simulated."""
    SIDE_SETS = 69
    """Of a channel's part of the memory-side cache, whose lines are sectors; 0: there is none."""
    SIDE_LATENCY = 70
    """Of a load that hits it, beyond an L2 hit."""
    SIDE_BURST = 71
    """Of a channel's part by one sector, in 1/64 cycle."""
    PART_WRITTEN = 72
    """Times that a slice of L2 works on a sector that is stored in part."""
    STORED_WORDS = 73
    """1: which words of a line are stored matters."""
    ATOMIC_OPERATION = 74
    """Of the line (or word) that an atomic operation of a lane is for, in 1/64 cycle; 0: it takes
    its slice as a sector does."""
    ATOMICS_TOGETHER = 75
    """``several`` of :class:`kcc.sim.machine.atomics.AtomicQueue`."""
    ONE_FP64 = 76
    """1: the schedulers of an SM have one unit for double precision together."""


CONF_SIZE = len(Conf)


NOTHING, NOWHERE, FIRST_REGISTER = range(3)
"""A register that is always ready, one that nobody reads, and the first of the program's."""

MOST_BANKS = 16
WHEEL = 64
"""Cycles of a scheduler's wheel, and the most warps that it can hold: bits of a word."""

FORESEEN = 64
"""Lines of an access that are found together."""

CAUSE_BITS, QUEUE_BITS, TIME_SHIFT = 5, 27, 32
"""A key is a time, what of it was queueing, and the cause, from high bits to low: the largest key
of several operands is that of the operand that comes last (of equal ones, that queued longest)."""


class Code(NamedTuple):
    """What the core reads of a program. Arrays of OPERATION, of registers, SEGMENT and COPY."""

    ops: Array
    sources: Array
    segments: Array
    copies: Array


class Streams(NamedTuple):
    """What blocks do: arrays of ROW, ACCESS and TRANSACTION; ``pool[b, w]`` the first and end row
    of warp w of block b."""

    rows: Array
    accesses: Array
    transactions: Array
    pool: Array


class Warps(NamedTuple):
    """Arrays of WARP, of keys of registers, and room for the keys of phis."""

    state: Array
    values: Array
    scratch: Array


class Schedulers(NamedTuple):
    """Arrays of SCHEDULER and of operand collectors (COLLECTOR)."""

    state: Array
    collectors: Array


class Cache(NamedTuple):
    """``order[set]`` are lines with their places, the least recently used last. ``lines[place]``
    says when each sector is there, ABSENT if it is not; then, for L1, what gives each sector that
    is under way (low byte) and how many wait for it, for L2 the dirty sectors as bits; for L2 whose
    miss entries merge so many requests only, at last how many each sector under way has."""

    order: Array
    lines: Array


class Sms(NamedTuple):
    """Arrays of SM and BLOCK; the windows of returning data, when misses are done (a heap); HOME of
    the lines that are looked at; caches of instructions and constants, with the sectors of L1."""

    state: Array
    blocks: Array
    returns: Array
    misses: Array
    foreseen: Array
    instructions: Cache
    constants: Cache


class Dram(NamedTuple):
    """When slices of L2, channels (in 1/64 cycle) and banks are free; rows that are open; sectors
    that channels have to write, and whether they read since they last wrote; when the last misses
    of each slice are done, as a ring; when channels (in 1/64 cycle) may open another row; when
    their parts of the memory-side cache are free (in 1/64 cycle), and the sectors in these, as
    ``Cache.order`` has lines."""

    slices: Array
    channels: Array
    banks: Array
    rows: Array
    writes: Array
    misses: Array
    openings: Array
    sides: Array
    kept: Array


class Counts(NamedTuple):
    """What is counted: in all (Stat), by operation (LineStat), over time; cycles by operation and
    by cause; the first blocks' SM, start, end and place."""

    stats: Array
    lines: Array
    intervals: Array
    line_stacks: Array
    log: Array


class Run(IntEnum):
    """Places in the state of the whole run."""

    NEXT_BLOCK = 0
    """Next to be dispatched, in the pool."""
    END_BLOCK = 1
    """Blocks in the pool end here."""
    FINISHED = 2
    """No more blocks come."""
    SM = 3
    """SMs that came to the end of this window."""
    WINDOW = 4
    FILL = 5
    """Places filled of the first blocks."""
    DISPATCHED = 6
    RETIRED = 7
    END = 8
    """The last cycle in which something was issued or arrived."""
    INTERVAL_SHIFT = 9
    """Intervals of the statistics over time have two to the power of this cycles."""
    FIRST_SM = 10
    """The SM that is first in this window: each is in turn, as what comes first finds more room in
    the queues."""


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
    FETCHES = 20
    """Lines of code that warps went on to, where there is an instruction cache."""
    FETCH_MISSES = 21
    CONSTANT_LINES = 22
    """Looked up in the constant cache, where there is one."""
    CONSTANT_MISSES = 23
    ASKED_AGAIN = 24
    """Of those merged with a miss under way: asked of L2 all the same (Conf.MERGE_LINES)."""
    L2_WRITE_HITS = 25
    """Of sectors that a write had brought to L2 before (Baghsorkhi et al., PPoPP 2012, section
    2.1: a block that a read brought counts as a miss)."""
    SIDE_READS = 26
    """Of the memory-side cache, where there is one."""
    SIDE_HITS = 27


STATS = len(Stat)


class LineStat(IntEnum):
    """What is counted for each operation."""

    EXECUTED = 0
    SECTORS = 1
    L1_HITS = 2
    L2_HITS = 3
    DRAM = 4
    PASSES = 5
    LATENCY = 6
    """Cycles from the issue of loads until all their data were there."""


LINE_STATS = len(LineStat)

STEPS = 2
"""Of a cycle: a register bank serves one access in each. A single warp of independent FFMA (three
registers read) issues each cycle on a scheduler with two banks: Accel-Sim's SM86 as measured."""
BANK_STEPS = 62
"""Steps ahead that are kept of a bank: bits of a word."""
ISSUE_TO_BEGIN = 3
"""Cycles from an instruction's issue until its pipeline begins with it, if it waits for nothing: to
a collector, with its registers to the pipeline's own, and on."""

SIDE_WAYS = 16
"""Of the memory-side cache: assumed, nobody says."""

ROWS_KEPT = 4
"""Rows of a bank that waiting requests are for: what FR-FCFS serves together."""

WAITING, DONE, TOO_LONG = range(3)
"""How the core came back: for want of blocks, at the end, at a time that 32 bits cannot hold."""

ROUND_ROBIN, GREEDY, TWO_LEVEL, YOUNGEST = range(4)
"""Scheduling policies."""

GROUP = 8
"""Warps of a group of the two-level scheduler (Narasiman et al., MICRO 2011, section 4)."""

SLOTS = 1 << 10
"""Windows of an SM's returning data that are kept."""
SLOT_SHIFT = 4
"""A window has two to the power of this cycles."""
USED_BITS = 12
"""The 1/64 cycles of it that are taken."""

INTERVALS = 1 << 9
"""Of the statistics over time; they double in length when the launch gets longer."""
INTERVAL_COLUMNS = 4
"""Issued, DRAM sectors, L1 misses, cycles of resident warps."""

NO_OP = 0
"""Row of the line statistics for cycles that belong to no operation; operation i is row i + 1."""
