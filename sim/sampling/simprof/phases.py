"""Units with like code become a phase.

Huang, dissertation, section 5.3.2: k-means on the selected features for k = 1 to 20; the smallest k
whose silhouette reaches nine tenths of the best. The silhouette is not defined for k = 1, which the
text finds all the same (section 5.4.3): here a run is one phase where no k of two and more has a
silhouette of a quarter, below which there is "no substantial structure" (Kaufman and Rousseeuw,
Finding Groups in Data, 1990, table 4), or where an analysis of variance finds no difference of the
metric between the phases at 5 %.
"""

from __future__ import annotations

import numpy as np

from kcc.base.records import dataclass
from kcc.sim.sampling.simprof.features import FEATURES, select_features
from kcc.sim.sampling.simprof.table import Floats, Indices, UnitTable, in_features, variation

MOST_PHASES = 20
ENOUGH = 0.9
"""Of the best silhouette."""
STRUCTURE = 0.25
SIGNIFICANCE = 0.05
RESTARTS = 10
COMPARED = 3000
"""Units that a silhouette is taken over at most: it takes their square."""


@dataclass(frozen=True, slots=True)
class PhaseOptions:
    """``features`` kept, ``phases`` at most, ``seed`` of k-means."""

    features: int = FEATURES
    phases: int = MOST_PHASES
    seed: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Phases:
    """The phases of a run, the largest first. ``labels`` has the phase of each unit, ``centres``
    (phases x features) the mean shares of ``features``, which are named. ``silhouettes`` are by k
    from 2 on; ``reason`` says why there is one phase only, "" where there are more."""

    features: tuple[str, ...]
    scores: Floats
    centres: Floats
    labels: Indices
    silhouettes: dict[int, float]
    reason: str

    @property
    def count(self) -> int:
        return len(self.centres)

    def members(self, phase: int) -> Indices:
        """The units of a phase, in order."""
        return np.flatnonzero(self.labels == phase)

    def sizes(self) -> Indices:
        return np.bincount(self.labels, minlength=self.count)


DEFAULTS = PhaseOptions()


def form_phases(table: UnitTable, options: PhaseOptions = DEFAULTS) -> Phases:
    """The phases of a table of at least one unit."""
    columns, scores = select_features(table.shares, table.speed, options.features)
    points = table.shares[:, columns]
    numbers: list[int] = columns.tolist()
    names = tuple(table.features[n] for n in numbers)
    silhouettes, clusterings = _clusterings(points, options)
    labels, reason = np.zeros(len(table), np.int64), _no_structure(silhouettes)
    if not reason:
        best = max(silhouettes.values())
        chosen = min(k for k, score in silhouettes.items() if score >= ENOUGH * best)
        labels = clusterings[chosen]
        if between_phases(table.ratio, labels) > SIGNIFICANCE:
            labels = np.zeros(len(table), np.int64)
            reason = f"{table.metric.name} does not differ between clusters of the code"
    labels = _largest_first(labels)
    return Phases(names, scores, centres_of(points, labels), labels, silhouettes, reason)


def _no_structure(silhouettes: dict[int, float]) -> str:
    if not silhouettes:
        return "the code of all units is alike"
    best = max(silhouettes.values())
    return f"no clusters in the code: silhouette {best:.2f}" if best < STRUCTURE else ""


def _clusterings(
    points: Floats, options: PhaseOptions
) -> tuple[dict[int, float], dict[int, Indices]]:
    from sklearn.cluster import KMeans
    from sklearn.metrics import silhouette_score
    from threadpoolctl import threadpool_limits

    distinct = len(np.unique(np.round(points, 9), axis=0)) if points.shape[1] else 1
    scores, found = dict[int, float](), dict[int, Indices]()
    with threadpool_limits(1):  # the same sums in the same order, whatever the machine
        for k in range(2, min(options.phases, distinct, len(points) - 1) + 1):
            model = KMeans(k, n_init=RESTARTS, random_state=options.seed)
            labels = model.fit_predict(points).astype(np.int64)
            size = COMPARED if len(points) > COMPARED else None
            scores[k] = float(
                silhouette_score(points, labels, sample_size=size, random_state=options.seed)
            )
            found[k] = labels
    return scores, found


def centres_of(points: Floats, labels: Indices) -> Floats:
    """The mean of the points of each label."""
    return np.array([points[labels == n].mean(axis=0) for n in range(int(labels.max()) + 1)])


def _largest_first(labels: Indices) -> Indices:
    sizes = np.bincount(labels)
    rank = np.empty(len(sizes), np.int64)
    rank[np.argsort(-sizes, kind="stable")] = np.arange(len(sizes))
    return rank[labels]


def between_phases(values: Floats, labels: Indices) -> float:
    """The p-value of a one-way analysis of variance: that phases have the same mean."""
    sizes = np.bincount(labels).astype(np.float64)
    groups, count = len(sizes), len(values)
    if groups < 2 or count <= groups:
        return 1.0
    means = np.bincount(labels, values) / sizes
    within = float(((values - means[labels]) ** 2).sum())
    between = float((sizes * (means - values.mean()) ** 2).sum())
    if within <= 1e-18 * max(between, 1e-300):
        return 0.0 if between > 0 else 1.0
    from scipy.special import fdtrc

    return float(fdtrc(groups - 1, count - groups, between / (groups - 1) / within
                       * (count - groups)))  # fmt: skip


@dataclass(frozen=True, slots=True)
class Homogeneity:
    """Coefficients of variation of the metric (section 5.3.2.1, figure 40): of all units, of
    phases weighted by their units, of the phase where it is largest, and of each."""

    population: float
    weighted: float
    largest: float
    phases: tuple[float, ...]


def homogeneity(table: UnitTable, phases: Phases) -> Homogeneity:
    """How alike the units of phases are."""
    ratio = table.ratio
    own = tuple(variation(ratio[phases.members(n)]) for n in range(phases.count))
    weights = phases.sizes() / max(len(table), 1)
    return Homogeneity(variation(ratio), float(weights @ np.array(own)), max(own), own)


def classify(table: UnitTable, phases: Phases) -> Indices:
    """The phase of each unit of another run: that with the nearest centre (section 5.3.4.1)."""
    points = in_features(table, phases.features)
    squares = (points**2).sum(axis=1)[:, None] - 2 * points @ phases.centres.T
    return np.argmin(squares + (phases.centres**2).sum(axis=1), axis=1).astype(np.int64)


STANDS_OUT = 0.1
"""A share that is higher by this than in the other phases."""


def names_of(phases: Phases, phase: int, most: int = 3) -> tuple[str, ...]:
    """What a phase does: the features whose share is higher than in the other phases by most
    (section 5.3.4.2 takes the highest shares, which in all phases are those of what calls the
    rest); the highest shares where none stands out."""
    if not phases.features:
        return ()
    centre, sizes = phases.centres[phase], phases.sizes().astype(np.float64)
    sizes[phase] = 0
    weight = centre - sizes @ phases.centres / sizes.sum() if sizes.any() else centre
    if weight.max() < STANDS_OUT:
        weight = centre
    order: list[int] = np.argsort(-weight, kind="stable")[:most].tolist()
    return tuple(phases.features[n] for n in order if weight[n] > STANDS_OUT / 2) or tuple(
        phases.features[n] for n in order[:1]
    )
