"""The field's words, one for each concept: what reports, messages and pages say.

Each term is the one that vendors' manuals use; ``manuals`` says which. Labels of stalls stand in
:data:`STALLS`, what a source's language calls things in :data:`WORDS`. docs/glossary.md is
generated from this table. Keys of JSON documents are a contract and stay as they are: ``keys`` says
which of them hold the concept.
"""

from __future__ import annotations

from kcc.base.records import dataclass


@dataclass(frozen=True, slots=True)
class Term:
    """A concept: its ``name``, what it means in a sentence, the ``unit`` it is counted in, which
    ``manuals`` have it, and the ``keys`` of kcc's JSON documents that hold it."""

    name: str
    meaning: str
    unit: str = ""
    manuals: str = ""
    keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LanguageWords:
    """What one language's manual calls the parts of a launch and its memories."""

    thread: str
    block: str
    grid: str
    shared_memory: str
    private_memory: str
    barrier: str


OPENCL_WORDS = LanguageWords(
    thread="work-item",
    block="work-group",
    grid="NDRange",
    shared_memory="local memory",
    private_memory="private memory",
    barrier="barrier()",
)
"""OpenCL specification, section 3.2 and 3.3."""

CUDA_WORDS = LanguageWords(
    thread="thread",
    block="thread block",
    grid="grid",
    shared_memory="shared memory",
    private_memory="local memory",
    barrier="__syncthreads()",
)
"""CUDA C++ Programming Guide, sections 2.2 and 2.3; HIP's documentation has the same."""

WORDS = {
    "opencl": OPENCL_WORDS,
    "cuda": CUDA_WORDS,
    "ptx": CUDA_WORDS,
    "llvm": OPENCL_WORDS,
}
"""By the value of a kernel's ``Language``; LLVM IR is read as SPIR, which speaks OpenCL."""

_CUDA = "CUDA C++ Programming Guide"
_NCU = "Nsight Compute, Profiling Guide"
_OPENCL = "OpenCL specification"
_LLVM = "LLVM Language Reference"
_LOOPS = "LLVM Loop Terminology"
_AMD = "AMD HIP documentation"

