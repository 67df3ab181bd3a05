"""The model of regions: how much a core's IPC varies with the lengths of its warps' stalls.

Huang et al., IPDPS 2014, section IV.A, figures 4 and 5, equation 3 (dissertation: equation 7). Each
of N warps is runnable or stalled; a runnable one stalls with probability p in a cycle, a stalled
one, whose stalls last M cycles on the average, goes on with probability 1/M. The core issues
whenever a warp is runnable.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kcc.base.records import dataclass

SAMPLES = 10_000
"""Of the Monte-Carlo method: section IV.A."""

DEVIATION = 0.1 / 1.96
"""Of stall lengths, over their mean: 95 % lie within a tenth (section IV.A)."""

WITHIN = 0.1
"""The difference from the average IPC that lemma 4.1 speaks of."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class IpcVariation:
    """IPCs of the samples; ``mean`` is their average."""

    ipc: Floats
    mean: float

    @property
    def within(self) -> float:
        """The share of samples less than a tenth from the average."""
        return float(np.mean(np.abs(self.ipc / self.mean - 1) < WITHIN))


def ipc_of(p: float, stall_cycles: Floats) -> Floats:
    """The IPC for stalls of these lengths; the last axis is that of the warps.

    Equation 3 moves all warps at once and independently, so its steady state is the product of
    those of single warps. A warp is stalled for the share pM / (1 + pM) of the time, and R_0, where
    all are, is the product of the shares: no state but one per warp is needed.
    """
    stalled = p * stall_cycles / (1 + p * stall_cycles)
    return 1 - np.prod(stalled, axis=-1)


def ipc_of_matrix(p: float, stall_cycles: Floats) -> float:
    """The same by equation 3 as printed: the matrix of 2^N states. For N up to about ten."""
    warps = len(stall_cycles)
    states = np.arange(1 << warps)
    runnable = (states[:, None] >> np.arange(warps - 1, -1, -1)) & 1
    before, after = runnable[:, None, :], runnable[None, :, :]
    moves = np.where(before == 1, p, 1 / stall_cycles)
    matrix = np.prod(np.where(before != after, moves, 1 - moves), axis=-1)
    while not np.allclose(matrix, matrix[:1], rtol=0, atol=1e-14):
        matrix = matrix @ matrix
    return float(1 - matrix[-1, 0])


def ipc_variation(
    p: float, mean_cycles: float, warps: int, *, samples: int = SAMPLES, seed: int = 0
) -> IpcVariation:
    """Figure 5: the IPC for randomly drawn stall lengths, those of each warp with a mean of its
    own drawn from the Gaussian. A stall takes at least a cycle."""
    random = np.random.default_rng(seed)
    drawn = random.normal(mean_cycles, DEVIATION * mean_cycles, (samples, warps))
    found = ipc_of(p, np.maximum(drawn, 1.0))
    return IpcVariation(found, float(found.mean()))
