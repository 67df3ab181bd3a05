"""How often Python looks for garbage."""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager

OBJECTS, YOUNG, OLD = 200_000, 20, 100
"""New objects before the young are looked at, and how often they are before the older ones: of
modules, graphs and expressions nearly all live as long as the analysis, and little is in cycles.
With Python's own 700, 10 and 10 a twentieth to a fifth of the time of an estimate went there."""


@contextmanager
def seldom_collected() -> Generator[None]:
    """Let Python look for garbage seldom, as long as many objects are made that live on."""
    before = gc.get_threshold()
    gc.set_threshold(OBJECTS, YOUNG, OLD)
    try:
        yield
    finally:
        gc.set_threshold(*before)
