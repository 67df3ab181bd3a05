"""Static traces into a file."""

from __future__ import annotations

from kcc.base.records import dataclass
from kcc.base.trace.launches import LaunchTotals
from kcc.base.trace.writer import TraceWriter
from kcc.tracegen.static.classes import StaticClass
from kcc.tracegen.static.launch import StaticLaunch, describe
from kcc.tracegen.static.program import StaticProgram


@dataclass(frozen=True, slots=True)
class StaticSummary:
    """What a static trace of one launch adds up to: executions by warps, and how many of them were
    assumed (segments: that they are executed so; accesses: their addresses or that)."""

    classes: int
    warps: int
    totals: LaunchTotals
    assumed_segments: int
    assumed_accesses: int
    assumed_events: int
    """Segments that are assumed, or with an access that is."""
    notes: tuple[tuple[int, str], ...]
    """Lines of the source with what was assumed there."""
    used: frozenset[str]
    """What of the user's assumptions was needed: ``loop@LINE``, ``branch@LINE``."""


def write_classes(
    writer: TraceWriter,
    program: StaticProgram,
    launch: StaticLaunch,
    number: int,
    classes: list[StaticClass],
) -> StaticSummary:
    """Write the classes of a launch."""
    tables = writer.add_tables(program.tables)
    radices = program.geometry.places.radices
    writer.begin(describe(program.plan, program.kernel, launch, tables, number, radices))
    for each in classes:
        writer.add_class(each.found, each.words)
    return StaticSummary(
        len(classes),
        sum(c.found.warps for c in classes),
        writer.end(),
        sum(c.found.warps * c.assumed_segments for c in classes),
        sum(c.found.warps * c.assumed_accesses for c in classes),
        sum(c.found.warps * c.assumed_events for c in classes),
        tuple(sorted({note for c in classes for note in c.notes})),
        frozenset(each for c in classes for each in c.used),
    )
