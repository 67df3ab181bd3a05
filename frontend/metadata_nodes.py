"""Nodes of metadata in the text of a module: where they stand in the source, and their numbers."""

from __future__ import annotations

import re

Place = tuple[int, int]
"""Line and column."""

_LOCATION = re.compile(
    r"^(!\d+) = (?:distinct )?!DILocation\(line: (\d+), column: (\d+)", re.MULTILINE
)
_NUMBER = re.compile(r"^!(\d+) = ", re.MULTILINE)


def places_of(text: str) -> dict[str, Place]:
    """The places of nodes that are locations, by node (``!7``)."""
    return {m[1]: (int(m[2]), int(m[3])) for m in _LOCATION.finditer(text)}


def free_number(text: str) -> int:
    """The first that no node has, nor any after it."""
    return 1 + max((int(m[1]) for m in _NUMBER.finditer(text)), default=0)
