"""How far thread blocks have drawn apart where some are left out.

Those that begin a launch begin together. Each place of the GPU then runs one block after the other,
and blocks do not take equally long: after k of them, were they independent, what a place is ahead
of another or behind has the standard deviation of one block's duration times sqrt(k). A launch of
which most is skipped is as far apart as what was simulated of it, unless it is made to be further:
the blocks with which a jump ends start with delays that a random walk of so many steps gives, less
whole epochs. Two thirds of what a place gains on another lies within the deviation; once that is
beyond an epoch, all phases of one are alike.
"""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import NDArray

from kcc.sim.cycle.layout import Conf
from kcc.sim.sampling.feeding import END, START, LaunchRun


def duration_deviation(log: NDArray[np.int64], dispatched: int, size: int) -> float:
    """The standard deviation, in cycles, of the durations of blocks that began in the same epoch of
    ``size`` blocks; ``log`` has the first ``dispatched`` blocks. The first epoch counts only where
    there are few others: there the caches fill."""
    epochs = range(1 if dispatched >= 3 * size else 0, dispatched // size)
    variances = list[float]()
    for epoch in epochs:
        rows = log[epoch * size : (epoch + 1) * size]
        ended = rows[rows[:, END] > 0]
        if 2 * len(ended) > size:
            variances.append(float((ended[:, END] - ended[:, START]).var()))
    return sqrt(sum(variances) / len(variances)) if variances else 0.0


def delays(
    deviation: float, steps: float, epoch_cycles: int, count: int, random: np.random.Generator
) -> NDArray[np.int64]:
    """What each of ``count`` blocks waits, in cycles, after a random walk of ``steps``."""
    positions = random.normal(0.0, deviation * sqrt(max(steps, 0.0)), count)
    return ((positions - positions.min()) % max(epoch_cycles, 1)).astype(np.int64)


def simulate_apart(run: LaunchRun, first: int, end: int, waits: NDArray[np.int64]) -> None:
    """Thread blocks ``first`` to ``end`` (excluded), each of which waits before it starts."""
    conf = run.simulation.machine.conf
    usual = int(conf[Conf.BLOCK_START])
    for block, wait in zip(range(first, end), waits.tolist(), strict=True):
        conf[Conf.BLOCK_START] = usual + wait
        run.simulate(block, block + 1)
    conf[Conf.BLOCK_START] = usual
