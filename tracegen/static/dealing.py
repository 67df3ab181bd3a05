"""Deals out what a profile has observed, over all warps that are walked.

What happens in a third of the cases is dealt to every third: shares come out right over few warps,
the same in every run.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from kcc.tracegen.static.observed import Draws, Way

GOLDEN = 0x9E3779B97F4A7C15
"""2^64 divided by the golden ratio: its multiples are spread evenly, however many they are."""

WORD = (1 << 64) - 1


class Dealer:
    """Remembers what it has dealt, for each thing asked for."""

    def __init__(self) -> None:
        self._owed: dict[Hashable, list[float]] = {}
        self._draws: dict[Hashable, int] = {}
        self._drawn = 0

    def choose(self, key: Hashable, shares: Sequence[float]) -> int:
        """One of several outcomes, each in its share of the calls with this key."""
        owed = self._owed.setdefault(key, [0.0] * len(shares))
        for place, share in enumerate(shares):
            owed[place] += share
        found = max(range(len(owed)), key=owed.__getitem__)
        owed[found] -= 1
        return found

    def draw(self, key: Hashable, draws: Draws, times: int = 1) -> list[int]:
        """Values: the first in its share of the calls with this key, the others with no regard to
        what was drawn before."""
        turn = self._draws[key] = self._draws.get(key, 0) + 1
        found = [draws.at(_part(turn * GOLDEN))]
        for _ in range(1, times):
            self._drawn += 1
            mixed = self._drawn * GOLDEN & WORD
            mixed = (mixed ^ mixed >> 31) * 0xBF58476D1CE4E5B9  # the second step of splitmix64
            found.append(draws.at(_part(mixed)))
        return found

    def lanes(self, key: Hashable, ways: Sequence[Way], lanes: int) -> list[int]:
        """The lanes of a warp for each way out of a block."""
        if len(ways) == 2:
            return self._two(key, ways[0], ways[1], lanes)
        masks = [0] * len(ways)
        for lane in lanes_in(lanes):
            masks[self.choose(key, [way.share for way in ways])] |= 1 << lane
        return masks

    def _two(self, key: Hashable, first: Way, second: Way, lanes: int) -> list[int]:
        """All lanes one way, all the other, or some each: as often as it was so."""
        alone, other = max(1 - second.reach, 0.0), max(1 - first.reach, 0.0)
        both = max(1 - alone - other, 0.0)
        outcome = self.choose(key, (alone, other, both))
        if outcome < 2 or lanes.bit_count() == 1:
            kept = outcome == 0 or (outcome == 2 and first.share >= second.share)
            return [lanes, 0] if kept else [0, lanes]
        share = (first.share - alone) / both if both else 0.5
        count = lanes.bit_count()
        taken = self._owed.setdefault((key, "lanes"), [0.0])
        taken[0] += min(max(share, 0.0), 1.0) * count
        number = min(max(round(taken[0]), 1), count - 1)
        taken[0] -= number
        chosen = self._some(lanes, number)
        return [chosen, lanes & ~chosen]

    def _some(self, lanes: int, number: int) -> int:
        """So many of the lanes, spread over them, others each time."""
        places = lanes_in(lanes)
        self._drawn += 1
        return sum(
            1 << places[(i * len(places) // number + self._drawn) % len(places)]
            for i in range(number)
        )


def _part(number: int) -> float:
    """The lowest 64 bits as a number from 0 to 1."""
    return ((number & WORD) >> 11) / (1 << 53)


def lanes_in(mask: int) -> list[int]:
    """The lanes of a mask, lowest first."""
    return [lane for lane in range(mask.bit_length()) if mask >> lane & 1]
