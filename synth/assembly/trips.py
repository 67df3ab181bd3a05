"""Tables of the trips that entries of a loop have: what a draw, of 32 bits, finds there.

Each entry of a table stands for a share of a loop's entries, by ascending trips. Equal shares cut
off what is rare: a warp stays as long as the longest of its lanes, a launch as long as its last
warp, and where few entries have many times the trips of all others these decide. There shares
halve towards the longest, four to a halving, down to one entry in 2^17.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from kcc.base.profile.model import LaunchProfile, LoopCount
from kcc.base.records import dataclass
from kcc.synth.original.coarse import LEAST_TOLD, told_counts, truncated

QUANTILES = 64
"""Entries of a table of trips."""

EQUAL = (1 / QUANTILES,) * QUANTILES

STEPS = 4
"""Shares to a halving: as many as the two bits behind the exponent of a float tell apart."""

HALVING = tuple(
    2.0 ** -(1 + n // STEPS) / STEPS if n < QUANTILES - STEPS else 2.0 ** -(n // STEPS) / STEPS
    for n in range(QUANTILES)
)
"""Shares by ascending trips: an eighth each, then a sixteenth each; the last four are twice as
large as they would be."""

RARE = 1.25
"""By how much the longest run has to be longer than the mean of the longest 64th for the shares to
halve: it decides how long a launch takes by as much."""

NEVER = 1 << 31
"""As trips: a loop is not left that way."""


@dataclass(frozen=True, slots=True)
class Table:
    """``trips`` by ascending size, each of as large a share of the entries as ``shares`` says."""

    trips: tuple[int, ...]
    shares: tuple[float, ...] = EQUAL

    @property
    def halves(self) -> bool:
        """Whether rare runs have smaller shares."""
        return self.shares == HALVING

    @property
    def by_draw(self) -> tuple[int, ...]:
        """In the order in which draws find them: halving shares from the smallest on."""
        return tuple(reversed(self.trips)) if self.halves else self.trips

    @property
    def mean(self) -> float:
        return sum(t * s for t, s in zip(self.trips, self.shares, strict=True))

    def longest(self, draws: float) -> float:
        """The expected largest of so many draws."""
        below = np.cumsum((0.0, *self.shares)).clip(0, 1) ** draws
        return float(np.diff(below) @ np.array(self.trips, np.float64))

    @classmethod
    def of(cls, count: LoopCount, factor: int, *, halves: bool = False) -> Table:
        """Trips of a loop's entries, divided by ``factor`` but at least 1 (section 4.2.4, step 4 of
        Yu et al., IEEE TC 2015), so that their sum is that of all trips."""
        entries, shares = sum(count.histogram.values()), HALVING if halves else EQUAL
        if not entries:
            return cls((1,) * QUANTILES, shares)
        rows = _means(_values(count, entries), entries, shares)
        few = sum(share * entries < LEAST_TOLD for share in HALVING) if halves else 0
        while 0 < few < QUANTILES and entries * sum(HALVING[-few:]) < LEAST_TOLD:
            few += 1
        if few:  # what is about too few is told together, but for the longest
            own = HALVING[-few:]
            together = sum(m * s for m, s in zip(rows[-few:], own, strict=True)) / sum(own)
            rows[-few:] = [together] * few
            rows[-1] = max(together, float(truncated(count.most)))
        return cls(_rounded([mean / factor for mean in rows], shares), shares)

    def early(self, leaving: float, *, rest: bool) -> Table:
        """For some ways out of the loop, by which a share of the entries leaves it, ``leaving``:
        those with the fewest trips; those with the most, the ``rest``, leave it otherwise."""
        below = np.cumsum(self.shares) - np.array(self.shares) / 2 < leaving
        kept = below if not rest else ~below
        trips = tuple(t if k else NEVER for t, k in zip(self.trips, kept, strict=True))
        return Table(trips, self.shares)


def has_rare(count: LoopCount) -> bool:
    """Whether few entries of a loop have many times the trips of all others."""
    entries = sum(count.histogram.values())
    if entries < LEAST_TOLD * QUANTILES:
        return False
    return count.most > RARE * _means(_values(count, entries), entries, EQUAL)[-1]


def leaving(profile: LaunchProfile, loop: int, ways: Collection[tuple[int, int]]) -> float:
    """The share of a loop's entries that leave it by some ways."""
    entries = profile.loops[loop].entries
    found = sum(e.oecount for e in profile.edges if (e.source, e.target) in ways)
    return min(found / entries, 1.0) if entries else 0.0


def is_one_count(count: LoopCount, factor: int) -> bool:
    """Whether all entries of a loop have the same trips once these are divided by ``factor``: the
    last trip that a grid stride makes for some threads and not for others falls away."""
    least, most = max(1, count.least // factor), max(1, count.most // factor)
    return not count.entries or (count.least >= 1 and least == most)


def _values(count: LoopCount, entries: int) -> list[tuple[float, float]]:
    """Ascending trips and how many entries have them. Histograms hold large trip counts by powers
    of two; these are stretched to the measured sum, up to the most trips of an entry."""
    values = sorted(count.histogram.items())
    if LEAST_TOLD <= entries < LEAST_TOLD * QUANTILES:
        found, often = (np.array(row, np.int64) for row in zip(*values, strict=True))
        values = list(zip(*(x.tolist() for x in told_counts(found, often, often)), strict=True))
    stretched = [(float(v), float(n)) for v, n in values if v < 64]
    coarse = [(v, n) for v, n in values if v >= 64]
    left = count.trips - sum(v * n for v, n in stretched)
    while coarse:
        stretch = max(left, 0) / sum(v * n for v, n in coarse)
        value, often = coarse[-1]
        if value * stretch <= count.most:
            stretched += [(v * stretch, float(n)) for v, n in coarse]
            break
        stretched.append((float(count.most), float(often)))
        left -= count.most * often
        coarse.pop()
    return sorted(stretched)


def _means(
    values: Sequence[tuple[float, float]], entries: int, shares: Sequence[float]
) -> list[float]:
    """The mean of each share of ascending values with their counts."""
    rows, rest = list[float](), list(reversed(values))
    for share in shares:
        wanted, total, own = share * entries, 0.0, share * entries
        while wanted > 1e-9 * own and rest:
            value, count = rest.pop()
            taken = min(count, wanted)
            total += value * taken
            wanted -= taken
            if count > taken:
                rest.append((value, count - taken))
        rows.append(total / max(own - wanted, 1e-300))
    return rows


def _rounded(rows: Sequence[float], shares: Sequence[float]) -> tuple[int, ...]:
    """Whole numbers from 1 on; what rounding takes from one, the next one gets, in trips of all
    that they stand for."""
    found, owed = list[int](), 0.0
    for row, share in zip(rows, shares, strict=True):
        value = max(1, int(row + owed / share + 0.5))
        owed = max(min(owed + (row - value) * share, share), -share)
        found.append(value)
    return tuple(found)
