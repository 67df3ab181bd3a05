"""Streams of units whose phases are known, for the page on phases.

python -m benchmarks.phases_streams

A line for each stream of 300 units in three phases: which share of the units is put in its phase,
errors of the mean over 200 draws of 20 units, how many 95 % intervals hold; and of 20 more streams
that differ by chance alone, how often a phase is called sensitive (by equation 38, by ours), and of
20 whose second phase is slower by 30 %, how often that phase alone is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.phases import percent, write
from kcc.sim.sampling.simprof.phases import PhaseOptions
from kcc.sim.sampling.simprof.sensitivity import compare_inputs
from kcc.sim.sampling.simprof.study import SampleOptions, study
from kcc.sim.sampling.simprof.table import Indices, Metric, UnitTable

SIZES = (150, 100, 50)
REPEATS = 20
METRIC = Metric("CPI", "cycles", "instructions", "made up")


@dataclass(frozen=True, slots=True)
class Stream:
    """``variation`` of the CPI within phases of means 1, 2 and 4; ``drift``: by which part of the
    mean it rises from a phase's first unit to its last; ``repeats``: phases come that often."""

    name: str
    variation: float
    drift: float
    repeats: int


STREAMS = (
    Stream("homogeneous phases", 0.02, 0.0, 1),
    Stream("CoV of a fifth", 0.2, 0.0, 1),
    Stream("CoV of a half", 0.5, 0.0, 1),
    Stream("drift by half of the mean", 0.02, 0.5, 1),
    Stream("drift, phases in ten turns", 0.05, 0.5, 10),
)


def units_of(stream: Stream, seed: int, slower: float = 1.0) -> tuple[UnitTable, Indices]:
    """The units, and the phase that each is of. Costs are lognormal."""
    random = np.random.default_rng(seed)
    truth = np.concatenate(
        [
            np.repeat(np.arange(3), [n // stream.repeats for n in SIZES])
            for _ in range(stream.repeats)
        ]
    )
    place = np.zeros(len(truth))
    for n in range(3):
        place[truth == n] = np.linspace(-0.5, 0.5, int((truth == n).sum()))
    width = np.sqrt(np.log(1 + stream.variation**2))
    noise = random.lognormal(-(width**2) / 2, width, len(truth))
    means = np.array([1.0, 2.0 * slower, 4.0])[truth]
    shares = np.abs(random.normal(0, 0.03, (len(truth), 10)))
    for n in range(3):
        shares[truth == n, 3 * n : 3 * n + 3] += (0.9, 0.5, 0.2)
    shares[:, 9] = 1
    work = random.normal(1e8, 1e6, len(truth))
    names = tuple(f"phase{n // 3}.{n % 3}" for n in range(9))
    table = UnitTable(
        stream.name, "made up", "a unit", "method", METRIC, (*names, "Thread.run"), shares,
        means * (1 + stream.drift * place) * noise * work, work,
    )  # fmt: skip
    return table, truth


def cells_of(stream: Stream) -> list[str]:
    """The line of a stream."""
    table, truth = units_of(stream, 0)
    found = study(table, PhaseOptions(), SampleOptions())
    right = sum(
        np.bincount(truth[found.phases.members(n)]).max() for n in range(found.phases.count)
    )
    errors = {one.method: one for one in found.methods}
    shown = [errors[name] for name in ("simple random", "SimProf as printed", "SimProf")]
    by_rule = by_test = alone = 0
    for seed in range(1, REPEATS + 1):
        changes = compare_inputs(table, found.phases, [units_of(stream, seed)[0]])
        by_rule += bool(changes.phases(by_threshold=True))
        by_test += bool(changes.phases())
        slower = compare_inputs(table, found.phases, [units_of(stream, seed, 1.3)[0]])
        alone += slower.phases() == frozenset({1})
    return [
        stream.name, str(found.phases.count), f"{100 * right / len(table):.0f} %",
        *(f"{percent(m.mean)} ({percent(m.high)}), {percent(m.coverage)}" for m in shown),
        f"{by_rule} of {REPEATS}", f"{by_test} of {REPEATS}", f"{alone} of {REPEATS}",
    ]  # fmt: skip


def main() -> None:
    """Print the table."""
    head = ("stream", "phases", "units in theirs", "simple random", "SimProf as printed", "SimProf",
            "same: equation 38", "same: sensitive", "slower: that phase alone")  # fmt: skip
    write([head, *map(cells_of, STREAMS)])


if __name__ == "__main__":
    main()
