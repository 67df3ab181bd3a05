"""The document `kcc/estimate/1` as typed values: made of estimates, written and read again.

Names of fields are the keys of the document. All outputs of `kcc estimate` are made of records, so
that those of a sweep that was resumed, or run by many processes, are the same to the byte.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, field, replace
from typing import TYPE_CHECKING, Any, cast

import kcc
from kcc.base.advice import Advice
from kcc.base.records import dataclass
from kcc.base.trace.rows import RowError, from_json
from kcc.sim.machine.launch_overhead import LaunchWay
from kcc.stages.estimate import Configuration

if TYPE_CHECKING:
    from kcc.base.gpu.occupancy import Occupancy
    from kcc.sim.caches.reuse.analysis import Rate
    from kcc.sim.estimate.result import Estimate
    from kcc.sim.flow.guesses import Guess
    from kcc.stages.estimate import KernelEstimate

SCHEMA = "kcc/estimate/1"
DIGITS = 10
"""Significant digits of a number in the document."""

CPI_DECIMALS = 6
"""Decimals of the CPI stack: its parts add up to the whole in them, exactly."""


@dataclass(frozen=True, slots=True)
class Held:
    """The occupancy of an SM. ``registers`` per work-item, ``local_bytes`` per thread block."""

    blocks: int
    warps: int
    max_warps: int
    ratio: float
    registers: int | None
    local_bytes: int
    limiters: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Counted:
    """Counts over the launch; sectors of 32 bytes."""

    warp_instructions: float
    by_unit: Mapping[str, float]
    shared_load_wavefronts: float
    shared_store_wavefronts: float
    l2_read_sectors: float
    l2_write_sectors: float
    dram_read_sectors: float
    dram_write_sectors: float
    l1_sectors: float = 0.0
    tensor_multiply_adds: float = 0.0
    warp_size: int = 32


@dataclass(frozen=True, slots=True)
class AssumedValue:
    """A value that the GPU's description lacks."""

    key: str
    value: float | str
    reason: str


@dataclass(frozen=True, slots=True)
class Guessed:
    """``value`` was taken for the iterations of a loop (``what``) or for the share of warps on
    either side of a branch, because of a ``reason``; ``remedy`` are options that say better."""

    what: str
    file: str
    line: int
    value: float
    reason: str
    remedy: str


@dataclass(frozen=True, slots=True)
class Confidence:
    """What a time rests on: shares are of warp instructions. ``warm_l2``: L2 was taken to begin
    with what the launch before left (`--warm`); ``launches``: how the host makes them.
    ``spill_doubt``: the time is so many times longer if the compiler spills in a large block, and
    so many times shorter if not. ``one_word_us``: the time of the atomic operations whose place
    memory decides, if it is one word."""

    assumed_launch: bool
    assumed_share: float
    unattributed_share: float
    accesses_without_addresses: int
    assumed_gpu_values: tuple[AssumedValue, ...]
    weak_gpu_values: tuple[str, ...]
    warm_l2: bool = False
    guesses: tuple[Guessed, ...] = ()
    launches: str = LaunchWay.QUEUED.value
    code_bytes: float = 0.0
    instruction_cache_bytes: int | None = None
    spill_doubt: float = 1.0
    unused_assumptions: tuple[str, ...] = ()
    """What is wrong with each `--assume` that had no use."""
    one_word_us: float = 0.0
    code_reason: str = ""
    """Why it is not the compiler's code that was timed, where that was asked for."""


@dataclass(frozen=True, slots=True)
class LineShare:
    """A line (0: none) of a file, and its share of the time."""

    line: int
    share: float
    file: str = ""


@dataclass(frozen=True, slots=True)
class HitRate:
    """Mean and standard deviation over trials of interleavings; None of a single one."""

    mean: float
    deviation: float | None


@dataclass(frozen=True, slots=True)
class CacheUse:
    """An access and the caches: ``hits`` is the share of its sectors that hit the ``cache`` of the
    SM, ``l2_hits`` that of the others which hit L2, ``dram`` the share of all that DRAM moves."""

    access: int
    line: int
    array: str
    op: str
    sectors: float
    cache: str
    hits: HitRate
    l2_hits: HitRate
    dram: HitRate


TRUSTED_FOR: Mapping[str, str] = {
    "pipeline": "times of GPUs; validated with measured tables",
    "pipeline-hpca19": "comparison with the published model (Wang et al., HPCA 2019)",
    "interval": "stall reasons; validated with the cycle-level model",
}
"""What each model is for, and against what it is validated (docs/reference/mechanisms.md)."""


