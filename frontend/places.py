"""Gives instructions back the place in the source that optimisation took from them.

LLVM drops the location of what it moves to another block, so that a debugger does not jump about.
For the question what a line costs the original place is the right one, and the names of values,
which do survive, lead to it. What comes from inlined functions, and what has no name, is left as
it is.
"""

from __future__ import annotations

import re
from dataclasses import field

from kcc.base.records import dataclass

_HEADER = re.compile(r"^define .*@([\w.$]+)\(.*!dbg (!\d+)")
_NAMED = re.compile(r"^  %([A-Za-z][\w$]*)((?:\.[\w$]+)*) = (?:tail )?([a-z]+) ")
_PLACE = re.compile(r", !dbg (!\d+)")
_ATTACHMENT = re.compile(r", ![a-z]\S* !\d+")
"""LLVM prints the location before all others."""
_LOCATION = re.compile(r"^(!\d+) = !DILocation\(line: (\d+), (?:column: (\d+), )?scope: (!\d+)\)$")
_NODE = re.compile(r"^!(\d+) = ")
_INLINED = re.compile(r"\.i\d*(?:\.|$)")

Place = tuple[int, int]
"""Line and column."""


@dataclass(slots=True)
class _Function:
    """Places of a function's named instructions: by name, with the opcode."""

    scope: str
    places: dict[str, tuple[str, Place]] = field(default_factory=dict[str, tuple[str, Place]])


def restore_places(before: str, after: str) -> str:
    """``after``, which is ``before`` optimised, with the places that can be found again."""
    functions = _known_places(before)
    locations = _locations(after)
    nowhere = {node for node, (_, place) in locations.items() if not place[0]}
    lines = after.split("\n")
    made = dict[tuple[str, Place], str]()
    free = 1 + max((int(m[1]) for line in lines if (m := _NODE.match(line))), default=-1)
    current: _Function | None = None
    scope = ""
    for number, line in enumerate(lines):
        if line.startswith("define "):
            header = _HEADER.match(line)
            current, scope = (functions.get(header[1]), header[2]) if header else (None, "")
            continue
        if current is None or not line.startswith("  %"):
            continue
        written = _PLACE.search(line)
        if written and written[1] not in nowhere:
            continue
        place = _original(current, line)
        if place is None:
            continue
        node = made.setdefault((scope, place), f"!{free + len(made)}")
        bare = _PLACE.sub("", line) if written else line
        attached = _ATTACHMENT.search(bare)
        end = attached.start() if attached else len(bare)
        lines[number] = f"{bare[:end]}, !dbg {node}{bare[end:]}"
    nodes = [
        f"{node} = !DILocation(line: {place[0]}, column: {place[1]}, scope: {scope})"
        for (scope, place), node in made.items()
    ]
    return "\n".join([*lines, *nodes, ""]) if nodes else after


def _original(function: _Function, line: str) -> Place | None:
    """The place of the instruction that this one is, or is a copy of.

    LLVM appends ``.1`` or ``.epil`` to copies of unrolled loops, and digits to other copies: a
    name that can be read as a copy of two instructions is not read.
    """
    match = _NAMED.match(line)
    if match is None or _INLINED.search(match[2]):
        return None
    name, opcode = match[1], match[3]
    longest = len(name)
    shortest = len(name.rstrip("0123456789")) + 1
    names = [name[:n] for n in range(min(shortest, longest), longest + 1)]
    found = [function.places[n][1] for n in names if function.places.get(n, ("",))[0] == opcode]
    if function.places.get(name, ("",))[0] == opcode:
        return found[-1]
    return found[0] if len(found) == 1 else None


def _known_places(text: str) -> dict[str, _Function]:
    locations = _locations(text)
    functions = dict[str, _Function]()
    current: _Function | None = None
    for line in text.split("\n"):
        if line.startswith("define "):
            header = _HEADER.match(line)
            current = _Function(header[2]) if header else None
            if header and current:
                functions[header[1]] = current
        elif current is not None and (match := _NAMED.match(line)) and not match[2]:
            written = _PLACE.search(line)
            scope, place = locations.get(written[1], ("", (0, 0))) if written else ("", (0, 0))
            if scope == current.scope and place[0]:
                current.places[match[1]] = (match[3], place)
    return functions


def _locations(text: str) -> dict[str, tuple[str, Place]]:
    """Scope and place of each location that is not one of inlined code."""
    found = (_LOCATION.match(line) for line in text.split("\n") if line.startswith("!"))
    return {m[1]: (m[4], (int(m[2]), int(m[3] or 0))) for m in found if m}
