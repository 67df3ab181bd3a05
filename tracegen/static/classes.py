"""All warps of a launch, in classes of equal ones.

A warp is walked; the limits that its walk has put down say which others do the same. Then one that
is not among these is walked, until none is left: the work grows with the number of classes, not
with that of warps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

import numpy as np

from kcc.base.diagnostics import Diagnostic, DiagnosticError
from kcc.base.records import dataclass
from kcc.base.trace.classes import ClassWords, WarpClass
from kcc.tracegen.static.dealing import Dealer
from kcc.tracegen.static.program import StaticProgram
from kcc.tracegen.static.record import Recorder
from kcc.tracegen.static.regions import Box, Limits, Place
from kcc.tracegen.static.warp_tracer import WarpTracer

MAX_CLASSES = 2_000
MAX_BOXES = 20_000
"""A launch that needs more has warps that all do something else: a smaller one shows it as well.
Every class costs at least a millisecond."""

MAX_EVENTS = 4_000_000
"""Segments of all classes together: some hundred MiB of memory, about a minute of time."""


@dataclass(frozen=True, slots=True)
class StaticClass:
    """A class with its words, and the segments and accesses of one warp that are assumed."""

    found: WarpClass
    words: Sequence[ClassWords]
    assumed_segments: int
    assumed_accesses: int
    assumed_events: int
    """Segments that are assumed, or with an access that is."""
    notes: Sequence[tuple[int, str]]
    """Lines of the source with what was assumed there."""
    used: frozenset[str]
    """What of the user's assumptions was needed: ``loop@LINE``, ``branch@LINE``."""


@dataclass(slots=True)
class _Draft:
    """A class that warps are still added to."""

    at: Place
    limits: Limits
    record: Recorder
    notes: Sequence[tuple[int, str]]
    used: frozenset[str]
    boxes: list[Box] = field(default_factory=list[Box])


def find_classes(program: StaticProgram) -> list[StaticClass]:
    """The classes of all warps of a launch; raises :class:`DiagnosticError` K851 for a warp that
    executes too much, K852 for too many classes.
    """
    return [_finished(program, draft) for draft in _Search(program).run()]


class _Search:
    def __init__(self, program: StaticProgram) -> None:
        self.program = program
        self._dealer = Dealer()
        self.drafts = list[_Draft]()
        self.boxes = self.events = 0

    def run(self) -> list[_Draft]:
        """Walk warps until all are in a class."""
        for group in self.program.geometry.groups():
            known, pending = list[_Draft](), group[::-1]
            while pending:
                whole = pending.pop()
                at = whole.low
                draft = next((d for d in known if d.limits.admit(at)), None)
                if draft is None:
                    draft = self._trace(at)
                    known.append(draft)
                inner = draft.limits.clip(whole, at)
                draft.boxes.append(inner)
                self._count()
                pending += whole.without(inner)
        return self.drafts

    def _count(self) -> None:
        self.boxes += 1
        if len(self.drafts) > MAX_CLASSES or self.boxes > MAX_BOXES or self.events > MAX_EVENTS:
            name = self.program.kernel.name
            message = f"nearly every warp of '{name}' does something else in this launch"
            hint = "trace a smaller launch: fewer work-items, or smaller --arg or --size"
            raise DiagnosticError([Diagnostic("K852", message, hint=hint)])

    def _trace(self, at: Place) -> _Draft:
        tracer = WarpTracer(self.program, at, Limits(at), self._dealer)
        tracer.run()
        tracer.record.finish(*self.program.geometry.number(at))
        self.events += tracer.record.segments
        notes, used = tuple(tracer.decider.notes), frozenset(tracer.decider.used)
        draft = _Draft(at, tracer.limits, tracer.record, notes, used)
        self.drafts.append(draft)
        return draft


def _finished(program: StaticProgram, draft: _Draft) -> StaticClass:
    record = draft.record
    thread_block, warp = program.geometry.number(draft.at)
    boxes = np.ones((len(draft.boxes), program.geometry.count, 3), np.int64)
    for number, box in enumerate(draft.boxes):
        boxes[number, :, 0] = box.low
        boxes[number, :, 1] = np.array(box.high) - np.array(box.low) + 1
    shifts = record.shifts()
    if not len(shifts):
        shifts = program.growths.none
    rows = record.rows_by_access()
    segments, accesses = record.assumed
    return StaticClass(
        WarpClass(
            thread_block=thread_block,
            warp=warp,
            boxes=boxes,
            shifts=shifts,
            rows=rows,
            segments=record.segments,
            accesses=record.accesses,
            warp_instructions=record.warp_instructions,
            thread_instructions=record.thread_instructions,
        ),
        record.words(by_access=rows is not None),
        segments,
        accesses,
        record.assumed_events,
        draft.notes,
        draft.used,
    )
