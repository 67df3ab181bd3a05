"""What to simulate further for a narrower interval: what takes most variance away for its cost.

Variances fall with the numbers drawn (Cochran, Sampling Techniques, 1977, section 10.6: the best
numbers in two stages follow from variances and costs); costs are warp instructions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum

from kcc.base.records import dataclass
from kcc.sim.sampling.estimate import GroupEstimate


class Means(Enum):
    """Of narrowing an interval."""

    LAUNCHES = "more launches of a cluster"
    EPOCHS = "more epochs of its launches"
    WHOLE = "its launches in whole"


@dataclass(frozen=True, slots=True)
class Refinement:
    """``gain`` is the variance that it should take away (square cycles), ``cost`` the warp
    instructions to simulate; ``times`` the number drawn, over that of before."""

    means: Means
    group: int
    times: float
    gain: float
    cost: float


def refinements(groups: Sequence[GroupEstimate], times: float) -> Iterator[Refinement]:
    """All that there is, where numbers are to grow by ``times`` at most."""
    for number, group in enumerate(groups):
        yield from _of_group(number, group, times)


def _of_group(number: int, group: GroupEstimate, times: float) -> Iterator[Refinement]:
    have, members = len(group.launches), len(group.cluster.members)
    partial = [one for one in group.launches if one.simulated_instructions < one.instructions]
    simulated = sum(one.simulated_instructions for one in group.launches)
    grown = min(have * times, members)
    if have < members:
        left = have / grown * (1 - grown / members) / (1 - have / members)
        gain = group.between.variance * (1 - left)
        yield Refinement(Means.LAUNCHES, number, grown / have, gain, simulated * (grown / have - 1))
    if partial:
        epochs = group.within.variance + _by_epochs(group)
        again = sum(one.simulated_instructions for one in partial)
        yield Refinement(Means.EPOCHS, number, times, epochs * (1 - 1 / times), again * (times - 1))
        whole = sum(one.instructions for one in partial)
        yield Refinement(Means.WHOLE, number, 1.0, epochs + group.ends.variance, whole)


def _by_epochs(group: GroupEstimate) -> float:
    """What of the variance between launches comes from the epochs left out of them."""
    share = len(group.launches) / len(group.cluster.members)
    return min(group.between.variance, group.within.variance * (1 - share) / share)


def choose(groups: Sequence[GroupEstimate], times: float) -> list[Refinement]:
    """The cheapest for their gain, until the variance of all has fallen to a ``times``-th. Of a
    group, epochs are drawn or its launches simulated in whole."""
    everything = sum(g.between.variance + g.within.variance + g.ends.variance for g in groups)
    wanted = everything * (1 - 1 / times)
    chosen, taken = list[Refinement](), set[tuple[int, bool]]()
    found = (one for one in refinements(groups, times) if one.gain > 0)
    for one in sorted(found, key=lambda one: -one.gain / max(one.cost, 1.0)):
        if wanted <= 0:
            break
        place = one.group, one.means is Means.LAUNCHES
        if place not in taken:
            taken.add(place)
            chosen.append(one)
            wanted -= one.gain
    return chosen
