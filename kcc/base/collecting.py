"""How often this process looks for garbage, and what it does with memory that is free."""

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


LARGEST_MAPPED = (32 << 20) - (64 << 10)
"""Just under 32 MiB, the largest block from which the C library learns (see below)."""


def keep_freed_memory() -> None:
    """Let this process keep up to 64 MiB that are free, for the next arrays. Else each array of a
    megabyte goes back to the system at once, and the next one's pages come from there one by one:
    half of the page faults of an analysis. That a block which was mapped is freed makes glibc take
    smaller ones from its heap from then on, and give back what is twice as large (mallopt(3),
    M_MMAP_THRESHOLD); elsewhere it does nothing. The block's own pages are never touched."""
    bytes(LARGEST_MAPPED)
