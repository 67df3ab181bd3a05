"""Slices of a GPU: one part of so many, with as large a share of all that SMs share.

A miniature with fewer thread blocks leaves a large GPU idle: one block on each SM waits for what
eight would hide. On one part of the GPU it fills the SMs as the original fills all of them, and
meets as much L2, and as much of DRAM's bandwidth, for each of them (Liu et al., "Scale-Model
Architectural Simulation", ISPASS 2022, scale models of CPUs in this way). What the whole GPU does
is then what the part does, so many times: as many cycles, so many times the instructions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from kcc.base.gpu import load_gpu
from kcc.base.gpu.description import GpuDescription, Integer, Number
from kcc.synth.comparison.behaviour import Simulated

MOST_PARTS = 64
"""Of a GPU: as many as thread blocks are divided by."""


def slice_settings(gpu: GpuDescription, parts: int) -> tuple[str, ...]:
    """KEY=VALUE for each value of a GPU that is another in one of so many parts; what is not known
    stays unknown, and caches that are not there stay away.

    :raises ValueError: says which value cannot be divided.
    """
    found = list[str]()
    for key, fact in _whole_numbers(gpu):
        if fact is not None and fact.value % parts:
            raise ValueError(f"{key} = {fact.value} of {gpu.stem} is no multiple of {parts}")
        found += [f"{key}={fact.value // parts}"] if fact and fact.value else []
    found += [f"{key}={fact.value / parts!r}" for key, fact in _rates(gpu) if fact]
    return tuple(found)


def slice_of(gpu: GpuDescription, parts: int) -> GpuDescription:
    """One of so many parts of a GPU that :func:`load_gpu` gave for its name alone; the GPU where it
    is one. Raises as :func:`slice_settings`."""
    return gpu if parts == 1 else load_gpu(gpu.stem, slice_settings(gpu, parts))


def parts_of(gpus: Sequence[GpuDescription]) -> list[int]:
    """By which powers of two all of some GPUs can be divided: the largest first, 1 the last."""
    powers = (1 << exponent for exponent in reversed(range(MOST_PARTS.bit_length())))
    return [parts for parts in powers if all(_divides(gpu, parts) for gpu in gpus)]


def of_whole(found: Simulated, parts: int) -> Simulated:
    """What a part says of the GPU; simulated instructions and time are the part's."""
    return replace(found, issued=found.issued * parts, auxiliary=found.auxiliary * parts)


def _divides(gpu: GpuDescription, parts: int) -> bool:
    try:
        slice_settings(gpu, parts)
    except ValueError:
        return False
    return True


def _whole_numbers(gpu: GpuDescription) -> Iterator[tuple[str, Integer]]:
    """What is of all SMs together."""
    yield "sm_count", gpu.sm_count
    yield "memory_bus_bits", gpu.memory_bus_bits
    yield "dram.channels", gpu.dram.channels
    yield "l2.size_bytes", gpu.l2.size_bytes
    yield "l2.slices", gpu.l2.slices
    yield "extra.l2_segment_bytes", gpu.extra.l2_segment_bytes
    yield "extra.l3_bytes", gpu.extra.l3_bytes
    yield "extra.total_cores", gpu.extra.total_cores


def _rates(gpu: GpuDescription) -> Iterator[tuple[str, Number]]:
    """The same for bandwidths."""
    yield "memory_bandwidth_gbs", gpu.memory_bandwidth_gbs
    yield "l2.bytes_per_cycle", gpu.l2.bytes_per_cycle
    yield "extra.l3_bandwidth_gbs", gpu.extra.l3_bandwidth_gbs
