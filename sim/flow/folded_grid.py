"""Grids whose first dimension is two in truth: `i = (pos / stride) * 4 * stride + pos % stride`.

Where an address goes on with the number of the thread block by one step within a period and by
another one from period to period, the thread blocks are those of a grid with a dimension more: that
of a period, and that of the periods. Their order is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kcc.sim.caches.streams import Stream

Grid = tuple[int, int, int]


def period_of(offset: Callable[[int], int | None], extent: int) -> tuple[int, int] | None:
    """The period (a power of two) of thread blocks below ``extent``, and the step from period to
    period; None where ``offset``, of a thread block from the first one, is not of that kind."""
    step, period = offset(1), 2
    while step is not None and period < extent:
        far = offset(period)
        if far is not None and far != period * step:
            places = {period + 1, 2 * period, extent // 2, extent - period, extent - 1}
            if all(
                offset(place) == place % period * step + place // period * far
                for place in places
                if place < extent
            ):
                return period, far
            return None
        period *= 2
    return None


def folded(streams: Sequence[Stream], grid: Grid) -> tuple[tuple[Stream, ...], Grid]:
    """The streams with steps for a grid with the dimension of their period, and that grid; as they
    are where they have none, or not all the same."""
    periods = {stream.period[0] for stream in streams if stream.period}
    x, y, z = grid
    if len(periods) != 1 or z > 1 or x % min(periods):
        return tuple(streams), grid
    (period,) = periods
    return tuple(_with(stream, period) for stream in streams), (period, x // period, y)


def _with(stream: Stream, period: int) -> Stream:
    step, second, _ = stream.groups
    far = stream.period[1] if stream.period else period * step
    return replace(stream, groups=(step, far, second))
