"""A GPU as kcc knows it: every property a sourced :class:`Fact`, or None where nobody says.

The fields below are the schema of the files in ``kcc/gpus``: names are the keys of a file, and
what a key takes stands beside it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import TypeAlias

from kcc.base.gpu.facts import Fact, integer, integers, number, text
from kcc.base.records import dataclass

SECTOR_BYTES = 32

Integer: TypeAlias = Fact[int] | None
Number: TypeAlias = Fact[float] | None
Text: TypeAlias = Fact[str] | None
Integers: TypeAlias = Fact[tuple[int, ...]] | None

LANES = "lanes per SM"
CYCLES = "cycles"
BYTES = "bytes"
MHZ = "MHz"


@dataclass(frozen=True, slots=True)
class Lanes:
    """How many work-items a unit of one SM takes in per cycle."""

    fp32: Integer = integer(LANES, "single precision add, multiply, fma", high=4096)
    fp64: Integer = integer(LANES, "double precision add, multiply, fma", low=0, high=4096)
    int32: Integer = integer(LANES, "32-bit integer add and logic", high=4096)
    sfu: Integer = integer(LANES, "special functions: rcp, rsqrt, sin, exp2, log2", high=4096)
    ldst: Integer = integer(LANES, "load and store addresses", high=4096)
    tensor: Integer = integer("units per SM", "matrix units, 0 for none", low=0, high=64)


@dataclass(frozen=True, slots=True)
class Latencies:
    """Cycles from the issue of an operation to that of one that needs its result."""

    int_add: Number = number(CYCLES, "32-bit integer add")
    int_mul: Number = number(CYCLES, "32-bit integer multiply")
    fp32_add: Number = number(CYCLES, "single precision add")
    fp32_mul: Number = number(CYCLES, "single precision multiply")
    fp32_fma: Number = number(CYCLES, "single precision fused multiply-add")
    fp64_add: Number = number(CYCLES, "double precision add")
    fp64_mul: Number = number(CYCLES, "double precision multiply")
    fp64_fma: Number = number(CYCLES, "double precision fused multiply-add")
    sfu_rcp: Number = number(CYCLES, "reciprocal")
    sfu_sqrt: Number = number(CYCLES, "square root")
    sfu_sin: Number = number(CYCLES, "sine or cosine, approximate")
    sfu_exp: Number = number(CYCLES, "power of two, approximate")
    int_div: Number = number(CYCLES, "32-bit integer division, as a sequence")
    fp32_div: Number = number(CYCLES, "single precision division, as a sequence")
    fp64_div: Number = number(CYCLES, "double precision division, as a sequence")
    shared_load: Number = number(CYCLES, "load from shared memory without conflicts")
    l1_hit: Number = number(CYCLES, "load that hits the L1 cache")
    l2_hit: Number = number(CYCLES, "load that misses L1 and hits L2, in all")
    dram: Number = number(CYCLES, "load that misses every cache, in all, without load")
    constant_hit: Number = number(CYCLES, "load that hits the constant cache")
    barrier: Number = number(CYCLES, "barrier of a block of one warp")
    atomic_global: Number = number(CYCLES, "atomic on global memory, in L2")
    atomic_shared: Number = number(CYCLES, "atomic on shared memory")
    branch: Number = number(CYCLES, "branch")
    texture: Number = number(CYCLES, "texture fetch that hits")
    tensor: Number = number(CYCLES, "matrix operation of one warp")


@dataclass(frozen=True, slots=True)
class InitiationIntervals:
    """Cycles between two warp instructions of a class on one scheduler's unit."""

    int: Number = number(CYCLES, "integer", low=0.25)
    fp32: Number = number(CYCLES, "single precision", low=0.25)
    fp64: Number = number(CYCLES, "double precision", low=0.25)
    sfu: Number = number(CYCLES, "special functions", low=0.25)
    branch: Number = number(CYCLES, "branches", low=0.25)
    texture: Number = number(CYCLES, "texture", low=0.25)
    tensor: Number = number(CYCLES, "matrix units", low=0.25)


