"""DRAM under load: how much of the data sheet's bandwidth it sustains, and how long a read waits.

What one SM sends in a burst is spread over all channels and mixed with the requests of the other
SMs, which work at other places of the same code. So a read waits for the mean of the queues, not
for the queue of its own SM: at a utilisation u the mean wait of a queue with random arrivals,
service u / (1 - u) (M/M/1), and where the memory also writes, for the time until it turns around to
reading, in proportion to the share of time in which it writes. By Little's law the rate of a closed
system of warps follows: the more they wait, the less they ask for.
"""

from __future__ import annotations

from collections.abc import Callable

from kcc.base.gpu.description import GpuDescription
from kcc.base.records import dataclass

LIGHT = 0.02
"""Utilisation below which nobody waits."""

PROBED = 0.9
"""The wait at which a loaded memory is tried is that of this utilisation, however much there is to
serve: a pipeline's time is no smooth function of the wait, and of a memory that serves more
another wait would be tried, and sometimes a longer time found."""

_FULL = 0.999

MANY_STREAMS = 12
"""Places far from each other that a warp goes to, from which on they are many: of two to five
streams DRAM sustains what it does of one (microbench_stream_occupancy.csv; AMD's Laplacian), of
eight on a GV100 as well (a Walsh transform of the counters' table); of sixteen it does not."""

STREAM_BYTES = 1 << 16
"""By how much places are far from each other: more than a row of DRAM, or a page."""

MANY_STREAMS_SHARE, AMD_MANY_STREAMS_SHARE = 0.93, 0.77
"""Of the bandwidth that DRAM sustains, what is left where a warp goes through 16 places 64 MB
apart: OpenCL-Benchmark's coalesced reads and writes take longer than streams do on six GPUs: by 0
to 8 % on an A100, H100 and B200, 8 and 9 on an RTX 2080 Ti, 13 and 19 on a K40 (mean 0.93), 33 and
34 on an MI210, 4 and 20 on an MI300X (mean 0.77). Rows of a bank or pages that are open at once:
which of them it is, is not known."""


ROW_NS, STACKED_ROW_NS = 3.3, 1.65
"""From one row that a channel of DRAM opens to the next, where nothing else is in the way [ns]: of
GDDR what four Ampere GPUs take for rows of which 64 bytes are asked (pmpp_nvbench.csv: 3.0 to 4.4),
which is the time of a row (tRC, some 48 ns) over 16 banks; a channel of HBM is two with banks of
their own. Turing's take longer where rows are 32 KB apart."""


def row_cycles(gpu: GpuDescription, clock_mhz: float) -> float:
    """Cycles from one row that DRAM opens to the next, in all channels together; 0 where the number
    of channels is not known."""
    dram, kind = gpu.dram, gpu.memory_type
    if dram.channels is None:
        return 0.0
    otherwise = STACKED_ROW_NS if kind and kind.value.startswith("HBM") else ROW_NS
    each = otherwise if dram.row_ns is None else float(dram.row_ns.value)
    return each * clock_mhz / 1e3 / dram.channels.value


def many_streams_share(gpu: GpuDescription) -> float:
    """Of the bandwidth that DRAM sustains, what is left to many streams."""
    known = gpu.dram.many_streams_share
    if known is not None:
        return float(known.value)
    return AMD_MANY_STREAMS_SHARE if gpu.is_amd else MANY_STREAMS_SHARE


@dataclass(frozen=True, slots=True)
class MemoryLoad:
    """``sustained`` of the data sheet's bandwidth where DRAM is only read or only written,
    ``mixed_loss`` of it lost where both are half; ``queue_cycles`` and ``turnaround_cycles`` are
    the waits of a read per u / (1 - u) and per share of time in which the memory writes."""

    sustained: float
    mixed_loss: float
    queue_cycles: float
    turnaround_cycles: float

    def efficiency(self, written: float) -> float:
        """Sustained over data-sheet bandwidth where a share of what moves is ``written``."""
        return self.sustained - self.mixed_loss * 4.0 * written * (1.0 - written)

    def wait(self, utilisation: float, written: float) -> float:
        """Cycles that a read waits in the mean, beyond the latency without load."""
        u = min(utilisation, _FULL)
        return self.queue_cycles * u / (1.0 - u) + self.turnaround_cycles * u * written


def settled(
    time_of: Callable[[float], float], service: float, wait_of: Callable[[float], float]
) -> tuple[float, float]:
    """The time at which what memory takes and what readers wait agree, and that wait.

    ``time_of`` a wait is the time of some work, which asks DRAM for ``service`` cycles; ``wait_of``
    a utilisation is the wait. Two waits are tried; between them, and beyond, times are taken to be
    linear. The result is more than ``service``, and never less than ``time_of(0)``.
    """
    unloaded = time_of(0.0)
    if service < LIGHT * unloaded:
        return unloaded, 0.0
    probe = wait_of(PROBED)
    slope = max(time_of(probe) - unloaded, 0.0) / probe if probe > 0.0 else 0.0
    least, most = max(unloaded, service), max(unloaded, service) + slope * wait_of(_FULL)
    for _ in range(50):
        middle = (least + most) / 2
        if unloaded + slope * wait_of(service / middle) > middle:
            least = middle
        else:
            most = middle
    return most, wait_of(service / most)
