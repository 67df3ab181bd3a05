"""What SimProf is compared with on the same units.

Huang, dissertation, section 5.4.1: one contiguous interval, simple random sampling, one unit for
each phase. SimPoint and TBPoint are beside (:mod:`kcc.sim.sampling.simpoint`).
"""

from __future__ import annotations

import numpy as np

from kcc.sim.sampling.simprof.estimate import Estimate, estimate
from kcc.sim.sampling.simprof.phases import Phases
from kcc.sim.sampling.simprof.table import Floats, Indices, UnitTable, in_features


def contiguous(table: UnitTable, length: int) -> Floats:
    """The metric by each interval of so many units (SECOND), for all places it can begin."""
    length = min(length, len(table))
    cost = np.concatenate([[0.0], np.cumsum(table.cost)])
    work = np.concatenate([[0.0], np.cumsum(table.work)])
    return (cost[length:] - cost[:-length]) / (work[length:] - work[:-length])


def simple_random(table: UnitTable, count: int, random: np.random.Generator) -> Estimate:
    """Units drawn at random from all (SRS)."""
    chosen = np.sort(random.choice(len(table), min(count, len(table)), replace=False))
    labels = np.zeros(len(table), np.int64)
    return estimate(table.cost, table.work, table.work, labels, chosen)


def nearest_to_centres(table: UnitTable, phases: Phases) -> Indices:
    """The unit of each phase that is nearest to its centre (CODE)."""
    points = in_features(table, phases.features)
    found = list[int]()
    for phase in range(phases.count):
        members = phases.members(phase)
        apart = points[members] - phases.centres[phase]
        found.append(int(members[np.argmin((apart**2).sum(axis=1))]))
    return np.array(found, np.int64)


def one_per_phase(table: UnitTable, phases: Phases) -> float:
    """The metric by those units, weighted by the work of their phases."""
    chosen = nearest_to_centres(table, phases)
    ratio = table.ratio[chosen]
    work = np.array([table.work[phases.members(n)].sum() for n in range(phases.count)])
    return float(ratio @ work / work.sum())