@dataclass(frozen=True, slots=True)
class Level1:
    """The L1 data cache of an SM (AMD: the vector cache of a CU)."""

    size_bytes: Integer = integer(BYTES, "size; the most it can be where shared memory shares it")
    unified_bytes: Integer = integer(BYTES, "L1 and shared memory together, where they are one")
    line_bytes: Integer = integer(BYTES, "line", low=16, high=1024)
    sector_bytes: Integer = integer(BYTES, "what a miss fetches", low=16, high=1024)
    assoc: Integer = integer("ways", "associativity", high=65536)
    write_policy: Text = text("what a store does, in words")
    mshr: Integer = integer("entries", "outstanding misses", high=1 << 20)
    mshr_merge: Integer = integer("requests", "requests that one entry merges", high=1 << 20)
    merge_unit: Text = text("what a load that misses leaves to misses under way", "sector", "line")
    fill: Text = text("what a load that misses a line brings", "sector", "line")
    banks: Integer = integer("banks", "banks", high=1024)
    bank_bytes: Integer = integer(
        BYTES, "what one bank has before the next begins; 0: any", low=0, high=1024
    )
    bytes_per_cycle: Number = number("bytes per cycle", "bandwidth of one SM", low=1)


@dataclass(frozen=True, slots=True)
class Level2:
    """The L2 cache, all slices together; size 0 where there is none."""

    size_bytes: Integer = integer(BYTES, "size, 0 for none", low=0)
    line_bytes: Integer = integer(BYTES, "line", low=16, high=1024)
    sector_bytes: Integer = integer(BYTES, "what a miss fetches", low=16, high=1024)
    assoc: Integer = integer("ways", "associativity", high=65536)
    slices: Integer = integer("slices", "slices", high=4096)
    write_policy: Text = text("what a store does", "write-back", "write-through")
    partial_sectors: Text = text("a load of a sector that was stored in part", "hit", "miss")
    hash: Text = text("how addresses go to slices", "linear", "ipoly")
    queue: Integer = integer("requests", "requests waiting at a slice", high=65536)
    mshr: Integer = integer("entries", "outstanding misses of a slice", high=1 << 20)
    mshr_merge: Integer = integer("requests", "requests that one entry merges", high=1 << 20)
    clock_mhz: Number = number(MHZ, "clock", low=1, high=20000)
    bytes_per_cycle: Number = number("bytes per cycle", "bandwidth of all slices", low=1)
    dies: Integer = integer(
        "dies", "dies with an L2 each, to which thread blocks go in turn", high=64
    )


@dataclass(frozen=True, slots=True)
class ReadOnlyCache:
    """A constant or texture cache of an SM."""

    size_bytes: Integer = integer(BYTES, "size")
    line_bytes: Integer = integer(BYTES, "line", low=16, high=4096)
    assoc: Integer = integer("ways", "associativity", high=65536)


@dataclass(frozen=True, slots=True)
class Interconnect:
    """Between the SMs and the L2 slices."""

    clock_mhz: Number = number(MHZ, "clock", low=1, high=20000)
    flit_bytes: Integer = integer(BYTES, "what one port moves per cycle", high=4096)
    latency_cycles: Number = number(CYCLES, "one way, without load")


@dataclass(frozen=True, slots=True)
class Dram:
    """The memory below the L2 cache."""

    channels: Integer = integer("channels", "channels", high=4096)
    banks: Integer = integer("banks per channel", "banks", high=4096)
    timing: Text = text("names and cycles, colon-separated: CCD, RRD, RCD, RAS, RP, RC, CL ...")
    bank_groups: Integer = integer("groups per channel", "groups of banks", high=64)
    clock_mhz: Number = number(MHZ, "clock of the timing values", low=1, high=20000)
    bus_bytes: Integer = integer(BYTES, "width of one channel", high=1024)
    burst: Integer = integer("transfers", "transfers of one access", high=64)
    data_rate: Integer = integer("transfers per cycle", "transfers per clock", high=16)
    queue: Integer = integer("requests", "requests waiting at a channel", high=65536)
    scheduler: Text = text("which request goes first", "fr-fcfs", "fcfs")
    bank_mapping: Text = text("rows to banks", "in-turn", "hashed", "permuted")
    latency_cycles: Number = number(CYCLES, "beyond an L2 miss, in SM cycles")
    page_bytes: Integer = integer(BYTES, "row of a bank", low=64, high=1 << 20)
    bytes_per_cycle_per_channel: Number = number(
        "bytes per cycle", "bandwidth of a channel per memory clock", low=0.125
    )
    many_streams_share: Number = number(
        "share", "of that, what is left where warps go through many places at once"
    )
    sustained_share: Number = number(
        "of the data sheet", "bandwidth of reading or writing alone", high=1
    )
    mixed_share: Number = number("of the data sheet", "the same, half reading half writing", high=1)
    queue_ns: Number = number("ns", "what a read waits, per u / (1 - u) at utilisation u", low=0)
    turnaround_ns: Number = number("ns", "the same, per share of time spent on writing", low=0)
    row_ns: Number = number("ns", "between row activations of a channel", low=0)


