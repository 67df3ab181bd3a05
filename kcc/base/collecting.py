"""How often Python looks for garbage."""

from __future__ import annotations

import gc

OBJECTS, YOUNG, OLD = 200_000, 20, 100
"""New objects before the young are looked at, and how often they are before the older ones: of
modules, graphs and expressions nearly all live as long as the analysis, and little is in cycles.
With Python's own 700, 10 and 10 a twentieth to a fifth of the time of an estimate went there."""


def collect_seldom() -> None:
    """Let this process look for garbage seldom from now on, unless it is told to do so even less.
    It stays so: whoever goes back to more has all that there is looked through at once."""
    if 0 < gc.get_threshold()[0] < OBJECTS:
        gc.set_threshold(OBJECTS, YOUNG, OLD)
