"""What the memory model takes and gives."""

from __future__ import annotations

from enum import Enum, IntEnum

import numpy as np
from numpy.typing import NDArray

from kcc.base.records import dataclass


class Start(Enum):
    """Where the blocks that are on an SM at first begin (section 3.2.1)."""

    SKIP = "skip"
    """At a random point of their trace; what lies before it is discarded, as the text has it."""
    DELAY = "delay"
    """A random time later, up to the length of a block: nothing is discarded."""
    APART = "apart"
    """The same, but one time for each SM (figure 1): SMs are apart, their blocks are not."""
    TOGETHER = "together"
    """All at once at their begin: no deviation."""


class WarpOrder(Enum):
    """In which order the warps of an SM issue (section 3.2.2)."""

    LENGTH = "length"
    """Weighted by what is left of them, so that all end together."""
    EQUAL = "equal"
    """One sequence each in turn."""
    LATENCY = "latency"
    """In turn, but a warp whose sequence missed L1 waits for L2 before it has another: what trails
    behind others and hits catches up with them."""
    ISSUE = "issue"
    """The same, but a turn is one load: those of a sequence do not wait for each other, and other
    warps come between them (a loose round robin scheduler)."""


class Dispatch(Enum):
    """Which SM takes a thread block."""

    ROUND_ROBIN = "round robin"
    """Each SM in turn (section 2, "fine-grained round robin")."""
    FREE = "free"
    """So at first; then the next block goes where one has ended first."""


class Merging(Enum):
    """Which SM's request L2 serves next (section 3.2.2)."""

    RANDOM = "random"
    """Random, weighted by what is left of the SM's queue."""
    ROUND_ROBIN = "round robin"
    """One of each SM in turn."""


@dataclass(frozen=True, slots=True)
class Deviations:
    """The sources of randomness. With :data:`NO_DEVIATION` each trial is the same pass."""

    dispatch: Dispatch = Dispatch.FREE
    start: Start = Start.DELAY
    warp_order: WarpOrder = WarpOrder.ISSUE
    merging: Merging = Merging.RANDOM
    random_groups: bool = True
    """Requests to DRAM in groups of random size; else all of 32."""
    random_latency: bool = True
    """A miss of L1 takes as long as L2 or, with the chance that L2 misses, as DRAM; else as L2."""


NO_DEVIATION = Deviations(
    start=Start.TOGETHER, merging=Merging.ROUND_ROBIN, random_groups=False, random_latency=False
)


class Count(IntEnum):
    """Columns of what a trial counts for each access."""

    EXECUTED = 0
    """By warps."""
    REQUESTS = 1
    """For lines."""
    SECTORS = 2
    """That the lanes want."""
    L1_HITS = 3
    L2_READS = 4
    """Sectors asked of L2: those of a whole line where L1 fills lines."""
    L2_HITS = 5
    WRITES = 6
    """Sectors written to L2."""
    WRITE_HITS = 7
    """Those among them that a write had activated before (section 2.1)."""


COUNTS = len(Count)


class Op(IntEnum):
    """What an access does; a barrier is no access, but stands in the stream of a warp."""

    LOAD = 0
    STORE = 1
    ATOMIC = 2
    CONSTANT = 3
    BARRIER = 4
    PAST_L1 = 5
    """A load that does not look into L1."""


class Place(IntEnum):
    """Places in the configuration of the native code."""

    SMS = 0
    BLOCKS = 1
    """Resident on an SM."""
    WARPS = 2
    """Of a block."""
    SECTORS = 3
    """Of a line."""
    L1_SETS = 4
    """0: global loads go past L1."""
    L1_WAYS = 5
    STORES_STAY = 6
    FILL_LINE = 7
    """1: a miss of L1 brings the whole line."""
    L2_SETS = 8
    """Of a slice; 0: no L2."""
    L2_WAYS = 9
    L2_SLICES = 10
    HASH = 11
    CONSTANT_SETS = 12
    CONSTANT_WAYS = 13
    CHANNELS = 14
    BANKS = 15
    ROW_LINES = 16
    BURST = 17
    """Of a channel by a sector, in 1/64 cycle."""
    ROW_MISS = 18
    ROW_CYCLE = 19
    OPENING = 20
    DRAM_LATENCY = 21
    """In all, from the SM, without load."""
    START = 22
    WARP_ORDER = 23
    MERGING = 24
    GROUPS = 25
    """1: of random size."""
    L2_WAYS_USED = 26
    """Of L2's ways, by lines that are not kept there."""
    PINNED_FIRST = 27
    """The first of the lines that are kept in L2, ..."""
    PINNED_LINES = 28
    """... and how many there are; 0: none."""
    DISPATCH = 29
    L1_CYCLES = 30
    L2_CYCLES = 31
    MISSES = 32
    """Sectors that an SM may wait for at a time."""
    AGAIN = 33
    """1: a load that misses a sector of a line asks again for those that are on their way."""
    LATENCY = 34
    """1: misses of L1 take as long as L2 or DRAM, at random."""
    DRAM_SPREAD = 35
    """Cycles that DRAM takes beyond DRAM_LATENCY at most."""
    SCHEDULERS = 36
    """Of an SM, each of which has its own warps."""


PLACES = len(Place)


@dataclass(frozen=True, slots=True, eq=False)
class MemoryMachine:
    """A GPU as the model sees it: ``conf`` (places as :class:`Place`), latencies in cycles."""

    name: str
    conf: NDArray[np.int64]
    clock_mhz: float
    l1_cycles: float
    l2_cycles: float
    line_bytes: int
    sector_bytes: int
    l1_bytes: int
    l2_bytes: int
    local_bytes: int
    """That a block can still have of local memory."""
    local_cycles: float
    assumptions: tuple[str, ...]

    def __getitem__(self, place: Place) -> int:
        return int(self.conf[place])


