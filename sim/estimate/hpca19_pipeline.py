"""The warp pipeline of Wang et al. (HPCA 2019, section IV-B, figure 2), as the text has it.

Each active warp of an SM consumes its trace. An operation locks the resource it needs; a warp
that finds it taken waits for its release; a memory access waits before and after the time in which
it holds its resource. A timer goes from one notification to the next.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence

from kcc.base.records import dataclass


@dataclass(frozen=True, slots=True)
class Step:
    """An operation of a trace: it holds ``resource`` for ``delay`` cycles, ``before`` and ``after``
    which the warp waits without holding anything. Computation has only a delay."""

    resource: str
    delay: float
    before: float = 0
    after: float = 0


@dataclass(frozen=True, slots=True)
class Barrier:
    """The warps of a work-group wait for each other."""


Steps = Sequence[Step | Barrier]
"""The trace of a warp."""


@dataclass(frozen=True, slots=True)
class Usage:
    """A warp held a resource from ``start`` to ``end``."""

    warp: int
    resource: str
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Round:
    """One round of active work-groups: its cycles and who held what, by time."""

    cycles: float
    usages: tuple[Usage, ...]


def run_round(traces: Sequence[Steps], groups: int, warps: int) -> Round:
    """Run ``groups`` work-groups of ``warps`` warps, each by its trace, group by group. A barrier
    waits for the warps of the group that have not ended. Who asks first for a resource has it
    first; of those that ask at once the warp with the lower number."""
    free = dict[str, float]()
    usages = list[Usage]()
    events: list[tuple[float, int, int, bool]] = [
        (0, warp, 0, False) for warp in range(groups * warps)
    ]
    waiting: list[list[tuple[int, int]]] = [[] for _ in range(groups)]
    left = [warps] * groups
    cycles: float = 0
    while events:
        now, warp, place, asks = heapq.heappop(events)
        group = warp // warps
        if place == len(traces[warp]):
            cycles, left[group] = max(cycles, now), left[group] - 1
            _release(group, now, left, waiting, events)
            continue
        step = traces[warp][place]
        if isinstance(step, Barrier):
            waiting[group].append((warp, place + 1))
            _release(group, now, left, waiting, events)
        elif step.before and not asks:
            heapq.heappush(events, (now + step.before, warp, place, True))
        else:
            end = _hold(step, now, warp, free, usages)
            heapq.heappush(events, (end + step.after, warp, place + 1, False))
    return Round(cycles, tuple(sorted(usages, key=lambda u: (u.start, u.warp))))


def _release(
    group: int, now: float, left: Sequence[int], waiting: Sequence[list[tuple[int, int]]],
    events: list[tuple[float, int, int, bool]],
) -> None:  # fmt: skip
    """Let a group go on once all of its warps that are left wait."""
    if waiting[group] and len(waiting[group]) >= left[group]:
        for warp, place in waiting[group]:
            heapq.heappush(events, (now, warp, place, False))
        waiting[group].clear()


def _hold(
    step: Step, asked: float, warp: int, free: dict[str, float], usages: list[Usage]
) -> float:
    """Take a resource when it is free; gives the time of its release."""
    start = max(asked, free.get(step.resource, 0))
    free[step.resource] = start + step.delay
    usages.append(Usage(warp, step.resource, start, start + step.delay))
    return start + step.delay


def kernel_cycles(
    round_cycles: float, global_size: int, local_size: int, sms: int, active_groups: int
) -> float:
    """Equation 8: the cycles of a round times the work-groups of an SM, over those of a round."""
    return round_cycles * math.ceil(global_size / (local_size * sms)) / active_groups
