"""Whether the values of a GPU description go together.

An error is a contradiction that would make every model wrong; a warning is what two sources may
well say about one machine, and should be looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, TypeAlias

from kcc.base.diagnostics import Diagnostic, Span
from kcc.base.gpu.description import GpuDescription
from kcc.base.gpu.facts import Fact
from kcc.base.gpu.schema import REQUIRED, fact_of

Finding: TypeAlias = tuple[str, str]
"""The key to look at, and what is wrong with it."""

PEAK_TOLERANCE = 0.03
"""Data sheets round their peaks, and their boost clocks."""

BANDWIDTH_TOLERANCE = 0.05
"""Databases and data sheets differ by this much (1.6 or 1.638 TB/s)."""

DATA_RATES = (1, 2, 4, 8, 16)
"""Transfers per memory clock, over the ways in which sources count that clock."""

LATENCY_ORDER = ("l1_hit", "l2_hit", "dram")


def contradictions(gpu: GpuDescription, places: dict[str, Span]) -> list[Diagnostic]:
    """K805 for contradictions and K806 for doubtful combinations; ``places`` are those of keys."""
    found = [_located("K805", finding, places) for rule in _ERRORS for finding in rule(gpu)]
    return found + [
        _located("K806", finding, places) for rule in _WARNINGS for finding in rule(gpu)
    ]


def _located(code: str, finding: Finding, places: dict[str, Span]) -> Diagnostic:
    key, message = finding
    return Diagnostic(code, f"'{key}' {message}", places.get(key))


def _known(gpu: GpuDescription, *keys: str) -> list[Any] | None:
    """The values of all keys; None if one of them is not known."""
    facts = [fact_of(gpu, key) for key in keys]
    return [fact.value for fact in facts if fact] if all(facts) else None


def _required(gpu: GpuDescription) -> Iterator[Finding]:
    for key in REQUIRED:
        if fact_of(gpu, key) is None:
            yield key, "must be given"


def _threads(gpu: GpuDescription) -> Iterator[Finding]:
    if known := _known(gpu, "max_threads_per_sm", "max_warps_per_sm", "warp_size"):
        threads, warps, size = known
        if threads != warps * size:
            yield (
                "max_threads_per_sm",
                f"is {threads}, but {warps} warps of {size} are {warps * size}",
            )
    if known := _known(gpu, "max_threads_per_block", "warp_size"):
        block, size = known
        if block % size:
            yield "max_threads_per_block", f"is {block}, which is not whole warps of {size}"
    if known := _known(gpu, "max_threads_per_block", "max_threads_per_sm"):
        block, threads = known
        if block > threads:
            yield "max_threads_per_block", f"is {block}, more than the {threads} of an SM"


def _registers(gpu: GpuDescription) -> Iterator[Finding]:
    if known := _known(gpu, "registers_per_sm", "warp_size", "max_regs_per_thread"):
        total, size, most = known
        if total < size * most:
            yield "registers_per_sm", f"is {total}, too few for one warp of {most} per thread"
    if known := _known(gpu, "registers_per_sm", "reg_alloc_unit"):
        total, unit = known
        if unit > total:
            yield "reg_alloc_unit", f"is {unit}, more than the {total} of an SM"


def _shared(gpu: GpuDescription) -> Iterator[Finding]:
    if known := _known(gpu, "max_shared_per_block_bytes", "shared_mem_per_sm_bytes"):
        block, total = known
        if block > total:
            yield "max_shared_per_block_bytes", f"is {block}, more than the {total} of an SM"
    if known := _known(gpu, "shared_carveouts_bytes", "shared_mem_per_sm_bytes"):
        sizes, total = known
        if max(sizes) != total:
            yield "shared_carveouts_bytes", f"ends at {max(sizes)}, but an SM has up to {total}"
    if known := _known(gpu, "l1.unified_bytes", "l1.size_bytes"):
        unified, size = known
        if size > unified:
            yield "l1.size_bytes", f"is {size}, more than the {unified} that it shares"


def _caches(gpu: GpuDescription) -> Iterator[Finding]:
    for name in ("l1", "l2", "constant_cache", "texture_cache"):
        line = fact_of(gpu, f"{name}.line_bytes")
        if line is not None and line.value & (line.value - 1):
            yield f"{name}.line_bytes", f"is {line.value}, no power of two"
        yield from _cache_geometry(gpu, name)
    for name in ("l1", "l2"):
        if known := _known(gpu, f"{name}.line_bytes", f"{name}.sector_bytes"):
            line_bytes, sector = known
            if line_bytes % sector:
                yield f"{name}.sector_bytes", f"is {sector}, no part of a line of {line_bytes}"


def _cache_geometry(gpu: GpuDescription, name: str) -> Iterator[Finding]:
    if known := _known(gpu, f"{name}.size_bytes", f"{name}.line_bytes"):
        size, line = known
        if size % line:
            yield f"{name}.size_bytes", f"is {size}, which is not whole lines of {line}"
        elif size and (ways := fact_of(gpu, f"{name}.assoc")) and ways.value * line > size:
            yield f"{name}.assoc", f"is {ways.value}, but there are only {size // line} lines"


def _clocks(gpu: GpuDescription) -> Iterator[Finding]:
    if known := _known(gpu, "core_clock_base_mhz", "core_clock_boost_mhz"):
        base, boost = known
        if base > boost:
            yield "core_clock_boost_mhz", f"is {boost}, less than the base clock of {base}"


def _peak(gpu: GpuDescription) -> Iterator[Finding]:
    clock = gpu.sm_clock_mhz
    if clock and (known := _known(gpu, "fp32_peak_gflops", "sm_count", "lanes_per_sm.fp32")):
        printed, sms, lanes = known
        peak = 2 * sms * lanes * clock.value / 1000
        if _differ(printed, peak, PEAK_TOLERANCE):
            yield (
                "fp32_peak_gflops",
                f"is {printed:g}, but {sms * lanes} lanes make {peak:.0f} at {clock.value:g} MHz",
            )


def _lanes(gpu: GpuDescription) -> Iterator[Finding]:
    if known := _known(gpu, "cores_per_sm", "lanes_per_sm.fp32"):
        cores, lanes = known
        if cores != lanes:
            yield "cores_per_sm", f"is {cores}, but there are {lanes} single precision lanes"
    if known := _known(gpu, "extra.total_cores", "cores_per_sm", "sm_count"):
        total, cores, sms = known
        if total != cores * sms:
            yield "extra.total_cores", f"is {total}, but {sms} SMs of {cores} are {sms * cores}"


def _bandwidth(gpu: GpuDescription) -> Iterator[Finding]:
    if known := _known(gpu, "memory_bandwidth_gbs", "memory_clock_mhz", "memory_bus_bits"):
        printed, clock, bits = known
        per_transfer = clock * bits / 8000
        if all(_differ(printed, rate * per_transfer, BANDWIDTH_TOLERANCE) for rate in DATA_RATES):
            yield (
                "memory_bandwidth_gbs",
                f"is {printed:g}, not {per_transfer:.1f} ({bits} bits, {clock:g} MHz) x 1, 2 .. 16",
            )
    if known := _known(
        gpu, "memory_bandwidth_gbs", "extra.memory_data_rate_mtps", "memory_bus_bits"
    ):
        printed, rate, bits = known
        if _differ(printed, rate * bits / 8000, BANDWIDTH_TOLERANCE):
            yield (
                "extra.memory_data_rate_mtps",
                f"is {rate:g}: {rate * bits / 8000:.1f} GB/s over {bits} bits, not {printed:g}",
            )


def _latencies(gpu: GpuDescription) -> Iterator[Finding]:
    facts = [(name, fact_of(gpu, f"latency_cycles.{name}")) for name in LATENCY_ORDER]
    known: list[tuple[str, Fact[Any]]] = [(name, fact) for name, fact in facts if fact]
    for (near, first), (far, second) in pairwise(known):
        if first.value >= second.value:
            yield (
                f"latency_cycles.{far}",
                f"is {second.value:g}, not more than {near} ({first.value:g})",
            )


def _differ(printed: float, computed: float, tolerance: float) -> bool:
    return abs(printed - computed) > tolerance * max(printed, computed)


_ERRORS: tuple[Callable[[GpuDescription], Iterator[Finding]], ...] = (
    _required,
    _threads,
    _registers,
    _shared,
    _caches,
    _clocks,
)

_WARNINGS: tuple[Callable[[GpuDescription], Iterator[Finding]], ...] = (
    _peak,
    _lanes,
    _bandwidth,
    _latencies,
)
