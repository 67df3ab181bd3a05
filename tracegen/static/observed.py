"""What a profile of runs says about what a static trace cannot decide.

Of a branch: the share of lanes for each way, and in what share of a warp's executions any lane goes
there; so that branches that differ between warps and divergent branches come out as they were. Of a
loop: how often its header is executed from one entry to the next, by lanes, and how far lanes of a
warp agree. Of an access: how many sectors a warp touches.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from kcc.base.diagnostics import Diagnostic, DiagnosticError
from kcc.base.profile.merge import merge
from kcc.base.profile.model import (
    Histogram,
    KernelInfo,
    LaunchProfile,
    LoopCount,
    LoopInfo,
    Profile,
)
from kcc.base.records import dataclass
from kcc.base.trace.tables import TraceTables
from kcc.tracegen.profiling.shape import kernel_info

EXACT_TRIPS = 64
"""Below, a profile has how often each number of trips occurred; above, ranges by their start."""


@dataclass(frozen=True, slots=True)
class Way:
    """A way out of a block: the share of lanes that take it, and the share of the executions of
    warps in which any lane does."""

    share: float
    reach: float


@dataclass(frozen=True, slots=True, eq=False)
class Draws:
    """Values, and up to which number from 0 to 1 each is drawn. A warp draws ``groups`` times,
    for as many parts of its lanes."""

    values: NDArray[np.int64]
    up_to: NDArray[np.float64]
    groups: int = 1

    @property
    def mean(self) -> float:
        return float((self.values * np.diff(self.up_to, prepend=0)).sum())

    def at(self, number: float) -> int:
        """The value that a number from 0 to 1 draws."""
        place = int(np.searchsorted(self.up_to, number, side="right"))
        return int(self.values[min(place, len(self.values) - 1)])


@dataclass(frozen=True, slots=True)
class Observed:
    """What was observed of a kernel: ways by block and target, how many lanes took them, trips by
    the loop's header, sectors by access; and how many segments a warp executed on the average."""

    ways: Mapping[tuple[int, int], Way]
    lanes: Mapping[tuple[int, int], int]
    trips: Mapping[int, Draws]
    sectors: Mapping[int, Draws]
    segments_per_warp: float


def observe(profile: Profile, tables: TraceTables) -> Observed | None:
    """What a profile says of a kernel, all its launches taken together; None where it has none.

    :raises DiagnosticError: K783 for a profile of other code than ``tables``, or of warps with
        another number of lanes, K780 for one that contradicts itself.
    """
    try:
        return _observe(profile, tables)
    except (LookupError, ValueError, AssertionError, ArithmeticError) as error:
        message = f"the profile of '{tables.kernel}' contradicts itself: {error}"
        raise DiagnosticError([Diagnostic("K780", message)]) from error


def _observe(profile: Profile, tables: TraceTables) -> Observed | None:
    wanted = _shape(kernel_info(tables))
    named = [i for i, kernel in enumerate(profile.kernels) if kernel.name == tables.kernel]
    fitting = [i for i in named if _shape(profile.kernels[i]) == wanted]
    if named and not fitting:
        raise _other(tables, "code, macros or level of optimisation")
    launches = [each for each in profile.launches if each.kernel in fitting[:1]]
    if any(each.width != tables.width for each in launches):
        raise _other(tables, "size of warps")
    if not launches:
        return None
    found = merge(launches)
    return Observed(
        _ways(found),
        {(e.source, e.target): e.oecount for e in found.edges},
        _trips(found, profile.kernels[fitting[0]].loops),
        {a.access: _draws(a.sectors) for a in found.accesses if a.sectors},
        sum(node.warps for node in found.nodes) / max(found.nodes[0].warps, 1),
    )


def _shape(kernel: KernelInfo) -> object:
    """What is the same in profiles of the same code; lines may have moved."""
    return [(b.label, b.instructions, b.barriers) for b in kernel.blocks], kernel.edges


def _other(tables: TraceTables, what: str) -> DiagnosticError:
    message = f"the profile is of another '{tables.kernel}': another {what}"
    return DiagnosticError([Diagnostic("K783", message)])


def _ways(found: LaunchProfile) -> dict[tuple[int, int], Way]:
    lanes = {node.block: node.ecount for node in found.nodes}
    warps = {node.block: node.warps for node in found.nodes}
    return {
        (e.source, e.target): Way(e.oecount / lanes[e.source], e.warps / warps[e.source])
        for e in found.edges
        if lanes.get(e.source) and warps.get(e.source)
    }


def _trips(found: LaunchProfile, loops: Sequence[LoopInfo]) -> dict[int, Draws]:
    warps = {node.block: node.warps for node in found.nodes}
    draws = dict[int, Draws]()
    for loop in found.loops:
        info = loops[loop.loop]
        if loop.entries:
            entries = sum(
                e.warps
                for e in found.edges
                if e.target == info.header and e.source not in info.blocks
            )
            plain, each = _draws(_placed(loop)), max(entries, 1)
            groups = _groups(plain, warps[info.header] / each, loop.entries / each)
            draws[info.header] = replace(plain, groups=groups)
    return draws


def _placed(loop: LoopCount) -> Histogram:
    """Entries by trips; those of a range are put where the sum of all trips comes out right, all
    ranges at the same part of their width."""
    found = Counter({trips: n for trips, n in loop.histogram.items() if trips < EXACT_TRIPS})
    ranges = [
        (least, min(2 * least - 1, loop.most) - least, n)
        for least, n in loop.histogram.items()
        if least >= EXACT_TRIPS
    ]
    counted = sum(trips * n for trips, n in loop.histogram.items())
    width = sum(wide * n for _, wide, n in ranges)
    part = min(max((loop.trips - counted) / max(width, 1), 0.0), 1.0)
    for least, wide, n in ranges:
        found[round(least + part * wide)] += n
    return found


def _groups(draws: Draws, wanted: float, lanes: float) -> int:
    """In how many parts the lanes of a warp draw, such that the greatest of their draws is
    ``wanted`` on the average."""

    def greatest(groups: int) -> float:
        return float((draws.values * np.diff(draws.up_to**groups, prepend=0)).sum())

    return min(range(1, max(round(lanes), 1) + 1), key=lambda n: abs(greatest(n) - wanted))


def _draws(histogram: Histogram) -> Draws:
    values = np.array(sorted(histogram), np.int64)
    counts = np.array([histogram[v] for v in values.tolist()], np.float64)
    return Draws(values, np.cumsum(counts) / counts.sum())
