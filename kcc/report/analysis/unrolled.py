"""Which loops of the source the optimiser unrolled: those of -O1, looked for among those of -O2.

A loop keeps the place of its keyword. One that is gone at -O2 was fully unrolled (or its body was
never needed: either way no loop is left); one with fewer iterations was unrolled in
part, by the quotient of the two trip counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from kcc.frontend.ir.instructions import DebugLocation
from kcc.passes.control.trip_counts import TripCount, TripCounts, TripKind
from kcc.passes.facts import Facts
from kcc.passes.graph.loops import Loop as FoundLoop
from kcc.passes.graph.loops import Loops
from kcc.passes.mix.instruction_mix import InstructionMix
from kcc.passes.unknown import Unknown
from kcc.report.analysis.build import trip_of
from kcc.report.analysis.model import KernelReport, Loop

_NO_KEYWORD = Unknown("the loop has no keyword in the source that it could be traced back to")
_NO_COUNT = Unknown("it could be unrolled in part: its trip count is not known")


def with_unrolled(report: KernelReport, facts: Facts, source: Facts) -> KernelReport:
    """The report of a kernel at -O2 with what its loops were at -O1; ``facts`` are those of
    the report, ``source`` those of the same kernel at -O1."""
    before = _by_place(source)
    places = [_place(loop, before) for loop in facts[Loops].loops]
    loops = [
        replace(loop, unrolled=_factor(found.id, place, facts, before, source))
        for loop, found, place in zip(report.loops, facts[Loops].loops, places, strict=True)
    ]
    ids = {place: number for number, place in reversed([*enumerate(places)]) if place}
    for loop in source[Loops].loops:  # outer ones come first
        if loop.location is not None and loop.location not in places:
            loops.append(_gone(loop, len(loops), ids, source))
            ids.setdefault(loop.location, loops[-1].id)
    return replace(report, loops=tuple(loops))


Places = dict[DebugLocation, list[FoundLoop]]


def _by_place(facts: Facts) -> Places:
    """Loops by the places of their keywords; a function that is inlined twice gives two."""
    found: Places = {}
    for loop in facts[Loops].loops:
        if loop.location is not None:
            found.setdefault(loop.location, []).append(loop)
    return found


def _place(loop: FoundLoop, before: Places) -> DebugLocation | None:
    """Where a loop's keyword stands, as the source's loops have it; one that lost the mark of its
    keyword in optimisation is looked for by its line."""
    at = loop.location
    if at is None or at in before:
        return at
    near = (each for each in before if (each.file, each.line) == (at.file, at.line))
    return next(near, at)


def _factor(
    loop: int, place: DebugLocation | None, facts: Facts, before: Places, source: Facts
) -> int | bool | Unknown:
    """By how much a loop that is still there was unrolled; False for not at all."""
    own = before.get(place, []) if place else []
    if not own:
        return _NO_KEYWORD
    old = {_exact(source[TripCounts].trips[each.id]) for each in own}
    new = _exact(facts[TripCounts].trips[loop])
    (count, *others) = old
    if count is None or others or not new:
        return _NO_COUNT
    return False if count <= new else round(count / new)


def _exact(trip: TripCount) -> int | None:
    """The trips of a loop that are the same for every entry."""
    return trip.least if trip.kind is TripKind.EXACT and trip.least == trip.greatest else None


def _gone(loop: FoundLoop, number: int, ids: Mapping[DebugLocation, int], source: Facts) -> Loop:
    """A loop of which no block is left, with the trips that it has in the source."""
    mix = source[InstructionMix]
    above = None if loop.parent is None else source[Loops].loops[loop.parent].location
    return Loop(
        id=number,
        line=loop.line or 0,
        header=None,
        depth=loop.depth,
        parent=None if above is None else ids.get(above),
        blocks=(),
        barriers=0,
        instructions=sum(mix.blocks[block].total for block in loop.blocks),
        unrolled=True,
        trip=trip_of(source[TripCounts].trips[loop.id]),
    )