@dataclass(frozen=True, slots=True)
class StaticAccess:
    """A load, store or atomic of the kernel's code; ``line`` is 0 where it is not known.
    ``element_bytes`` are those that one lane moves. ``instruction`` is its number in machine code,
    -1 where the access is one of the source, whose copies count together."""

    operation: Op
    file: str
    line: int
    column: int
    array: str
    space: str
    element_bytes: int
    instruction: int = -1


@dataclass(frozen=True, slots=True, eq=False)
class Stream:
    """What the warps of a snapshot ask of the memory, without an order between them.

    Entry i asks for the sectors of line ``lines[i]`` that are in ``info[i]`` (the fields are in
    sequences_native). ``bounds[b, w]`` are the first and end entry of warp w of block b, blocks
    ascending, ``lengths[b, w]`` its sequences. ``accesses`` are what the numbers in ``info`` mean.
    ``blocks`` of ``all_blocks`` thread blocks are in it, from ``first_block`` on.
    """

    lines: NDArray[np.int64]
    info: NDArray[np.int64]
    bounds: NDArray[np.int64]
    lengths: NDArray[np.int64]
    accesses: tuple[StaticAccess, ...]
    first_block: int
    all_blocks: int
    sequences: int

    @property
    def blocks(self) -> int:
        return len(self.bounds)

    @property
    def is_whole(self) -> bool:
        """Whether it is all of the launch."""
        return self.blocks == self.all_blocks


@dataclass(frozen=True, slots=True, eq=False)
class Trial:
    """What one order gave: counts of each access (rows) by :class:`Count`, and the latency in
    cycles of each batch of requests that went to DRAM together."""

    counts: NDArray[np.int64]
    batch_cycles: NDArray[np.float64]
    dirty_sectors: int
    """Written from L2 to DRAM."""


ROUNDING = 1e-9
"""Relative: less is no difference of rates."""


@dataclass(frozen=True, slots=True)
class Distribution:
    """A quantity over trials."""

    values: tuple[float, ...]

    @property
    def mean(self) -> float:
        return float(np.mean(self.values))

    @property
    def deviation(self) -> float:
        """The standard deviation of one trial; 0 with one."""
        return float(np.std(self.values, ddof=1)) if len(self.values) > 1 else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """Mean and two deviations to both sides (section 5.2): where 95 % of orders lie."""
        mean, reach = self.mean, 2 * self.deviation
        return mean - reach, mean + reach

    @property
    def varies(self) -> bool:
        """Whether trials differ by more than rounding."""
        return max(self.values) - min(self.values) > ROUNDING * max(map(abs, self.values))

    @property
    def settled_after(self) -> int:
        """Trials after which the deviation stays within a tenth of that of all of them."""
        if len(self.values) < 3 or not self.varies:
            return min(len(self.values), 2)
        last = self.deviation
        settled = len(self.values)
        for count in range(len(self.values), 1, -1):
            if abs(float(np.std(self.values[:count], ddof=1)) - last) > 0.1 * last:
                break
            settled = count
        return settled


@dataclass(frozen=True, slots=True)
class AccessResult:
    """One static access. Rates are None where there was nothing to hit; ``sectors`` and
    ``executed`` are means of a trial. ``cycles`` is X of section 6.1, None for what is no load.
    ``share`` is what part of the latency of all loads of warps it is."""

    access: StaticAccess
    executed: float
    requests: float
    sectors: float
    l2_reads: float
    writes: float
    l1_rate: Distribution | None
    l2_rate: Distribution | None
    write_rate: Distribution | None
    cycles: Distribution | None
    share: float


@dataclass(frozen=True, slots=True)
class ArrayResult:
    """All accesses to one array; cycles are the mean of its loads, weighted by executions."""

    array: str
    sectors: float
    l1_rate: Distribution | None
    l2_rate: Distribution | None
    write_rate: Distribution | None
    cycles: Distribution | None
    share: float


@dataclass(frozen=True, slots=True)
class Change:
    """What altered accesses would do: changes of the latency of all loads (executions times X) and
    of the transactions, as shares of what they are. ``code`` is one of vectorise, stage, bypass
    and pin."""

    code: str
    words: str
    line: int
    array: str
    latency_change: float
    entries_change: float
    l1_rate: Distribution | None
    l2_rate: Distribution | None


@dataclass(frozen=True, slots=True)
class MemoryResult:
    """What the model says of one launch. Rates are of sectors; ``dram_cycles`` is T_m of section
    3.2.3, ``batch_cycles`` the latencies it was taken from, of all trials."""

    kernel: str
    launch: int
    gpu: str
    clock_mhz: float
    l1_cycles: float
    l2_cycles: float
    trials: int
    settled_after: int
    blocks: int
    all_blocks: int
    resident_blocks: int
    sms: int
    entries: int
    sequences: int
    l1_rate: Distribution | None
    l2_rate: Distribution | None
    write_rate: Distribution | None
    l2_reads: Distribution
    l2_writes: Distribution
    dram_reads: Distribution
    dram_writes: Distribution
    dram_cycles: Distribution
    batch_cycles: tuple[float, ...]
    accesses: tuple[AccessResult, ...]
    arrays: tuple[ArrayResult, ...]
    assumptions: tuple[str, ...]
    changes: tuple[Change, ...] = ()
