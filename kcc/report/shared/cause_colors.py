"""The colour of each cause of a stall, one for all charts, whatever a model calls the cause."""

from __future__ import annotations

_COLORS = (
    ("#4f9d69", "issued", "BASE", "issue"),
    ("#c9ccd1", "launch", "LAUNCH"),
    ("#e0b7c9", "block_start"),
    ("#a3a8b0", "idle", "IDLE"),
    ("#7a6bbd", "barrier", "BARRIER"),
    ("#c79a2e", "dependence", "DEP", "arithmetic"),
    ("#9aa03a", "unit busy", "UNIT", "unit_busy"),
    ("#b0569c", "local memory", "shared_memory"),
    ("#8a5a83", "load/store unit", "LSU", "memory_port"),
    ("#8a7a4a", "constant cache", "constant"),
    ("#9cc3e6", "L1", "l1"),
    ("#4c84c4", "L2", "l2"),
    ("#24558f", "DRAM", "dram"),
    ("#c2484d", "atomic"),
    ("#d0743c", "memory queue", "QUEUE"),
    ("#a65f3b", "MSHR"),
    ("#5aa6b5", "fence"),
    ("#6f7f2a", "register banks", "register_banks"),
    ("#c77fa6", "fetch", "FETCH"),
)  # fmt: skip
"""A colour, then the names of its cause: in the cycle-level model, in the interval model, in the
models of `kcc estimate`; a model that lacks the cause has no name for it."""

CAUSE_COLORS = {name: color for color, *names in _COLORS for name in names}
"""By any of the names."""


def cause_color(name: str) -> str:
    """Of a cause by any of its names; black for one that no model has, as of an old document."""
    return CAUSE_COLORS.get(name, "#000000")
