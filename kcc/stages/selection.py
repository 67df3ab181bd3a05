"""Reads ``kcc/selection/1``: which thread blocks of which launches to simulate."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

from kcc.base.diagnostics import Diagnostic, DiagnosticError
from kcc.base.records import dataclass
from kcc.base.trace.rows import RowError, from_json

SCHEMA = "kcc/selection/1"


@dataclass(frozen=True, slots=True)
class SelectedRange:
    """Thread blocks ``first`` to ``end`` (excluded)."""

    first: int
    end: int


@dataclass(frozen=True, slots=True)
class SelectedLaunch:
    """The launch of this number; its grid had ``thread_blocks``. ``ranges`` ascend."""

    launch: int
    kernel: str
    thread_blocks: int
    ranges: tuple[SelectedRange, ...]

    @property
    def selected_blocks(self) -> int:
        return sum(own.end - own.first for own in self.ranges)


@dataclass(frozen=True, slots=True)
class _Document:
    schema: str
    method: str
    launches: tuple[SelectedLaunch, ...]


def read_selection(path: Path) -> tuple[SelectedLaunch, ...]:
    """The launches of a selection, in order, each with a range at least. What SimProf adds to it
    (phases, a weight for each range) is optional, so that what earlier versions wrote is read as
    well. Raises K001 and K966."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no text"
        raise DiagnosticError([Diagnostic("K001", f"cannot read '{path}': {reason}")]) from None
    try:
        found = from_json(_Document, json.loads(text))
    except RowError as error:
        raise _wrong(path, str(error)) from None
    except (ValueError, RecursionError):
        raise _wrong(path, "it is damaged, or something else") from None
    if found.schema != SCHEMA:
        raise _wrong(path, f"its schema is '{found.schema}', not '{SCHEMA}'")
    launches = sorted((one for one in found.launches if one.ranges), key=lambda one: one.launch)
    if not launches:
        raise _wrong(path, "it names no launch; of recordings of programs there is none to cut")
    if any(a.launch == b.launch for a, b in pairwise(launches)):
        raise _wrong(path, "a launch is there twice")
    for one in launches:
        edges = [edge for own in one.ranges for edge in (own.first, own.end)]
        in_order = all(a <= b for a, b in pairwise(edges)) and all(
            own.first < own.end for own in one.ranges
        )
        if not in_order or edges[0] < 0 or edges[-1] > one.thread_blocks:
            raise _wrong(path, f"the ranges of launch {one.launch} are not in order, or beyond it")
    return tuple(launches)


def _wrong(path: Path, reason: str) -> DiagnosticError:
    hint = "`kcc simulate --sample ... --selection FILE` writes one"
    return DiagnosticError(
        [Diagnostic("K966", f"'{path}' is not a selection: {reason}", hint=hint)]
    )
