"""The records that the native core of the cycle-level model works on."""

from __future__ import annotations

import numpy as np

from kcc.sim.cycle.layout import CAUSES, MOST_BANKS, WHEEL
from kcc.sim.machine.fma_pipes import PIPES

# Indices are unsigned: native code then needs no test for those that count from the end.

OPERATION = np.dtype(
    [
        ("first", np.uint32), ("second", np.uint32), ("third", np.uint32), ("fourth", np.uint32),
        # registers that it waits for; NOTHING where there are fewer
        ("result", np.uint32),  # NOWHERE where there is none
        ("more", np.uint32), ("end_more", np.uint32),  # places of further ones in Code.sources
        ("last_latency", np.int32),  # of the last of its machine instructions alone
        ("reads", np.uint64),  # registers read of each bank, in four bits
        ("latency", np.int32),
        ("interval", np.int32),  # cycles for which the unit takes nothing else, for all issues
        ("issues", np.int32),  # machine instructions: cycles of the scheduler
        ("line", np.int32),  # of the code, that its first instruction is in; 0 without a cache
        ("kind", np.uint8),
        ("unit", np.uint8),
        ("cause", np.uint8),  # what waiting for the result is, where memory does not decide
        ("has_access", np.uint8),
        ("writes", np.uint8),  # bank of the result and 1, 0 for none
        ("more_lines", np.uint8),  # of the code, that its further instructions are in
        ("stall", np.uint8),  # cycles until the warp's next, by control bits; 0 without
        ("read", np.uint8),  # the register that is there when its operands are read
    ],
    align=True,
)  # fmt: skip
"""An operation as the core reads it."""

PORT = np.dtype(
    [
        ("register", np.int64),  # the step from which another may go from a collector to the unit
        ("begins", np.int64),  # when the unit takes another
        ("waits", np.int64),  # whether the unit's next waits for registers
    ],
    align=True,
)
"""What lies between the collectors of a scheduler and one of its units."""

COLLECTOR = np.dtype(
    [
        ("leaves", np.int64),  # the step in which its instruction goes on, and it is free
        ("ready", np.int64),  # the step from which its registers are read
        ("register", np.int64), ("begins", np.int64),  # of the port, without this instruction
        ("back", np.int64),  # the cycle in which the result is written
        ("warp", np.uint32), ("result", np.uint32),
        ("unit", np.int32), ("writes", np.int32),
        ("latency", np.int32), ("interval", np.int32),
    ],
    align=True,
)  # fmt: skip
"""An operand collector with the last instruction that it was given."""

SEGMENT = np.dtype(
    [
        ("first", np.uint32), ("end", np.uint32),  # operations
        ("first_copy", np.uint32), ("end_copy", np.uint32),  # phis, one for each way in
        ("block", np.int32),
    ],
    align=True,
)  # fmt: skip

COPY = np.dtype(
    [
        ("block", np.int32),  # that control comes from
        ("result", np.uint32),
        ("first_source", np.uint32), ("end_source", np.uint32),  # in Code.sources
    ],
    align=True,
)  # fmt: skip
"""What a phi does when control comes from one block."""

ROW = np.dtype([("segment", np.uint32), ("last", np.uint32), ("access", np.uint32)], align=True)
"""Segments that a warp executes one after another, ``segment`` to ``last``, whose code lies so, and
the first of their accesses."""

ACCESS = np.dtype([("first", np.uint32), ("count", np.uint32), ("port", np.uint32)], align=True)
"""Transactions; of local and constant memory only the count of passes. ``port``: how long the
load/store port is held, in 1/64 cycle, 0 where passes and sectors alone say so."""

TRANSACTION = np.dtype(
    [("line", np.int64), ("sectors", np.uint32), ("weight", np.uint32)], align=True
)
"""Sectors of a line, as bits, and how often atomics hit the same address; of stores, where sectors
stored in part matter, the words of the line (32 of them) that are written, as bits."""

WARP = np.dtype(
    [
        ("wait", np.int64),  # key of the operand that comes last
        ("age", np.int64),
        ("wake", np.int32),  # can issue at this time, unless it is at a barrier
        ("after", np.int32),  # its loads and atomics so far are done
        ("row", np.int32), ("end_row", np.int32),
        ("op", np.uint32), ("end_op", np.uint32),
        ("access", np.uint32),
        ("from_block", np.int32),
        ("place", np.uint16),  # of its block on the SM
        ("unit", np.uint16),  # that its operation goes to
        ("left", np.uint32),  # of the machine instructions of its operation, if one has issued
        ("line", np.int32),  # of the code, that was fetched last
        ("ends", np.int32),  # its results so far are there and its stores acknowledged
    ],
    align=True,
)  # fmt: skip
"""A warp slot: warp ``w`` of scheduler ``s`` has the number ``s * slots + w``."""

SCHEDULER = np.dtype(
    [
        ("next", np.int64),  # looked at again at this time
        ("charged", np.int64),  # cycles before this are charged
        ("now", np.int64),  # looked at last; the wheel holds the 63 cycles behind it
        ("far_time", np.int64),  # the first of those that wait longer
        ("occupied", np.int64),  # places of the wheel, as bits
        ("far", np.int64),  # warps that wait longer, as bits
        ("base", np.int64),  # of what the next cycles go to: beyond this they are the queues'
        ("collected", np.int64),  # the first cycle of the masks of register banks
        ("op", np.int32),
        ("cause", np.int32),
        ("last", np.int32),  # slot issued from last
        ("live", np.int32),  # warps held
        ("at_barrier", np.int64),
        ("units", np.int64),  # those that some warp could issue to, as bits
        ("ready", np.int64, PIPES),  # warps that could issue to a unit
        ("free", np.int64, PIPES),  # when a unit takes the next instruction
        ("stack", np.int64, CAUSES),  # what its cycles went to
        ("wheel", np.int64, WHEEL),  # warps that wait for a cycle
        ("banks", np.int64, MOST_BANKS),  # accesses under way: a bit for each step from collected
        ("ports", PORT, PIPES),
    ],
    align=True,
)
"""A scheduler. Its warps are bits of masks."""

SM = np.dtype(
    [
        ("time", np.int64),
        ("wanted", np.int64),  # blocks it could take
        ("lsu", np.int64),  # when the load/store unit is free
        ("lsu_cause", np.int64),
        ("out", np.int64),  # when the way to L2 is free, in 1/64 cycle
        ("held", np.int64),  # of the load/store port, less than a cycle that is still due, in 1/64
        ("misses", np.int64),  # entries of the miss heap in use
    ],
    align=True,
)

HOME = np.dtype([("level1", np.int64), ("slice", np.int64), ("level2", np.int64)], align=True)
"""Where the ways of a line's set begin in L1 and in L2, and its slice of that."""

BLOCK = np.dtype(
    [("alive", np.int32), ("at_barrier", np.int32), ("number", np.int64), ("ends", np.int64)],
    align=True,
)
"""A place for a block on an SM: warps that run, of these at the barrier, the block's number, and
when the last of its warps that ended did so."""
