"""Records shared by the generated code and the Python side, and the virtual address space.

All records are arrays of 64-bit words; the enums give the word's place. Virtual addresses are what
kernels see as pointers; each address space has its own window, so that an address says where it
belongs and does not depend on which worker runs the thread block.
"""

from __future__ import annotations

from enum import IntEnum

ARENA_BASE = 0x0000_0001_0000_0000
"""Window of buffers and constants; below it nothing is mapped, so null is never valid."""
LOCAL_BASE = 0x0000_0100_0000_0000
"""Window of a thread block's local memory."""
PRIVATE_BASE = 0x0000_0200_0000_0000
"""Window of a work-item's private memory."""
WINDOW_BITS = 40
"""Windows are told apart by the bits of an address from this one up."""

OBJECT_ALIGNMENT = 256
"""Every buffer starts at a multiple of this many bytes, as OpenCL devices with the usual
CL_DEVICE_MEM_BASE_ADDR_ALIGN of 2048 bits have it."""
MARGIN_BYTES = 1 << 16
"""Readable bytes before the first and after the last object of the arena and of local memory:
a whole warp may be loaded at once where only some of its lanes are wanted."""
REDZONE_BYTES = 256
"""Unused bytes between objects."""


class Worker(IntEnum):
    """The record of one worker thread; pointers are host addresses."""

    ARENA = 0
    """Host address of the arena less its virtual address."""
    LOCAL = 1
    PRIVATE = 2
    """Host address of the current warp's private memory (its window's start)."""
    ARGUMENTS = 3
    """Argument values, one 64-bit slot per 8 bytes, at the offsets of the plan."""
    OBJECTS = 4
    """First address and size in bytes of the object each pointer argument points to."""
    LOCAL_IDS = 5
    """For each warp of a thread block 3 x W 32-bit local ids."""
    LIVE_MASKS = 6
    """For each warp of a thread block the mask of lanes that exist."""
    STATES = 7
    """The warps' states, one after another."""
    COUNTS = 8
    """For each block: executions, lanes."""
    GROUP_X = 9
    GROUP_Y = 10
    GROUP_Z = 11
    GROUPS_X = 12
    GROUPS_Y = 13
    GROUPS_Z = 14
    LOCAL_X = 15
    LOCAL_Y = 16
    LOCAL_Z = 17
    GLOBAL_X = 18
    GLOBAL_Y = 19
    GLOBAL_Z = 20
    OFFSET_X = 21
    OFFSET_Y = 22
    OFFSET_Z = 23
    WORK_DIM = 24
    WARP = 25
    WARPS = 26
    BUDGET = 27
    """Warp instructions each warp may execute."""
    STOP = 28
    """Set from outside to make workers give up."""
    TRACE_NEXT = 29
    TRACE_LIMIT = 30
    FLUSH = 31
    """Function called with this record when the trace buffer is full."""
    PATTERNS = 32
    FAULT_KIND = 33
    FAULT_INSTRUCTION = 34
    FAULT_LANES = 35
    FAULT_LANE = 36
    FAULT_ADDRESS = 37
    FAULT_WARP = 38
    LOCAL_LOW = 39
    """First address of local memory and its bytes."""
    LOCAL_BYTES = 40
    PRIVATE_BYTES = 41
    """Per lane."""
    ARENA_LOW = 42
    ARENA_BYTES = 43
    PRINT = 45
    """Function called for printf with this record, the call's number and its argument words."""
    BLOCK = 46
    """Linear number of the thread block."""
    FAULT_BLOCK = 47
    PRIVATE_START = 48
    """Where the private memory of the first warp begins."""
    SUSPECT = 49
    """Set when a load has given what memory holds that was never written."""
    LOCAL_SHADOW = 50
    """In a precise program, bytes from a byte of local memory to its shadow."""
    LAST_MASK = 51
    """The mask in the trace's last block record."""
    BASES = 52
    """The address last traced for each memory instruction."""
    ARENA_SHADOW = 54
    """In a program that watches every value, bytes from a byte of the arena to its shadow."""
    AWAY = 53
    """Not 0 while a function of the Python side runs: what goes wrong there is not the kernel's."""
    SIZE = 64


class State(IntEnum):
    """Head of a warp's state; the stack, the slots and the private memory follow."""

    PC = 0
    """Where to go on: a place in the table of resume points, 0 is the entry."""
    MASK = 1
    RECONVERGENCE = 2
    """The block where the current lanes wait for others, -1 for none."""
    DEPTH = 3
    """Used entries of the stack."""
    BUDGET = 4
    STATUS = 5
    LIVE = 6
    """Lanes that exist; where lanes that have ended may miss barriers, those that have not."""
    VOTES = 7
    """How many barriers with a value the warp has passed."""
    VOTE = 8
    """The warp's share of such a value: two words, used in turn."""
    SIZE = 16


STACK_WORDS = 3
"""A stack entry: resume point, mask, reconvergence block."""


class Status(IntEnum):
    """What compiled code returns."""

    DONE = 0
    BARRIER = 1
    FAULT = 2
    CRASH = 3
    """The code did what no program may: see ``guard``."""


class FaultKind(IntEnum):
    """Why execution stopped."""

    NONE = 0
    OUT_OF_BOUNDS = 1
    MISALIGNED = 2
    CONSTANT_WRITE = 3
    UNINITIALISED = 4
    BARRIER_DIVERGENCE = 5
    DIVISION_BY_ZERO = 6
    BUDGET = 7
    STOPPED = 8
    BARRIER_MISMATCH = 9
    UNREACHABLE = 11
    BARRIER_ABANDONED = 12
    IMAGE_BOUNDS = 13
    UNDEFINED = 14
