"""What two miniatures of different sizes say of their original.

A miniature executes in full what comes before and after its loops, and begins and ends on a GPU
as its original does: it fills, caches warm, the slowest thread block is waited for. The fewer trips
are left, the more of IPC that is (Yu et al., IEEE TC 2015, figure 17). A second miniature that is
reduced less has the same of all that and more trips; so cycles are taken to grow along a line
through both, which is followed as far as the instructions of the miniature without reduction: those
of the original, and what drives it.
"""

from __future__ import annotations

from dataclasses import replace

from kcc.synth.comparison.behaviour import Simulated


def followed(small: Simulated, large: Simulated, steps: float) -> Simulated:
    """What an original is expected to take that is ``steps`` times as far from the small miniature
    as the large one, in warp instructions; simulated instructions and time are those of both. Where
    cycles do not rise, the GPU has room for more: the original takes what the large one does."""
    return replace(
        large,
        cycles=max(small.cycles + (large.cycles - small.cycles) * steps, large.cycles),
        issued=small.issued + (large.issued - small.issued) * steps,
        auxiliary=small.auxiliary + (large.auxiliary - small.auxiliary) * steps,
        instructions=small.instructions + large.instructions,
        cpu_seconds=small.cpu_seconds + large.cpu_seconds,
        start_seconds=small.start_seconds + large.start_seconds,
    )


def steps_to(whole: float, small: float, large: float) -> float:
    """How many times as far from ``small`` as ``large`` ``whole`` is; 1 where both are the same."""
    return (whole - small) / (large - small) if large > small else 1.0
