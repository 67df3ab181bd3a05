"""Contention for miss entries and DRAM (dissertation, section 4.4.2, equations 26-32)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kcc.sim.interval.intervals import Feature, IntervalProfile


def expected_mshr_delay(
    requests: NDArray[np.float64], mshrs: int, miss_latency_cycles: float
) -> NDArray[np.float64]:
    """Equation 28: the mean over requests 1 to n of latency times ceil(j / mshrs), less one
    latency; n need not be whole."""
    n = np.maximum(requests, 1e-12)
    full = np.floor(n / mshrs)
    left = n - full * mshrs
    rounds = mshrs * full * (full + 1) / 2 + left * (full + 1)
    return miss_latency_cycles * (rounds / n - 1.0)


def mshr_delays(
    profile: IntervalProfile, warps: float, mshrs: int, miss_latency_cycles: float
) -> NDArray[np.float64]:
    """Equations 27 to 29: cycles that each interval's loads wait for miss entries."""
    core_requests = profile.of(Feature.MSHR_REQUESTS) * warps
    delay = expected_mshr_delay(core_requests, mshrs, miss_latency_cycles)
    memory_insts = profile.of(Feature.MEMORY_INSTRUCTIONS)
    return np.where(core_requests <= mshrs, 0.0, delay * memory_insts)


def bandwidth_delays(
    profile: IntervalProfile, warps: float, cores: float, service_cycles: float
) -> NDArray[np.float64]:
    """Equations 30 to 32: M/D/1 waiting of a request at DRAM, whose one sector takes
    ``service_cycles``; where the utilisation reaches one, half of the requests of the interval
    stand ahead."""
    requests = profile.of(Feature.DRAM_REQUESTS) * warps * cores
    span = np.maximum(profile.instructions + profile.stall_cycles, 1e-12)
    rate = requests / span
    utilisation = rate * service_cycles
    cap = service_cycles * requests / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        queue = rate * service_cycles**2 / (2 * (1 - utilisation))
    return np.where(utilisation >= 1, cap, np.minimum(queue, cap))


def contention_cpi(
    delays: NDArray[np.float64], profile: IntervalProfile, warps: float, *, printed: bool = False
) -> float:
    """Equation 26, for one of its two terms, as cycles per instruction of the core.

    All warps wait at the same time: the core is late by the delays of one, over the instructions
    of all. As ``printed``, the delays are over the instructions of one warp, which counts the wait
    of each warp as if no other waited meanwhile; equation 16, to which this is added, has the
    instructions of all warps.
    """
    instructions = profile.total_instructions * (1.0 if printed else warps)
    return float(delays.sum()) / instructions
