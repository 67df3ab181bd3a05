"""Streams of units with known phases."""

from __future__ import annotations

import numpy as np

from kcc.sim.sampling.simprof.table import Indices, Metric, UnitTable

CPI = Metric("CPI", "cycles", "instructions", "made up")


def stream(
    sizes: list[int], means: list[float], deviations: list[float], seed: int = 0, drift: float = 0.0
) -> tuple[UnitTable, Indices]:
    """Units of phases in turn, each with methods of its own and some that all have; ``drift`` is
    by how much a phase's mean rises from its first unit to its last. The true phases beside."""
    random = np.random.default_rng(seed)
    truth = np.repeat(np.arange(len(sizes)), sizes)
    rise = np.concatenate([np.linspace(-drift / 2, drift / 2, n) for n in sizes])
    cpi = (
        np.array(means)[truth] * (1 + rise)
        + random.normal(size=len(truth)) * np.array(deviations)[truth]
    )
    names = ["Thread.run", *(f"phase{n}.{m}" for n in range(len(sizes)) for m in "ab"), "noise"]
    shares = np.zeros((len(truth), len(names)))
    shares[:, 0] = 1
    for n in range(len(sizes)):
        shares[truth == n, 1 + 2 * n] = 0.9 + 0.02 * random.normal(size=int((truth == n).sum()))
        shares[truth == n, 2 + 2 * n] = 0.4 + 0.02 * random.normal(size=int((truth == n).sum()))
    shares[:, -1] = 0.05 * random.random(len(truth))
    work = np.full(len(truth), 1e8)
    table = UnitTable(
        "made up", "test", "a unit", "method", CPI, tuple(names), shares, cpi * work, work
    )
    return table, truth
