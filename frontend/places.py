"""Gives instructions back the place in the source that optimisation took from them.

LLVM drops the location of what it moves to another block, so that a debugger does not jump about.
For the question what a line costs the original place is the right one, and the names of values,
which do survive, lead to it. What comes from inlined functions, and what has no name, is left as
it is.

The discriminator of a place is the line of PTX that an instruction was read from
(:mod:`kcc.frontend.ptx.reading.module`): lost and found in the same way, and apart from the place,
since instructions of several lines have one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import field
from functools import cached_property
from typing import NamedTuple, TypeVar

from kcc.base.records import dataclass

_HEADER = re.compile(r"^define .*@([\w.$]+)\(.*!dbg (!\d+)")
_NAMED = re.compile(r"^  %([A-Za-z][\w$]*)((?:\.[\w$]+)*) = (?:tail )?([a-z]+) ")
_PLACE = re.compile(r", !dbg (!\d+)")
_ATTACHMENT = re.compile(r", ![a-z]\S* !\d+")
"""LLVM prints the location before all others."""
_NODE = re.compile(r"^!(\d+) = ")
_LOCATION = re.compile(r"(!\d+) = !DILocation\(line: (\d+), (?:column: (\d+), )?scope: (!\d+)\)$")
_BLOCK = re.compile(
    r"(!\d+) = !DILexicalBlockFile\(scope: (!\d+), file: (!\d+), discriminator: ([1-9]\d*)\)"
)
_FILE = re.compile(r"(!\d+) = [^\n]*?\bfile: (!\d+)")
_INLINED = re.compile(r"\.i\d*(?:\.|$)")

Place = tuple[int, int]
"""Line and column."""

T = TypeVar("T")


class _Located(NamedTuple):
    """A place within a scope, and the discriminator of its block in it, 0 for none."""

    scope: str
    place: Place
    row: int


_NOWHERE = _Located("", (0, 0), 0)


@dataclass(slots=True)
class _Function:
    """Places and discriminators of a function's named instructions: by name, with the opcode."""

    scope: str
    places: dict[str, tuple[str, Place]] = field(default_factory=dict[str, tuple[str, Place]])
    rows: dict[str, tuple[str, int]] = field(default_factory=dict[str, tuple[str, int]])


def restore_places(before: str, after: str) -> str:
    """``after``, which is ``before`` optimised, with the places that can be found again."""
    functions = _known_places(before)
    lines = after.split("\n")
    locations = _locations(lines)
    made = _Nodes(lines)
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
        own = locations.get(written[1]) if written else _Located(scope, (0, 0), 0)
        if own is None:
            continue
        place = None if own.place[0] else _original(current.places, line)
        row = None if own.row or not current.rows else _original(current.rows, line)
        if place is None and row is None:
            continue
        node = made.location(
            _Located(own.scope if place is None else scope, place or own.place, row or own.row)
        )
        bare = _PLACE.sub("", line) if written else line
        attached = _ATTACHMENT.search(bare)
        end = attached.start() if attached else len(bare)
        lines[number] = f"{bare[:end]}, !dbg {node}{bare[end:]}"
    return "\n".join([*lines, *made.nodes, ""]) if made.nodes else after


class _Nodes:
    """The nodes that are added to a module, of which ``lines`` are those it has."""

    def __init__(self, lines: list[str]) -> None:
        self.nodes = list[str]()
        self._lines = lines
        self._made = dict[_Located, str]()

    @cached_property
    def _free(self) -> int:
        return 1 + max((int(m[1]) for line in self._lines if (m := _NODE.match(line))), default=-1)

    @cached_property
    def _files(self) -> Mapping[str, str]:
        """By scope, its file."""
        return {m[1]: m[2] for line in self._lines if (m := _FILE.match(line))}

    def location(self, wanted: _Located) -> str:
        """The node of a place."""
        if wanted not in self._made:
            scope, place = wanted.scope, wanted.place
            if wanted.row:
                scope = self._add(
                    f"!DILexicalBlockFile(scope: {scope}, file: {self._files[scope]}, "
                    f"discriminator: {wanted.row})"
                )
            text = f"!DILocation(line: {place[0]}, column: {place[1]}, scope: {scope})"
            self._made[wanted] = self._add(text)
        return self._made[wanted]

    def _add(self, text: str) -> str:
        node = f"!{self._free + len(self.nodes)}"
        self.nodes.append(f"{node} = {text}")
        return node


def _original(known: Mapping[str, tuple[str, T]], line: str) -> T | None:
    """What is known of the instruction that this one is, or is a copy of.

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
    found = [own[1] for n in names if (own := known.get(n)) is not None and own[0] == opcode]
    exact = known.get(name)
    if exact is not None and exact[0] == opcode:
        return exact[1]
    return found[0] if len(found) == 1 else None


def _known_places(text: str) -> dict[str, _Function]:
    lines = text.split("\n")
    locations = _locations(lines)
    functions = dict[str, _Function]()
    current: _Function | None = None
    for line in lines:
        if line.startswith("define "):
            header = _HEADER.match(line)
            current = _Function(header[2]) if header else None
            if header and current:
                functions[header[1]] = current
        elif current is not None and (match := _NAMED.match(line)) and not match[2]:
            written = _PLACE.search(line)
            own = locations.get(written[1], _NOWHERE) if written else _NOWHERE
            if own.scope == current.scope and own.place[0]:
                current.places[match[1]] = (match[3], own.place)
            if own.row:
                current.rows[match[1]] = (match[3], own.row)
    return functions


def _locations(lines: Iterable[str]) -> dict[str, _Located]:
    """Each location that is not one of inlined code."""
    nodes = [line for line in lines if line.startswith("!")]
    blocks = {m[1]: (m[2], int(m[4])) for line in nodes if (m := _BLOCK.match(line))}
    found = dict[str, _Located]()
    for line in nodes:
        if match := _LOCATION.match(line):
            scope, row = blocks.get(match[4], (match[4], 0))
            found[match[1]] = _Located(scope, (int(match[2]), int(match[3] or 0)), row)
    return found
