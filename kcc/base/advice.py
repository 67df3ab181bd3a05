"""Advice: what would make a kernel faster, by how much, and whether that was analysed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

ADVICE: Mapping[str, str] = {
    "grid-too-small": "The launch has too few thread blocks for the GPU",
    "block-size": "Thread blocks of another size are faster",
    "tail": "The last wave of thread blocks fills little of the GPU",
    "imbalance": "Thread blocks differ in their work",
    "long-warp": "One warp runs longer than all others",
    "partial-warps": "Thread blocks end in a warp that is not full",
    "inactive-lanes": "Warps run with few active lanes",
    "launch-overhead": "The launch takes a large part of the time",
    "occupancy": "Registers or shared memory limit the occupancy",
    "uncoalesced": "Accesses take more sectors per request than the ideal",
    "load-store": "Loads and stores of values that registers could keep take the load/store unit",
    "bank-conflict": "Requests to shared memory have bank conflicts",
    "private-memory": "Arrays of a thread lie in memory",
    "spill": "Registers are spilled",
    "arithmetic-intensity": "There are few operations for each byte of DRAM traffic",
    "memory-latency": "Warps wait for memory that is not busy",
    "barrier": "Warps wait for others of their thread block",
    "atomic-contention": "Atomic operations for one address are serialised",
    "divergent-barrier": "Not all threads of a block may reach a barrier",
    "fp64": "Double-precision operations run at a low rate",
    "division": "Divisions and mathematical functions are routines of several instructions",
    "control-flow": "Control flow is not that of natural loops",
    "unknown": "Something of the kernel is not known",
}
"""What each code of advice stands for."""


@dataclass(frozen=True, slots=True)
class Advice:
    """``line`` (0: none) of the kernel's file; ``gain_us`` what the change saves, None where that
    is not known. ``verified``: the changed kernel, launch or machine was analysed; else the gain
    is what the mechanism costs in all, the most that a change can save."""

    code: str
    line: int
    text: str
    gain_us: float | None = None
    verified: bool = False

    def __post_init__(self) -> None:
        if self.code not in ADVICE:
            raise ValueError(f"advice {self.code} has no row in the table")


def ranked(found: list[Advice]) -> tuple[Advice, ...]:
    """Those that gain most first; what has no gain after."""
    return tuple(sorted(found, key=lambda each: -(each.gain_us or 0.0)))


def without_work(sms: int) -> str:
    """So many SMs have nothing to do."""
    return f"{sms} SM has no work" if sms == 1 else f"{sms} SMs have no work"
