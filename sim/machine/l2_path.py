"""What the way of an SM to L2 takes for what it carries, and a slice of L2 for what all want of it.

It carries requests, of one line each, that ask for (or write) one to four of its sectors. A request
takes as long as its bytes, but no less than a line does at 64 bytes a cycle: a warp whose lanes are
in 32 lines pays for 32 requests, though they are no more than 32 sectors.

An address belongs to one slice of L2. What all warps of a launch read in step, a value after the
other, passes through one slice at a time; who is ahead of the others waits there with them.
"""

from __future__ import annotations

from kcc.base.gpu.description import GpuDescription
from kcc.base.records import dataclass
from kcc.sim.machine.costs import SINCE_VOLTA, Generation, generation_of_gpu

SECTOR_BYTES = 32

PORT_BYTES = 64.0
"""What one SM can take from L2 in a cycle (Volta and later; 32 before)."""

REQUEST_CYCLES = 2.0
"""Cycles of an SM for a request, on all of NVIDIA's GPUs. Measured where each lane has a line of
its own (cycles of an SM over its requests): on a K40 2.0 in reading (matMul of gpuperfpredict
without tiles), 1.9 in reading and writing (its sum of matrices by columns), on an H100 2.0 in
writing (correlation and covariance of PolyBench, 519 cycles for 256 stores of one sector)."""

L2_SLICE_BYTES = 29.0
"""Bytes per cycle that a slice of L2 gives: gpu-cache on an A40, 2430 GB/s at 1740 MHz from 48
slices (microbench_cache_bw.csv). On an A100, H100 and H200, whose L2 has two halves, the file has
1.4 to 2 times that; it is not taken for them: matrix products of PolyBench that estimates for an
H100 find bound by L2 would be 2.4 times too fast, and what bounds them instead is not known."""


SM_BYTES = 24.0
"""Bytes per cycle of L2 for each SM, where neither its bandwidth nor its slices are known."""

PART_WRITTEN_CYCLES = 2.0
"""Of a slice for a sector that is stored in part, by those of a whole one, from Turing to Hopper:
stores of OpenCL-Benchmark whose lanes lie 64 bytes apart take 2.9 cycles of an SM each on an A100,
3.3 on an H100 and 2.8 on an RTX 2080 Ti, 1.9, 1.8 and 1.9 times what whole sectors would. On a
B200 they take half of that, as whole ones, and on an L20 no longer either: four stores of 4 bytes a
lane, 16 apart, 37 and 33 us for 4.2 million sectors (relu and sigmoid of leetcuda_l20.csv)."""
_PART_WRITTEN = ((7, 5), (10, 0))
"""The first with it, and the first without."""
PARTS_AS_WHOLE: tuple[tuple[int, int], ...] = ((8, 9),)
"""Between these, those without it (Ada)."""

GA10X_AND_ADA = ((8, 6), (8, 9))

GA10X_AND_ADA_SM_BYTES = 16.3
"""The same of these compute capabilities: gpu-cache on an A40 (2412 GB/s at 1740 MHz, 84 SMs)
and an L40 (5709 GB/s at 2490 MHz, 142 SMs), 16.5 and 16.1 (microbench_cache_bw.csv)."""


def describes_network(gpu: GpuDescription) -> bool:
    """Whether a description has a network of flits, or is no GPU's but a text's or a simulator's:
    else what the way to L2 carries and takes is as measured."""
    is_gpu = gpu.capability is not None or gpu.is_amd
    return gpu.interconnect.flit_bytes is not None or not is_gpu


def cycles_to_l2(hit_cycles: float) -> float:
    """Cycles from an SM to a slice of L2: half of those of a load that hits there. A launch ends
    when what it stores last has come so far."""
    return hit_cycles / 2.0


def l2_bytes_per_cycle(gpu: GpuDescription, sms: int) -> float:
    """What all slices of a GPU's L2 give in a cycle: as measured, or by its slices, or its SMs."""
    given, slices = gpu.l2.bytes_per_cycle, gpu.l2.slices
    if given is not None:
        return float(given.value)
    if slices is not None:
        return float(slices.value) * L2_SLICE_BYTES
    return sms * (GA10X_AND_ADA_SM_BYTES if gpu.capability in GA10X_AND_ADA else SM_BYTES)


def part_written_cycles(gpu: GpuDescription) -> float:
    """Of a slice for a sector that is stored in part, by those of a whole one."""
    first, end = _PART_WRITTEN
    capability = gpu.capability
    has_it = bool(capability) and first <= capability < end and capability not in PARTS_AS_WHOLE
    return PART_WRITTEN_CYCLES if has_it else 1.0


def part_written(sectors: float, full_sectors: float) -> float:
    """The share of an access's sectors that it covers in part; its bytes would fill so many."""
    return min(2.0 * max(1.0 - full_sectors / max(sectors, 1e-9), 0.0), 1.0)


def slice_cycles(sectors: float) -> float:
    """Cycles in which one slice of L2 gives so many sectors."""
    return sectors * SECTOR_BYTES / L2_SLICE_BYTES


def sector_cycles(bytes_per_cycle: float, request_cycles: float, lines_per_sector: float) -> float:
    """Cycles of an SM's way to L2 for a sector of an access that has so many lines for each."""
    return max(SECTOR_BYTES / bytes_per_cycle, request_cycles * min(lines_per_sector, 1.0))


@dataclass(frozen=True, slots=True)
class WayToL2:
    """Of an SM: bytes of a cycle, and cycles of a request, whatever it asks for (0: not known)."""

    bytes_per_cycle: float
    request_cycles: float


def way_to_l2(gpu: GpuDescription) -> WayToL2:
    """The way of an SM of a GPU to L2."""
    new = generation_of_gpu(gpu) in SINCE_VOLTA | {Generation.AMD}
    return WayToL2(PORT_BYTES if new else PORT_BYTES / 2, 0.0 if gpu.is_amd else REQUEST_CYCLES)