TERMS: dict[str, tuple[Term, ...]] = {
    "Launch": (
        Term("kernel", "A function that a host launches on a GPU.", manuals=f"{_OPENCL}; {_CUDA}"),
        Term(
            "grid",
            "All threads of a launch. OpenCL: NDRange.",
            "threads",
            f"{_CUDA}; {_OPENCL}",
            ("global_size",),
        ),
        Term(
            "thread block",
            "Threads that run on one SM, share memory and meet at barriers. OpenCL: work-group.",
            "threads",
            f"{_CUDA}; {_OPENCL}",
            ("local_size",),
        ),
        Term("thread", "One instance of a kernel. OpenCL: work-item.", "", f"{_CUDA}; {_OPENCL}"),
        Term(
            "warp",
            "The threads that issue one instruction together: 32 on NVIDIA, 32 or 64 on AMD,"
            " where it is a wavefront. OpenCL: sub-group.",
            "threads",
            f"{_CUDA}; {_AMD}",
            ("warp_size",),
        ),
        Term("lane", "A thread's place in its warp.", "", f"PTX ISA; {_AMD}"),
        Term(
            "active lanes",
            "The lanes for which an instruction of a warp has effect.",
            "lanes per warp instruction",
            _NCU,
            ("active_lanes",),
        ),
        Term(
            "SM",
            "Streaming multiprocessor: schedulers, pipelines, L1 and shared memory. AMD: compute"
            " unit.",
            "",
            f"{_CUDA}; {_AMD}",
            ("sms",),
        ),
        Term("warp scheduler", "Issues at most one warp's instruction each cycle.", "", _NCU),
        Term(
            "wave",
            "As many thread blocks as the GPU holds at once; a last wave that is not full is the"
            " tail of a launch.",
            "waves per SM",
            _NCU,
            ("waves",),
        ),
        Term(
            "occupancy",
            "Resident warps of an SM as a share of the most it can hold.",
            "warps of warps",
            f"{_CUDA}; {_NCU}",
            ("occupancy",),
        ),
        Term(
            "occupancy limiter",
            "What keeps another thread block from an SM: warps, blocks, registers or shared"
            " memory.",
            "",
            _NCU,
            ("limiters",),
        ),
        Term("launch overhead", "Time of a launch besides that of its kernel.", "us", _CUDA),
    ),
    "Control flow": (
        Term("basic block", "Instructions that are executed all or none.", "", _LLVM, ("blocks",)),
        Term(
            "loop header",
            "The block through which alone a loop is entered; the loop's back edges lead to it.",
            "",
            _LOOPS,
            ("header",),
        ),
        Term("loop exit", "A branch that leaves a loop.", "", _LOOPS),
        Term(
            "trip count",
            "Iterations of a loop for one entry. `total`: over all entries of one thread.",
            "iterations",
            _LOOPS,
            ("trip",),
        ),
        Term(
            "irreducible loop",
            "A cycle with several entries, which has no header.",
            "",
            _LOOPS,
            ("irreducible",),
        ),
        Term(
            "uniform branch",
            "All active lanes of a warp take the same side.",
            "",
            f"{_NCU}; {_LLVM}",
            ("divergence",),
        ),
        Term(
            "divergent branch",
            "Lanes of one warp take different sides; the warp executes both.",
            "",
            f"{_CUDA}; {_NCU}",
            ("divergence",),
        ),
        Term(
            "reconvergence point",
            "Where the lanes of a divergent branch continue together: its immediate"
            " post-dominator.",
            "",
            f"{_CUDA}; {_LLVM}",
        ),
        Term(
            "predication",
            "An instruction executed under a condition without a branch.",
            "",
            f"{_CUDA}; PTX ISA",
        ),
        Term(
            "barrier",
            "Every thread of a block waits until all have arrived. A barrier that some threads of"
            " a block do not reach is undefined behaviour.",
            "",
            f"{_OPENCL}; {_CUDA}",
            ("barriers",),
        ),
    ),
    "Memory access": (
        Term(
            "shared memory",
            "Memory of a thread block, on the SM. OpenCL: local memory. Reports use the word of the"
            " source's language.",
            "bytes per block",
            f"{_CUDA}; {_OPENCL}",
            ("local_bytes",),
        ),
        Term(
            "private memory",
            "Memory of one thread: arrays with indices that are not constant, and spills. CUDA:"
            " local memory.",
            "bytes per thread",
            f"{_OPENCL}; {_CUDA}",
            ("private_bytes",),
        ),
        Term(
            "request",
            "One memory instruction of one warp.",
            "requests",
            _NCU,
        ),
        Term("sector", "32 bytes of a cache line, the least that a cache moves.", "sectors", _NCU),
        Term(
            "sectors per request",
            "Sectors that one request needs; ideal: the fewest that hold its data (4 for 32 lanes"
            " of 4 bytes).",
            "sectors",
            _NCU,
            ("sectors_per_warp",),
        ),
        Term(
            "excess sectors",
            "Sectors beyond the ideal, over the launch. Nsight Compute: excessive sectors.",
            "sectors",
            _NCU,
            ("excess",),
        ),
        Term(
            "coalesced access",
            "Sectors per request are the ideal.",
            "",
            f"{_CUDA}, Best Practices Guide",
            ("kind",),
        ),
        Term(
            "uncoalesced access",
            "Sectors per request exceed the ideal.",
            "",
            _NCU,
            ("kind",),
        ),
        Term(
            "access pattern",
            "How the addresses of a warp's lanes lie: uniform (one address), contiguous, strided,"
            " row chunks, indirect (through another array).",
            "",
            _NCU,
            ("kind",),
        ),
        Term(
            "bank conflict",
            "Lanes of a request need different words of one bank. n-way: the request takes n"
            " cycles of the banks where 1 is the ideal.",
            "n-way",
            f"{_CUDA}; {_AMD}",
            ("bank_conflict_degree", "bank_passes"),
        ),
        Term(
            "footprint",
            "Distinct bytes that all threads touch.",
            "bytes",
            "",
            ("footprint_bytes",),
        ),
        Term(
            "reuse distance",
            "Distinct lines touched between two touches of one line (stack distance).",
            "lines",
            "Mattson et al., IBM Systems Journal 1970",
        ),
        Term(
            "atomic contention",
            "Atomic operations for one address are serialised.",
            "",
            f"{_CUDA}; {_NCU}",
        ),
        Term(
            "L1, L2 hit rate", "Sectors found in the cache, of those looked up.", "%", _NCU, ("l1",)
        ),
        Term(
            "MSHR",
            "Miss status holding register: a miss that waits for the next level. None free: the"
            " load/store unit stalls.",
            "",
            "Kroft, ISCA 1981",
        ),
    ),
    "Instructions and registers": (
        Term("warp instruction", "One instruction issued by a warp.", "", _NCU),
        Term("thread instruction", "One active lane of a warp instruction.", "", _NCU),
        Term("instruction mix", "Instructions by class.", "", _NCU, ("instruction_mix",)),
        Term(
            "register pressure",
            "Registers that live values need at once.",
            "registers per thread",
            _LLVM,
            ("registers",),
        ),
        Term(
            "spill",
            "A register kept in memory because too few are left.",
            "bytes per thread",
            f"{_CUDA}; {_LLVM}",
            ("spill_bytes",),
        ),
        Term(
            "arithmetic intensity",
            "Operations per byte of DRAM traffic.",
            "FLOP/byte",
            f"{_NCU}; Williams et al., CACM 2009",
        ),
    ),
    "Time": (
        Term("CPI", "Cycles per warp instruction of a scheduler.", "cycles", _NCU, ("cpi",)),
        Term(
            "CPI stack",
            "CPI by cause; the parts add up to the whole.",
            "cycles",
            "Eyerman et al., ASPLOS 2006",
            ("cpi_stack",),
        ),
        Term(
            "stall reason",
            "Why a warp cannot issue its next instruction.",
            "cycles",
            _NCU,
        ),
        Term(
            "issue slot utilisation",
            "Cycles in which a scheduler issues, of all cycles.",
            "%",
            _NCU,
        ),
        Term(
            "bottleneck",
            "The resource or latency that the time of a kernel follows.",
            "",
            _NCU,
            ("limiter",),
        ),
        Term("latency", "Cycles from issue to result.", "cycles", f"{_CUDA}; {_NCU}"),
        Term("throughput", "What a unit does in a cycle or second at most.", "per cycle", _CUDA),
        Term(
            "range",
            "The interval that 90 % of measured times are to fall into: a prediction interval.",
            "us",
            "",
            ("range_us",),
        ),
        Term(
            "assumed value",
            "A value that no source or argument gives and a model needs; listed with every result.",
            "",
            "",
            ("confidence",),
        ),
        Term(
            "regret",
            "How much slower the variant ranked first is than the fastest one measured.",
            "%",
            "",
            ("regret",),
        ),
    ),
    "Sampling and miniatures": (
        Term(
            "phase",
            "Units of a run that execute alike; found by clustering.",
            "",
            "Sherwood et al., ASPLOS 2002",
        ),
        Term(
            "stratified sampling",
            "Draws from each phase, more where it varies more (Neyman's allocation).",
            "",
            "Cochran, Sampling Techniques, chapter 5",
        ),
        Term(
            "proxy, miniature",
            "A small program that behaves as another does.",
            "",
            "Yu et al., GPGPU-MiniBench, IEEE TC 2015",
        ),
        Term(
            "DFSG",
            "Divergence flow statistics graph: basic blocks with counts of warps, lanes and edges.",
            "",
            "Yu et al., GPGPU-MiniBench, IEEE TC 2015",
        ),
    ),
}
"""By group. The order is that of the page."""