@dataclass(frozen=True, slots=True)
class ReductionErrors:
    """What the reductions of the cache analysis cost that are ``off`` in an estimate
    (`--cache-in-full`): what is found with them, over what is found without them, less one."""

    off: tuple[str, ...]
    time: float
    l2_read_sectors: float
    dram_sectors: float


@dataclass(frozen=True, slots=True)
class EstimateRecord:
    """One configuration on one GPU; without a time there is a ``reason``, and what is not known is
    None. ``kernel_us`` is the time as profilers give it.
    ``ablated_us`` are the times without each mechanism (`--ablate`)."""

    configuration: Configuration
    gpu: str
    time_us: float | None
    range_us: tuple[float, float] | None
    cycles: float | None
    reason: str
    limiter: str = ""
    cpi: float | None = None
    cpi_stack: Mapping[str, float] = field(default_factory=dict[str, float])
    bounds_cycles: Mapping[str, float] = field(default_factory=dict[str, float])
    occupancy: Held | None = None
    waves: float | None = None
    counts: Counted | None = None
    confidence: Confidence | None = None
    lines: tuple[LineShare, ...] = ()
    caches: tuple[CacheUse, ...] = ()
    kernel_us: float | None = None
    ablated_us: Mapping[str, float] = field(default_factory=dict[str, float])
    reduction_errors: ReductionErrors | None = None
    model: str = ""
    """Where a document has several."""
    code: str = "kcc"
    """Whose machine code was timed: that of a compiler with its target, or of kcc's lowering."""
    advice: tuple[Advice, ...] = ()
    peaks: Mapping[str, float] = field(default_factory=dict[str, float])
    """What the GPU can do in a cycle at most: operations and bytes of each level."""

    @property
    def trusted_for(self) -> str:
        """What the record's model is held to."""
        return TRUSTED_FOR.get(self.model, "")


@dataclass(frozen=True, slots=True)
class EstimateDocument:
    """What one run of `kcc estimate` found, with the options that were not as usual."""

    model: str
    estimates: tuple[EstimateRecord, ...]
    settings: Mapping[str, str] = field(default_factory=dict[str, str])


# from estimates


def record_of(each: KernelEstimate) -> EstimateRecord:
    """The record of an estimate."""
    found = each.estimate
    configuration = each.configuration
    confidence = Confidence(
        each.assumed_launch,
        rounded(found.assumed_share),
        rounded(found.unattributed_share),
        found.unknown_accesses,
        tuple(AssumedValue(a.key, a.value, a.reason) for a in found.assumptions),
        tuple(found.weak),
        found.warm,
        tuple(_guessed(guess) for guess in each.guesses),
        found.launches.value,
        rounded(found.code_bytes),
        found.instruction_cache_bytes,
        rounded(found.doubt),
        each.unused,
        rounded(found.one_word_us),
        found.code_reason,
    )
    if found.invalid:
        return EstimateRecord(
            configuration, found.gpu, None, None, None, found.invalid,
            occupancy=held(found.occupancy), confidence=confidence, code=found.code,
        )  # fmt: skip
    low, high = found.range_us
    stack = {name: round(value, CPI_DECIMALS) for name, value in found.cpi_stack.items()}
    return EstimateRecord(
        configuration=configuration,
        gpu=found.gpu,
        time_us=rounded(found.time_us),
        range_us=(rounded(low), rounded(high)),
        cycles=rounded(found.cycles),
        reason="",
        limiter=found.limiter,
        cpi=round(math.fsum(stack.values()), CPI_DECIMALS),
        cpi_stack=stack,
        bounds_cycles={name: rounded(value) for name, value in found.bounds.items()},
        occupancy=held(found.occupancy),
        waves=rounded(found.waves),
        counts=_counted(found),
        confidence=confidence,
        lines=tuple(LineShare(at.line, rounded(at.share), at.file) for at in found.lines),
        caches=_caches(found),
        kernel_us=rounded(found.kernel_us),
        ablated_us={name: rounded(value) for name, value in each.ablated_us.items()},
        reduction_errors=_reduction_errors(each),
        code=found.code,
        peaks={name: rounded(value) for name, value in found.peaks.items()},
        advice=tuple(
            replace(a, gain_us=None if a.gain_us is None else rounded(a.gain_us))
            for a in each.advice
        ),
    )


def _reduction_errors(each: KernelEstimate) -> ReductionErrors | None:
    full, reduced = each.estimate, each.reduced
    if reduced is None or reduced.invalid:
        return None
    a, b = full.counts, reduced.counts
    dram = [c.dram_read_sectors + c.dram_write_sectors for c in (a, b)]
    return ReductionErrors(
        tuple(reduction.value for reduction in each.off),
        _off(full.time_us, reduced.time_us),
        _off(a.l2_read_sectors, b.l2_read_sectors),
        _off(dram[0], dram[1]),
    )


