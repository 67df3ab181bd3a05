"""What an estimate says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from kcc.base.gpu.needs import Assumption, GpuReader
from kcc.base.gpu.occupancy import Occupancy
from kcc.base.records import dataclass
from kcc.sim.caches.reuse.traffic import AccessCaches
from kcc.sim.estimate.lines import LineCost
from kcc.sim.estimate.range import Family, Grounds, family_of, range_of
from kcc.sim.machine.launch_overhead import LaunchWay


@dataclass(frozen=True, slots=True)
class Counts:
    """Over the launch: warp instructions by unit, wavefronts through shared memory, sectors."""

    warp_instructions: float
    by_unit: Mapping[str, float]
    shared_load_wavefronts: float
    shared_store_wavefronts: float
    l2_read_sectors: float
    l2_write_sectors: float
    dram_read_sectors: float
    dram_write_sectors: float
    l1_sectors: float = 0.0
    """That warps ask for or store outside shared memory."""
    tensor_multiply_adds: float = 0.0
    warp: int = 32
    """Lanes of a warp."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """``cpi_stack`` are shares of the kernel's scheduler cycles by what they went into; they add up
    to ``cpi``, cycles per warp instruction of one scheduler. ``invalid`` says why the launch cannot
    run on the GPU; the rest is 0 then."""

    gpu: str
    time_us: float
    cycles: float
    limiter: str
    cpi: float
    cpi_stack: Mapping[str, float]
    bounds: Mapping[str, float]
    occupancy: Occupancy
    waves: float
    counts: Counts
    lines: tuple[LineCost, ...]
    assumptions: tuple[Assumption, ...]
    weak: tuple[str, ...]
    assumed_share: float
    unattributed_share: float
    unknown_accesses: int
    """Executed accesses whose addresses memory decides."""
    invalid: str = ""
    caches: tuple[AccessCaches, ...] = ()
    warm: bool = False
    """Whether L2 was taken to hold what the launch before left."""
    launches: LaunchWay = LaunchWay.QUEUED
    profiled_us: float = 0.0
    """Of the time of the launch itself, what profilers count to the kernel."""
    interleaving: float = 0.0
    """By how much what DRAM moves deviates over trials of interleavings, as a share."""
    code_bytes: float = 0.0
    """Of the machine code, as far as the operations of the model are it."""
    instruction_cache_bytes: int | None = None
    """Of an SM, where it is known; that code does not fit it costs nothing here."""
    one_word_us: float = 0.0
    """What the atomic operations take whose place memory decides, if it is one word of an array;
    here none of them waits for another one."""
    family: Family = Family.NVIDIA
    """Of the GPU: estimates of a family are alike in how far off they are."""
    code: str = "kcc"
    """Whose machine code was timed."""
    code_misfit: float = 0.0
    """How far the counts of its instructions contradict those of the IR, as a share."""
    code_reason: str = ""
    """Why it is not that of the compiler that was asked for."""
    peaks: Mapping[str, float] = field(default_factory=dict[str, float])
    """Per cycle (:func:`kcc.sim.estimate.peaks.peaks_of`)."""
    unknown_share: float = 0.0
    """Theirs of the sectors of global memory that warps ask for."""
    row_share: float = 1.0
    """Of the bandwidth that DRAM sustains, what is left where it opens rows for few sectors."""
    doubt: float = 1.0
    """The time is the middle of two, that many times shorter and longer, of which it cannot be told
    which one the compiler makes true (:mod:`kcc.sim.program.large_blocks`)."""

    @property
    def kernel_us(self) -> float:
        """The time as profilers give it: with what an empty kernel takes, without the rest of the
        launch."""
        launch = self.cpi_stack.get("launch", 0.0)
        alone = self.time_us * (1.0 - launch / self.cpi) if self.cpi else self.time_us
        return alone + self.profiled_us

    @property
    def range_us(self) -> tuple[float, float]:
        """Within what the time is to be expected; wider where more had to be assumed."""
        values = len(self.assumptions) + len(self.weak)
        grounds = Grounds(self.limiter, self.assumed_share, self.unknown_share, values,
                          self.family, self.interleaving, self.doubt)  # fmt: skip
        return range_of(self.time_us, grounds)


def limiter_of(bounds: Mapping[str, float], shares: Mapping[str, float], cycles: float) -> str:
    """The resource that is nearly always busy in the ``cycles`` of the kernel, else what most
    cycles are spent waiting for; the launch where it takes longer than the kernel. ``shares`` are
    those of both together."""
    name, most = max(bounds.items(), key=lambda item: item[1])
    if most >= 0.8 * cycles and shares.get("launch", 0.0) <= 0.5:
        return name
    waits = {k: v for k, v in shares.items() if k != "issue"}
    return f"latency ({max(waits, key=lambda k: waits[k])})"


def invalid_estimate(reader: GpuReader, occupancy: Occupancy) -> Estimate:
    """That of a launch which the GPU cannot run."""
    reason = ", ".join(limiter.value for limiter in occupancy.limiters)
    nothing = Counts(0, {}, 0, 0, 0, 0, 0, 0)
    return Estimate(
        reader.gpu.stem, 0, 0, "", 0, {}, {}, occupancy, 0, nothing, (), reader.assumptions,
        tuple(reader.weak), 0, 0, 0, f"no thread block fits on an SM: {reason}",
        family=family_of(reader.gpu),
    )  # fmt: skip
