"""How a terminal report looks."""

from __future__ import annotations

from kcc.base.records import dataclass


@dataclass(frozen=True, slots=True)
class Style:
    """``width`` in columns; ``colored``: escape codes are welcome; ``unicode``: lines and bars
    may be drawn with characters outside ASCII.
    """

    width: int = 100
    colored: bool = False
    unicode: bool = True
