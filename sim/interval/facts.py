"""What the interval model is given: a machine, and a kernel's operations on it.

The machine is a matter of the caller, so that the same values reach all timing models
(:mod:`kcc.sim.interval.inputs` takes them from where the cycle-level model has them).
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from kcc.base.gpu.needs import Assumption
from kcc.base.gpu.occupancy import Occupancy
from kcc.base.records import dataclass
from kcc.sim.machine.dram_banks import BankMapping
from kcc.sim.machine.warp_scheduling import Policy


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
    LOCAL = 6
    CONSTANT_LOAD = 7
    BARRIER = 8
    FENCE = 9


class Resource(IntEnum):
    """What of an SM an operation takes beside an issue slot."""

    ALU = 0
    FMA = 1
    FP64 = 2
    SFU = 3
    MEMORY = 4
    CONTROL = 5
    EITHER = 6
    """Of :class:`kcc.sim.machine.costs.Unit`; what goes there is dealt out before."""
    TENSOR = 7
    INTEGER = 8
    """Integer products and half precision, where they go beside FMA
    (:mod:`kcc.sim.machine.fma_pipes`)."""
    HALF = 9


RESOURCES = len(Resource)


@dataclass(frozen=True, slots=True, eq=False)
class Operations:
    """One row for each instruction of the IR, in their order.

    ``issue_slots`` machine instructions make one operation; ``busy_cycles`` is how long its
    resource takes no other one; ``latency_cycles`` is from issue to a dependent issue (what caches
    decide is added later). ``result`` is a register, -1 for none; ``first_source`` and
    ``end_source`` delimit its part of ``sources`` and, of phis, of ``incoming`` (the block each
    comes from). ``access`` is the number of the traced access, -1 for none. ``segments`` has rows
    (first operation, end, block). ``lines`` are (file, line), -1 and 0 where not known.
    ``counted`` says which are warp instructions of the trace. ``code`` has the line of the code
    that an operation begins in, counted from 1 (0 where instructions are always there), and in how
    many more it is.
    """

    kind: NDArray[np.int64]
    resource: NDArray[np.int64]
    issue_slots: NDArray[np.int64]
    busy_cycles: NDArray[np.int64]
    latency_cycles: NDArray[np.float64]
    result: NDArray[np.int64]
    first_source: NDArray[np.int64]
    end_source: NDArray[np.int64]
    access: NDArray[np.int64]
    counted: NDArray[np.bool_]
    sources: NDArray[np.int64]
    incoming: NDArray[np.int64]
    segments: NDArray[np.int64]
    registers: int
    lines: tuple[tuple[int, int], ...]
    code: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.kind)


@dataclass(frozen=True, slots=True)
class CacheShape:
    """Sets (0: no such cache) of so many ways; a set-associative cache of lines of sectors."""

    sets: int
    ways: int


@dataclass(frozen=True, slots=True, eq=False)
class IntervalMachine:
    """A GPU as the interval model sees it; all times in cycles of the SMs' clock.

    ``port`` is what holds the load/store port, in 1/64 cycle
    (:class:`kcc.sim.machine.load_port.LoadPort`), empty where there is no such rule. ``blocks`` of
    ``warps_per_block`` warps are resident on an SM. ``l2`` is one of ``l2_slices``.
    ``l2_service_cycles`` and ``dram_service_cycles`` are what one sector takes of a slice and of a
    channel; ``request_cycles`` and ``store_cycles`` what a sector of a whole line that is read or
    stored takes of an SM's way to L2, ``data_cycles`` one of the way back. ``dram_cycles`` are
    those of a load from DRAM in all, ``row_hit_saves_cycles`` less where the row is open.
    ``instructions`` is an SM's cache of lines of code. Requests wait in queues, ``l2_queue`` at a
    slice and ``dram_queue`` at a channel; a channel turns from reads to writes and back in
    ``turnaround_cycles``, for ``writes_together`` sectors. An atomic
    operation takes ``atomic_operation_cycles`` of its line, with those of ``atomics_together``
    (:class:`kcc.sim.machine.atomics.AtomicQueue`); 0: it takes its slice as a sector does.
    ``one_fp64``: the schedulers of an SM have one unit for double precision together.
    """

    name: str
    clock_mhz: float
    sms: int
    schedulers: int
    issue_width: int
    policy: Policy
    blocks: int
    warps_per_block: int
    line_bytes: int
    sector_bytes: int
    instructions: CacheShape
    local_banks: int
    port: tuple[int, ...]
    lanes_together: int
    pairs_together: bool
    l1: CacheShape
    l1_hit_cycles: int
    l1_mshrs: int
    l1_ports: int
    memory_interval_cycles: int
    l2: CacheShape
    l2_slices: int
    l2_hashed: bool
    l2_write_back: bool
    l2_hit_cycles: int
    l2_service_cycles: float
    request_cycles: float
    store_cycles: float
    data_cycles: float
    channels: int
    banks: int
    bank_mapping: BankMapping
    row_lines: int
    dram_cycles: int
    dram_service_cycles: float
    l2_queue: int
    dram_queue: int
    turnaround_cycles: float
    writes_together: int
    row_hit_saves_cycles: int
    atomic_cycles: int
    atomic_operation_cycles: float
    atomics_together: int
    one_fp64: bool
    barrier_cycles: int
    launch_cycles: int
    code_cycles: int
    occupancy: Occupancy
    assumptions: tuple[Assumption, ...]

    @property
    def warps(self) -> int:
        """Warps resident on an SM."""
        return self.blocks * self.warps_per_block