def _off(right: float, found: float) -> float:
    """The relative error of what was found."""
    return rounded(found / right - 1.0) if right else 0.0


def _guessed(guess: Guess) -> Guessed:
    missing = " and ".join(guess.arguments)
    unset = f"{missing} {'have' if len(guess.arguments) > 1 else 'has'} no value"
    reason = guess.reason or unset
    return Guessed(guess.what, guess.file, guess.line, rounded(guess.value), reason, guess.remedy)


def _caches(found: Estimate) -> tuple[CacheUse, ...]:
    def rate(value: Rate) -> HitRate:
        spread = rounded(value.deviation) if value.trials > 1 else None
        return HitRate(rounded(value.mean), spread)

    return tuple(
        CacheUse(
            c.access, c.line, c.array, c.op, rounded(c.sectors), c.first, rate(c.first_hits),
            rate(c.l2_hits), rate(c.dram),
        )
        for c in found.caches
    )  # fmt: skip


def refused(configuration: Configuration, gpu: str, reason: str) -> EstimateRecord:
    """The record of a configuration that there is no estimate of."""
    return EstimateRecord(configuration, gpu, None, None, None, reason)


def held(o: Occupancy) -> Held:
    """An occupancy as it stands in a record."""
    return Held(
        o.blocks, o.warps, o.max_warps, rounded(o.ratio), o.registers, o.shared_bytes,
        tuple(limiter.value for limiter in o.limiters),
    )  # fmt: skip


def _counted(found: Estimate) -> Counted:
    c = found.counts
    return Counted(
        rounded(c.warp_instructions),
        {name: rounded(value) for name, value in c.by_unit.items()},
        rounded(c.shared_load_wavefronts), rounded(c.shared_store_wavefronts),
        rounded(c.l2_read_sectors), rounded(c.l2_write_sectors),
        rounded(c.dram_read_sectors), rounded(c.dram_write_sectors),
        rounded(c.l1_sectors), rounded(c.tensor_multiply_adds), c.warp,
    )  # fmt: skip


def rounded(value: float) -> float:
    """A number with as many digits as the document has."""
    return float(f"{float(value):.{DIGITS}g}")


# to JSON and from it


def document_json(document: EstimateDocument) -> dict[str, Any]:
    """The document kcc/estimate/1."""
    return {
        "schema": SCHEMA,
        "kcc_version": kcc.__version__,
        "model": document.model,
        "settings": dict(document.settings),
        "estimates": [record_json(each) for each in document.estimates],
    }


def record_json(record: EstimateRecord) -> dict[str, Any]:
    """A member of ``estimates``; ``ablated_us`` only where there was an ablation, ``caches`` only
    where the accesses were looked at one by one, ``reduction_errors`` only where one is off."""
    from kcc.report.estimate.verdict import verdict_of

    found = asdict(record) | {"verdict": verdict_of(record)}
    if not record.caches:
        del found["caches"]
    if not record.ablated_us:
        del found["ablated_us"]
    if record.reduction_errors is None:
        del found["reduction_errors"]
    if record.model:
        found["trusted_for"] = record.trusted_for
    else:
        del found["model"]
    return found


def configuration_words(configuration: Configuration) -> str:
    """The launch and the macros of a configuration, as they are named in all reports."""
    launch = f"{by_x(configuration.global_size)}/{by_x(configuration.local_size)}"
    macros = " ".join(f"{k}={v}" for k, v in sorted(configuration.macros.items()))
    return f"{launch} {macros}".strip(" /")


def by_x(sizes: Sequence[int]) -> str:
    """Sizes in each dimension, as 1024x1024."""
    return "x".join(map(str, sizes))


def read_document(content: Any) -> EstimateDocument:
    """The document in ``content``, as :mod:`json` reads it.

    :raises ValueError: for what is not a document kcc/estimate/1, saying why.
    """
    if not isinstance(content, dict) or cast("dict[str, Any]", content).get("schema") != SCHEMA:
        raise ValueError(f"is not a document {SCHEMA}")
    try:
        return from_json(EstimateDocument, content)
    except RowError as error:
        raise ValueError(f"is not as {SCHEMA} says: {error}") from error


def read_record(entry: Any) -> EstimateRecord:
    """A record from its JSON form.

    :raises RowError: for anything else.
    """
    return from_json(EstimateRecord, entry, "estimate")