@dataclass(frozen=True, slots=True)
class Extra:
    """What only some GPUs have, or only some sources say."""

    memory_data_rate_mtps: Number = number("MT/s", "transfers per second and pin")
    shader_clock_mhz: Number = number(MHZ, "clock of the arithmetic units, if another", high=20000)
    l3_bytes: Integer = integer(BYTES, "memory-side cache (AMD Infinity Cache)")
    l3_bandwidth_gbs: Number = number("GB/s", "what the memory-side cache gives all SMs")
    infinity_cache_latency_ns: Number = number("ns", "load that hits the memory-side cache")
    reserved_shared_per_block_bytes: Integer = integer(
        BYTES, "shared memory that the system keeps for itself in each block", low=0, high=65536
    )
    l2_segment_bytes: Integer = integer(BYTES, "the part of L2 that is near an SM")
    tensor_latency_cycles: Number = number(CYCLES, "one matrix operation")
    barrier_throughput_threads_per_clk: Number = number(
        "threads per cycle", "threads that pass a barrier, per SM", low=0.25
    )
    total_cores: Integer = integer("lanes", "single precision lanes of the GPU")


@dataclass(frozen=True, slots=True)
class GpuDescription:
    """A GPU. ``stem`` is its name among the shipped files, or the path of a user's own; ``sources``
    say in words what the facts' source keys stand for.

    SM stands for AMD's compute unit too, warp for wavefront, block for work-group, shared memory
    for LDS. Latencies are in cycles of :attr:`sm_clock_mhz`.
    """

    stem: str
    aliases: tuple[str, ...] = ()
    sources: Mapping[str, str] = field(default_factory=dict[str, str])

    vendor: Text = text("who makes it", "NVIDIA", "AMD", "none")
    name: Text = text("the product's name")
    arch: Text = text("the architecture's name")
    chip: Text = text("the chip's name")
    compute_capability: Text = text("NVIDIA: as 7.0; AMD: the gfx name")

    sm_count: Integer = integer("SMs", "SMs (AMD: compute units)", high=4096)
    cores_per_sm: Integer = integer(LANES, "single precision lanes", high=4096)
    core_clock_base_mhz: Number = number(MHZ, "guaranteed core clock", low=1, high=20000)
    core_clock_boost_mhz: Number = number(MHZ, "typical boost clock", low=1, high=20000)
    clock_over_boost: Number = number(
        "of the boost clock", "the clock under arithmetic load", low=0.1, high=2
    )
    memory_clock_mhz: Number = number(MHZ, "memory clock, as its source counts", low=1, high=50000)
    memory_bandwidth_gbs: Number = number("GB/s", "data sheet's bandwidth", low=0.1, high=1e6)
    dram_size_gib: Number = number("GiB", "memory", low=0.01, high=1e5)
    memory_type: Text = text("kind of memory")
    memory_bus_bits: Integer = integer("bits", "width of the memory bus", high=1 << 20)
    fp32_peak_gflops: Number = number("GFLOP/s", "data sheet's peak, at the boost clock", high=1e9)

    warp_size: Integer = integer("threads", "threads of a warp", high=128)
    max_threads_per_block: Integer = integer("threads", "largest block", high=65536)
    max_threads_per_sm: Integer = integer("threads", "resident threads", high=65536)
    max_blocks_per_sm: Integer = integer("blocks", "resident blocks", high=1024)
    max_warps_per_sm: Integer = integer("warps", "resident warps", high=1024)
    registers_per_sm: Integer = integer("registers", "32-bit registers of all lanes")
    reg_alloc_unit: Integer = integer("registers", "registers are given out in multiples of this")
    reg_alloc_granularity: Text = text("who is given registers", "warp", "block", "wave")
    warp_alloc_granularity: Integer = integer("warps", "warps are counted in multiples", high=64)
    max_regs_per_thread: Integer = integer("registers", "most that a thread can have", high=4096)
    shared_mem_per_sm_bytes: Integer = integer(BYTES, "shared memory, largest split")
    max_shared_per_block_bytes: Integer = integer(BYTES, "most that a block can have")
    shared_alloc_unit_bytes: Integer = integer(BYTES, "given out in multiples of this", high=65536)
    shared_carveouts_bytes: Integers = integers(BYTES, "sizes of shared memory to choose from")
    launch_overhead_cycles: Number = number(CYCLES, "from launch to the first instruction")
    code_line_cycles: Number = number(
        CYCLES,
        "until an SM has a line of code that the launch has not come to before; not given: as a "
        "hit of L2 (AMD: 0)",
    )
    block_start_cycles: Number = number(CYCLES, "from a block's end to the start of the next one")
    blocks_per_cycle: Number = number("blocks/cycle", "thread blocks that the GPU starts")
    warps_per_cycle: Number = number(
        "warps/cycle", "warps that the GPU starts; not given: no bound"
    )

    xu_queue_cycles: Number = number(
        CYCLES, "work that the unit of special functions takes in ahead; not given: 8"
    )
    warp_end_cycles: Number = number(
        CYCLES, "from a warp's last result or acknowledged store to its end; not given: no wait"
    )
    block_starts_per_cycle: Integer = integer(
        "thread blocks",
        "that an SM starts in a cycle, SMs in turn; not given: all it has room for",
        high=1,
    )
    after_atomic: Text = text("a warp whose atomic operation is under way", "goes on", "waits")

    schedulers_per_sm: Integer = integer("schedulers", "warp schedulers", high=64)
    issue_width_per_scheduler: Integer = integer(
        "instructions per cycle", "instructions that a scheduler issues", high=16
    )
    scheduler: Text = text(
        "which warp goes first", "loose-round-robin", "greedy-then-oldest",
        "greedy-then-youngest", "two-level",
    )  # fmt: skip
    fetch_width: Number = number("warp instructions per cycle", "instructions fetched", low=0.125)
    decode_cycles: Number = number(CYCLES, "from fetch to issue")
    instruction_cache_bytes: Integer = integer(BYTES, "instruction cache nearest to the SM")
    instruction_cache_assoc: Integer = integer("ways", "its associativity", high=65536)
    instruction_l1_bytes: Integer = integer(
        BYTES, "instruction cache of an SM below the schedulers'; not modelled"
    )
    register_banks: Integer = integer("banks", "banks of the register file", high=1024)
    operand_collectors: Integer = integer("collectors", "operand collectors", high=1024)
    shared_banks: Integer = integer("banks", "banks of shared memory", high=1024)
    shared_pairs: Text = text("lanes of a wide load that read the same", "apart", "together")
    shared_bytes_per_cycle: Number = number("bytes per cycle", "shared memory of one SM", low=1)

    lanes_per_sm: Lanes = field(default_factory=Lanes)
    latency_cycles: Latencies = field(default_factory=Latencies)
    initiation_interval_cycles: InitiationIntervals = field(default_factory=InitiationIntervals)
    l1: Level1 = field(default_factory=Level1)
    l2: Level2 = field(default_factory=Level2)
    constant_cache: ReadOnlyCache = field(default_factory=ReadOnlyCache)
    texture_cache: ReadOnlyCache = field(default_factory=ReadOnlyCache)
    interconnect: Interconnect = field(default_factory=Interconnect)
    dram: Dram = field(default_factory=Dram)
    extra: Extra = field(default_factory=Extra)

    @property
    def sm_clock_mhz(self) -> Number:
        """The clock that is named for an SM: shader clock, else boost clock, else base. What it
        runs at is :meth:`kcc.base.gpu.needs.GpuReader.clock_mhz`."""
        return self.extra.shader_clock_mhz or self.core_clock_boost_mhz or self.core_clock_base_mhz

    @property
    def is_amd(self) -> bool:
        return self.vendor is not None and self.vendor.value == "AMD"

    @property
    def sector_bytes(self) -> int:
        """What L1 asks of L2 at least: the sectors of 32 bytes that Nsight Compute counts on all
        of NVIDIA's GPUs; AMD's own, or a whole line where its lines have none."""
        if not self.is_amd:
            return SECTOR_BYTES
        fact = self.l1.sector_bytes or self.l1.line_bytes
        return SECTOR_BYTES if fact is None else fact.value

    @property
    def capability(self) -> tuple[int, int] | None:
        """NVIDIA's compute capability as (major, minor); None for others."""
        if self.is_amd or self.compute_capability is None:
            return None
        major, _, minor = self.compute_capability.value.partition(".")
        return (int(major), int(minor or 0)) if major.isdecimal() else None