@dataclass(frozen=True, slots=True)
class Stall:
    """A cause of stalls: the ``label`` that reports show, what it means, and the ``names`` that the
    models' documents (JSON keys) have for it."""

    label: str
    meaning: str
    names: tuple[str, ...]


STALLS: tuple[Stall, ...] = (
    Stall("issued", "An instruction was issued.", ("issued", "BASE", "issue")),
    Stall("launch overhead", "The launch itself.", ("launch", "LAUNCH")),
    Stall("block launch", "A thread block starts on an SM.", ("block_start",)),
    Stall("no resident warp", "The scheduler has no warp left: tail, imbalance, too few blocks.",
          ("idle", "IDLE")),
    Stall("barrier", "Warps wait for others of their block.", ("barrier", "BARRIER")),
    Stall("fixed-latency dependency", "A result of an arithmetic instruction is not there yet"
          " (Nsight Compute: wait).", ("dependence", "DEP", "arithmetic", "latency")),
    Stall("math pipe throttle", "The pipeline of the next instruction is busy.",
          ("unit busy", "UNIT", "unit_busy")),
    Stall("short scoreboard", "A result from shared memory is not there yet.",
          ("local memory", "shared_memory")),
    Stall("load/store unit throttle", "The load/store unit (L1's port) is busy"
          " (Nsight Compute: LG throttle, MIO throttle).",
          ("load/store unit", "LSU", "memory_port")),
    Stall("constant cache miss", "A constant is not there yet (Nsight Compute: IMC miss).",
          ("constant cache", "constant")),
    Stall("long scoreboard: L1 hit", "A load that hits L1 is not there yet.", ("L1", "l1")),
    Stall("long scoreboard: L2 hit", "A load that hits L2 is not there yet.", ("L2", "l2")),
    Stall("long scoreboard: DRAM", "A load from DRAM is not there yet.", ("DRAM", "dram")),
    Stall("atomic contention", "Atomic operations for one address are serialised.", ("atomic",)),
    Stall("memory queue full", "The path to L2 and DRAM takes no more requests.",
          ("memory queue", "QUEUE")),
    Stall("MSHRs full", "L1 holds no more misses.", ("MSHR",)),
    Stall("memory fence", "A fence waits for earlier accesses (Nsight Compute: membar).",
          ("fence",)),
    Stall("register bank conflict", "Operands lie in one register bank"
          " (Nsight Compute: dispatch stall).", ("register banks", "register_banks")),
    Stall("no instruction", "The next instruction is not in the instruction cache.",
          ("fetch", "FETCH")),
)  # fmt: skip
"""Stall reasons, in Nsight Compute's words where it has one."""

