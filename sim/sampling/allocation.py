"""How much is drawn: launches of a cluster, epochs of a launch, epochs that are compared.

The number of draws follows from the variance that the draws before showed, and from what a launch
is worth, which the profile says (Cochran, Sampling Techniques, 1977, sections 5.5 and 10.6). That
only decides how wide the interval gets: the draws are as random as before.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kcc.base.records import dataclass
from kcc.sim.sampling.block_profile import LaunchProfile
from kcc.sim.sampling.two_stage import Pooled

AIM = 0.01
"""The relative standard deviation of the whole that the numbers aim at: the interval's half width
is then twice that."""

ENOUGH = 4.0
"""Degrees of freedom that say how much the epochs of a kernel vary."""

LAUNCH_SHARE = 0.04
"""Of the launches of a cluster that are drawn, where that is more than two."""


@dataclass(frozen=True, slots=True)
class Stake:
    """What a cluster is worth: its share of all cycles (:func:`importance`), how many launches it
    has, and how much the epochs of its kernel varied so far."""

    share: float
    launches: int
    known: Pooled


def importance(launches: Sequence[LaunchProfile]) -> NDArray[np.float64]:
    """About what share of all cycles each launch takes, by the profile alone: the mean of its
    shares of warp instructions and of memory requests, one of which binds."""
    work = np.array([p.warp_instructions.sum() for p in launches], np.float64)
    asked = np.array([p.requests.sum() for p in launches], np.float64)
    return (work / max(work.sum(), 1.0) + asked / max(asked.sum(), 1.0)) / 2


def launches_drawn(members: int, least: int) -> int:
    """How many launches of a cluster are drawn at first."""
    return min(max(least, round(LAUNCH_SHARE * members)), members)


def epochs_drawn(
    stake: Stake, epochs: int, *, least: int, windows: int, most: float, calm: bool
) -> int:
    """How many of a launch's ``epochs``: ``least``, until enough of the kernel were compared with
    one another (one where others of its cluster will be compared with it, and its head is
    ``calm``); more where that costs little (``windows`` of the whole, ``most`` of the cluster's
    epochs), or where the variance asks for it."""
    cheap = min(windows * stake.share, most * epochs * stake.launches)
    enough = stake.known.freedom >= ENOUGH and stake.share * stake.known.upper <= AIM**2
    if enough or (calm and stake.launches > 1):
        least = 1
    return max(least, round(cheap), min(epochs_wanted(stake), windows))


def epochs_wanted(stake: Stake) -> int:
    """How many the variance asks for: as large a share of that of the whole as is that of all
    cycles."""
    return round(stake.share * stake.known.variance / AIM**2)


def epochs_compared(stake: Stake, drawn: int, least: float) -> int:
    """How many epochs of each of ``drawn`` launches are compared with those of the one that stands
    for the cluster, ``least`` at least: a difference of two varies twice as much as one."""
    variance = 2 * stake.known.variance * (stake.share / AIM) ** 2
    return max(round(variance / drawn), round(least), 1)
