"""The set of a line in L1, compiled by numba. Import it lazily."""

from __future__ import annotations

from typing import Any

import numpy as np

from kcc.base.native import inlined, trailing_zeros

LINE_BITS = 40
"""Of the numbers of lines that are folded: 2**40 lines of 128 bytes are all of an address space."""


@inlined
def set_of(line: int, sets: int) -> int:
    """Which of ``sets`` a line is in: where they are a power of two, all digits of its number to
    that base have a part in it, so that no power of two between lines makes them meet in one set.

    Vendors do not say how L1 chooses. A thread block of 512 whose lanes walk along rows of 1 KB to
    32 KB finds its 512 lines again on an RTX 3080 and, in an L1 of 64 KB, on an RTX 2060 (products
    of a matrix and a vector, benchmarks/data/pmpp_nvbench.csv); with two digits alone they would be
    in one set of four.
    """
    bits = trailing_zeros(sets)
    if sets != 1 << bits:
        number, by = np.uint64(line), np.uint64(sets)
        found: Any = np.int64((number ^ number // by) % by)
        return found
    folded, shift = line, bits
    while 0 < shift < LINE_BITS:
        folded ^= folded >> shift
        shift *= 2
    return folded & (sets - 1)
