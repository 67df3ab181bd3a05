"""Which features say most about the metric.

Huang, dissertation, section 5.3.2: a univariate linear regression of each feature against
instructions per cycle; the best 100 are kept.
"""

from __future__ import annotations

import numpy as np

from kcc.sim.sampling.simprof.table import Floats, Indices

FEATURES = 100
"""Kept at most: section 5.3.2."""


def select_features(shares: Floats, rate: Floats, most: int = FEATURES) -> tuple[Indices, Floats]:
    """The columns whose regression against ``rate`` has the highest F statistic, best first, and
    their F. Columns that are the same in all units say nothing and are left out; where all units
    have the same rate those that vary most come first, with an F of 0."""
    varying = np.flatnonzero(np.ptp(shares, axis=0) > 0) if len(shares) else np.zeros(0, np.int64)
    if not len(varying):
        return varying.astype(np.int64), np.zeros(0)
    own = shares[:, varying]
    if len(shares) < 3 or np.ptp(rate) <= 1e-12 * np.abs(rate).max(initial=0.0):
        order = np.argsort(-own.std(axis=0), kind="stable")[:most]
        return varying[order].astype(np.int64), np.zeros(len(order))
    from sklearn.feature_selection import f_regression

    with np.errstate(divide="ignore", invalid="ignore"):
        scores = np.nan_to_num(f_regression(own, rate)[0], nan=0.0, posinf=np.finfo(float).max)
    order = np.argsort(-scores, kind="stable")[:most]
    return varying[order].astype(np.int64), scores[order]
