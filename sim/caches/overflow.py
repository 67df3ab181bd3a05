"""What a cache has lost of data that are gone over in a circle and do not fit it."""

from __future__ import annotations

ALL_GONE = 1.6
"""The footprint, over the size of L2, of which nothing is left: small kernels on A40 and L40
(`microbench_small_kernels.csv`), between 1.5 and 1.7."""


def missing_share(footprint: float, l2_bytes: float) -> float:
    """The share of a footprint that a cache does not have when it is gone over again."""
    if l2_bytes <= 0:
        return 1.0
    return min(max((footprint / l2_bytes - 1.0) / (ALL_GONE - 1.0), 0.0), 1.0)
