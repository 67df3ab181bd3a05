"""What a cache has lost of data that are gone over in a circle and do not fit it."""

from __future__ import annotations

ALL_GONE = 1.6
"""The footprint, over the size of L2, of which nothing is left: small kernels on A40 and L40
(`microbench_small_kernels.csv`), between 1.5 and 1.7."""

ALL_GONE_OF = {(12, 0): 1.16}
"""The same by compute capability: matrices of 117 MB are read again at the rate of DRAM on an RTX
5090 with 96 MiB of L2 (gemv_rtx5090.csv), sums and products of 64 MiB on an RTX 5070 with 48
(roofline_rtx5070.csv). Where it begins is not known; of least recently used lines it is at once."""


def all_gone(capability: tuple[int, int] | None) -> float:
    """Of a GPU's L2."""
    return ALL_GONE_OF.get(capability or (0, 0), ALL_GONE)


def missing_share(footprint: float, l2_bytes: float, gone: float | None = None) -> float:
    """The share of a footprint that a cache does not have when it is gone over again, where nothing
    is left of ``gone`` times its size."""
    if l2_bytes <= 0:
        return 1.0
    beyond = (ALL_GONE if gone is None else gone) - 1.0
    return min(max((footprint / l2_bytes - 1.0) / beyond, 0.0), 1.0)
