"""A unit for double precision that the schedulers of an SM have together.

One unit stands in the middle of an SM that has fewer lanes of double precision than schedulers
(NVIDIA, "Turing GPU Architecture" white paper, 2018: two for each SM, of four partitions; GA10x,
Ada and GB20x have as many). A warp that works alone has all of it.
"""

from __future__ import annotations

from kcc.base.gpu.description import GpuDescription


def has_one_fp64(gpu: GpuDescription, interval_cycles: float) -> bool:
    """Whether a GPU is such a one; ``interval_cycles`` are those of a warp instruction by a
    scheduler's share of the lanes. Simulators whose configurations give intervals have a unit for
    each scheduler."""
    simulated = gpu.initiation_interval_cycles.fp32 is not None
    return not gpu.is_amd and not simulated and interval_cycles > 32.0
