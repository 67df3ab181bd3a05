"""SimPoint: units are clustered by the basic blocks they executed, one stands for each cluster.

Sherwood, Perelman, Hamerly and Calder, ASPLOS 2002, as Huang et al., IPDPS 2014, equation 1 and
section V.A, apply it: k-means on vectors projected at random to 15 dimensions, with the least k
whose Bayesian information criterion reaches nine tenths of the range.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log, pi

import numpy as np
from numpy.typing import NDArray

from kcc.sim.sampling.clustering import Labels, Points
from kcc.sim.sampling.units import Choice, Unit

DIMENSIONS = 15
MOST_CLUSTERS = 30
"""SimPoint's default for the largest k."""
SCORE = 0.9
"""Of the range of scores: section 4.5 of Sherwood et al."""
RESTARTS = 5


def block_vectors(units: Sequence[Unit], seed: int) -> Points:
    """Equation 1, projected."""
    vectors = np.array([unit.vector for unit in units])
    vectors /= np.maximum(vectors.sum(axis=1, keepdims=True), 1)
    if vectors.shape[1] <= DIMENSIONS:
        return vectors
    projection = np.random.default_rng(seed).uniform(-1, 1, (vectors.shape[1], DIMENSIONS))
    return vectors @ projection


def information_criterion(points: Points, labels: Labels, centres: NDArray[np.float64]) -> float:
    """BIC of a clustering under spherical Gaussians of equal variance (Pelleg and Moore, ICML
    2000, section 3.2)."""
    count, dimensions = points.shape
    clusters = len(centres)
    squares = float(((points - centres[labels]) ** 2).sum())
    variance = max(squares / max(dimensions * (count - clusters), 1), 1e-18)
    sizes = np.bincount(labels, minlength=clusters).astype(np.float64)
    sizes = sizes[sizes > 0]
    likelihood = (
        float((sizes * np.log(sizes / count)).sum())
        - count * dimensions / 2 * log(2 * pi * variance)
        - dimensions * (count - clusters) / 2
    )
    return likelihood - (clusters * (dimensions + 1)) / 2 * log(count)


def cluster_units(points: Points, seed: int) -> tuple[Labels, NDArray[np.float64]]:
    """The clusters and their centres."""
    from sklearn.cluster import KMeans

    found = list[tuple[float, Labels, NDArray[np.float64]]]()
    distinct = len(np.unique(np.round(points, 9), axis=0))
    for clusters in range(1, min(MOST_CLUSTERS, distinct) + 1):
        model = KMeans(clusters, n_init=RESTARTS, random_state=seed)
        labels = model.fit_predict(points).astype(np.int64)
        centres = model.cluster_centers_
        found.append((information_criterion(points, labels, centres), labels, centres))
    scores = [score for score, _, _ in found]
    enough = min(scores) + SCORE * (max(scores) - min(scores))
    _, labels, centres = next(one for one in found if one[0] >= enough)
    return labels, centres


def choose_simpoint(units: Sequence[Unit], seed: int) -> Choice:
    """The unit nearest to each centre, weighted by the units of its cluster (equation 1)."""
    points = block_vectors(units, seed)
    labels, centres = cluster_units(points, seed)
    cpi, instructions, count = 0.0, 0, 0
    for label in range(len(centres)):
        members = np.flatnonzero(labels == label)
        if not len(members):
            continue
        apart = points[members] - centres[label]
        nearest = int(members[np.argmin((apart * apart).sum(axis=1))])
        unit = units[nearest]
        cpi += unit.cycles / unit.instructions * len(members) / len(units)
        instructions += unit.instructions
        count += 1
    return Choice(cpi * sum(unit.instructions for unit in units), instructions, count)
