"""What the user says of control flow that a kernel's source does not tell: ``--assume``.

``loop@LINE=N``: the body of the loop whose keyword stands in that line runs N times whenever the
loop is entered. ``branch@LINE=P``: the branch in that line goes its true way (a switch: to its
first case) in that share of its executions. An assumption is used only where the analysis cannot
tell; everything that rests on it is marked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import NoReturn

from kcc.base.diagnostics import Diagnostic, DiagnosticError, Span
from kcc.base.records import dataclass

MAX_TRIPS = 2**40
"""No published limit: a loop of so many iterations takes an hour on any GPU."""

_FORM = re.compile(r"\s*(?P<what>\w+)\s*@\s*(?P<line>\w+)\s*=\s*(?P<value>\S+)\s*")

_HINT = "write loop@LINE=COUNT or branch@LINE=SHARE"


@dataclass(frozen=True, slots=True)
class Assumptions:
    """``loops``: body executions per entry, by line; ``branches``: shares from 0 to 1, by line.
    ``places`` is where each was given, by ``loop@LINE`` or ``branch@LINE``.
    """

    loops: Mapping[int, int] = field(default_factory=dict[int, int])
    branches: Mapping[int, float] = field(default_factory=dict[int, float])
    places: Mapping[str, Span] = field(default_factory=dict[str, Span], compare=False)


def parse_assumptions(texts: Iterable[tuple[str, Span]]) -> Assumptions:
    """The assumptions of several options, each with its place.

    :raises DiagnosticError: K820 for a text of another form, K821 for a value that cannot be,
        K822 for two assumptions of one thing.
    """
    loops, branches, places = dict[int, int](), dict[int, float](), dict[str, Span]()
    for text, at in texts:
        what, line, value = _split(text, at)
        key = f"{what}@{line}"
        if key in places:
            _fail("K822", f"{key} is assumed twice", at)
        places[key] = at
        if what == "loop":
            loops[line] = _trips(value, at)
        else:
            branches[line] = _share(value, at)
    return Assumptions(loops, branches, places)


def _split(text: str, at: Span) -> tuple[str, int, str]:
    found = _FORM.fullmatch(text)
    if found is None:
        _fail("K820", f"{text[:40]!r} is no assumption", at, _HINT)
    if found["what"] not in ("loop", "branch"):
        _fail("K820", f"nothing can be assumed of '{found['what']}'", at, _HINT)
    line = found["line"]
    if not (line.isascii() and line.isdigit() and 0 < int(line[:10]) < 10**9 and len(line) < 10):
        _fail("K820", f"'{line[:40]}' is not the number of a line", at, _HINT)
    return found["what"], int(line), found["value"]


def _trips(text: str, at: Span) -> int:
    whole = text.isascii() and text.isdigit() and len(text) < 20
    if not whole or int(text) > MAX_TRIPS:
        _fail("K821", f"'{text[:40]}' is not how often a loop can run", at)
    return int(text)


def _share(text: str, at: Span) -> float:
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        _fail("K821", f"'{text[:40]}' is not a share from 0 to 1", at)
    return share


def _fail(code: str, message: str, at: Span, hint: str | None = None) -> NoReturn:
    raise DiagnosticError([Diagnostic(code, message, at, hint=hint)])