_STALLS = {name: stall for stall in STALLS for name in stall.names}


def stall_label(name: str) -> str:
    """The label of a cause by the name that a model's document has for it; other names as they
    are, with spaces."""
    stall = _STALLS.get(name)
    resource = name.removesuffix("_bound")
    if resource != name and resource in RESOURCES:
        return f"bound: {RESOURCES[resource]}"
    return name.replace("_", " ") if stall is None else stall.label


RESOURCES: dict[str, str] = {
    "issue": "issue slots",
    "registers": "register file bandwidth",
    "alu": "ALU pipeline",
    "fma": "FMA pipeline",
    "fp64": "FP64 pipeline",
    "imad": "IMAD pipeline (FMA heavy)",
    "half": "FP16 pipeline",
    "sfu": "XU (special functions) pipeline",
    "either": "ALU and FMA pipelines",
    "tensor": "tensor cores",
    "memory_port": "load/store unit throughput",
    "block_dispatch": "thread block dispatch",
    "l2_bandwidth": "L2 throughput",
    "l2_requests": "L2 requests of an SM",
    "l2_slice": "throughput of one L2 slice",
    "l2_atomics": "atomic throughput of L2",
    "dram_bandwidth": "DRAM throughput",
    "memory_side_cache": "memory-side cache throughput",
}
"""Labels of what `kcc estimate` gives the least time of, by its key (``bounds``)."""


def bottleneck_label(name: str) -> str:
    """The label of a ``limiter`` of estimates: a resource, or ``latency (CAUSE)``."""
    if name.startswith("latency (") and name.endswith(")"):
        return f"latency ({stall_label(name.removeprefix('latency (').removesuffix(')'))})"
    return RESOURCES.get(name) or stall_label(name)
