"""What is asked of the activity of many blocks of a kernel, each part of it computed once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from kcc.passes.access.activity import Activity
from kcc.passes.access.warp_addresses import Warps
from kcc.passes.symbolic.build import SymbolicValues
from kcc.passes.symbolic.expr import Expr

T = TypeVar("T")


class ActivityShares(Generic[T]):
    """``asked`` of each activity, such as
    :meth:`kcc.passes.access.warp_addresses.Warps.shares_taking`. Blocks have conditions in common,
    and parts of them: the values of work-items are computed once."""

    def __init__(self, values: SymbolicValues, asked: Callable[[Warps, Expr], T]) -> None:
        self.values, self.asked = values, asked
        self._warps: dict[frozenset[tuple[int, int]], Warps] = {}
        self._found: dict[tuple[Expr, frozenset[tuple[int, int]]], T] = {}

    def of(self, active: Activity) -> T:
        """What it says of one."""
        counts = frozenset(active.counts.items())
        key = active.condition, counts
        if key not in self._found:
            if counts not in self._warps:
                self._warps[counts] = Warps(self.values, active.counts)
            self._found[key] = self.asked(self._warps[counts], active.condition)
        return self._found[key]
