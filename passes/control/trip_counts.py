"""Trip counts: how often the body of each loop runs.

Wang et al. ("A Hybrid Framework for Fast and Accurate GPU Performance Estimation through
Source-Level Analysis and Trace-Based Simulation", section III-A.2) find bounds in stages:
constant loops, scalar evolution, tracing the variable of the loop's true exit through a binary
operation, a load or a phi, and (end - start) / step. Here the stages are the forms of
:class:`TripStage`, exact ones throughout; further, with a launch, everything that depends on ids
and arguments alone is computed for every work-item.

The body of a loop runs once for each execution of its header, those left out in which the loop
ends in the header itself, before the rest of the body (where the header is not also a latch).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from enum import Enum
from typing import TYPE_CHECKING

from kcc.base.records import dataclass
from kcc.frontend.kernel import Kernel
from kcc.passes.facts import Facts
from kcc.passes.graph.control_flow import ControlFlow
from kcc.passes.graph.dominance import Dominators
from kcc.passes.graph.loops import Loops
from kcc.passes.symbolic.affine import depends_on
from kcc.passes.symbolic.build import SymbolicValues
from kcc.passes.symbolic.counts import entry_total
from kcc.passes.symbolic.expr import NEVER, Expr, First, Fold, Node, Number, Recurrence
from kcc.passes.symbolic.ranges import Known, is_given
from kcc.passes.symbolic.reasons import computed_reason, everything, reason_for
from kcc.passes.symbolic.text import text

if TYPE_CHECKING:
    from kcc.passes.symbolic.summary import Summary


class TripKind(Enum):
    """What is known of a trip count (docs/explanation/analysis.md)."""

    EXACT = "exact"
    SYMBOLIC = "symbolic"
    BOUND = "bound"
    ASSUMED = "assumed"
    UNKNOWN = "unknown"


class TripStage(Enum):
    """How a trip count was found."""

    CONSTANT = "constant"
    EVOLUTION = "scalar evolution"
    """A closed form of the variable of the loop's exit, solved for the exit."""
    SEARCH = "search"
    """Closed forms of the variables, the exit searched among their values."""
    SIMULATION = "simulation"
    """Variables without a closed form, computed iteration by iteration."""
    ASSUMPTION = "assumption"
    NONE = "none"


UNLIMITED = 1 << 53
"""A limit as high as this says nothing (and is no exact number in JSON)."""


@dataclass(frozen=True, slots=True)
class TripCount:
    """The trip count of loop ``loop``.

    ``least`` and ``greatest`` are body executions per entry of the loop, over all entries by all
    work-items; ``total_least`` and ``total_greatest`` body executions of one work-item over all
    its entries, over all work-items; ``total_mean`` their mean over the work-items, ``open_mean``
    that mean if each work-item came to the loop wherever memory decides whether it does. None is
    not known. ``EXACT``: the count of every entry is known; all of these are exact, but where there
    is a ``reason``: then it says why it is open how often control comes to the loop, least and
    greatest are over all entries that may be, and the totals are bounds; or that the launch is so
    large that the mean is taken over a sample. ``SYMBOLIC``: ``count``
    and ``total`` say what they are for any launch. ``BOUND``: all are bounds.

    ``count`` (per entry, in terms of the counters of loops around) and ``total`` are i64 nodes of
    ``facts[SymbolicValues]``; ``text`` is ``count`` in the words of the source. ``reason`` says
    what keeps a count from being known; empty where all is.
    """

    loop: int
    kind: TripKind
    stage: TripStage
    least: int | None = None
    greatest: int | None = None
    total_least: int | None = None
    total_greatest: int | None = None
    total_mean: float | None = None
    open_mean: float | None = None
    count: Expr | None = None
    total: Expr | None = None
    text: str = ""
    reason: str = ""

    @property
    def every_total(self) -> int | None:
        """The total where it is the same for all work-items."""
        return self.total_least if self.total_least == self.total_greatest else None


@dataclass(frozen=True, slots=True)
class TripCounts:
    """By id of the loop."""

    trips: tuple[TripCount, ...]


@dataclass(frozen=True, slots=True)
class SymbolicValuesPass:
    """Gives :class:`SymbolicValues`; ``known`` is the launch, ``assumed`` body executions per
    entry of loops, by line, that are taken where they cannot be found.
    """

    known: Known = field(default_factory=Known)
    assumed: Mapping[int, int] = field(default_factory=dict[int, int])
    name: str = "symbolic values"
    requires: tuple[type, ...] = (ControlFlow, Dominators, Loops)

    def run(self, kernel: Kernel, facts: Facts) -> SymbolicValues:
        return SymbolicValues(kernel, facts, self.known, self.assumed)


@dataclass(frozen=True, slots=True)
class TripCountsPass:
    """Gives :class:`TripCounts`."""

    name: str = "trip counts"
    requires: tuple[type, ...] = (Loops, SymbolicValues)

    def run(self, kernel: Kernel, facts: Facts) -> TripCounts:  # noqa: ARG002 -- in the values
        values = facts[SymbolicValues]
        return TripCounts(tuple(trip_count(values, loop.id) for loop in facts[Loops].loops))


def trip_count(values: SymbolicValues, loop: int) -> TripCount:
    """The trip count of one loop."""
    count = values.body_count(loop)
    stage = _stage(values, loop, count)
    exact = _exact(values, loop, count, stage)
    if exact is not None:
        return exact
    reason = reason_for(values, count)
    if not reason:
        return _counted(values, loop, count, stage)
    bound = values.upper_bound(loop)
    if bound is not None:
        found = _bounded(values, loop, bound, reason)
        if found is not None:
            return found
    return TripCount(
        loop, TripKind.UNKNOWN, TripStage.NONE, count=count, text=text(values, count), reason=reason
    )


def _stage(values: SymbolicValues, loop: int, count: Node) -> TripStage:
    if loop in values.assumed_loops:
        return TripStage.ASSUMPTION
    if isinstance(count, Number):
        return TripStage.CONSTANT
    inside = everything(values, count)
    if any(isinstance(each, Recurrence) for each in inside):
        return TripStage.SIMULATION
    if any(isinstance(each, First) for each in inside):
        return TripStage.SEARCH
    return TripStage.EVOLUTION


def _exact(values: SymbolicValues, loop: int, count: Expr, stage: TripStage) -> TripCount | None:
    """Everything about the loop as numbers; None if something is not known."""
    _expect(values, [entry_total(values, loop, count, fold) for fold in Fold])
    found = [_over_launch(values, loop, count, fold) for fold in Fold]
    total, least, greatest = found
    if total is None or least is None or greatest is None:
        return None
    most = max(greatest.greatest, 0)
    if isinstance(count, Number):  # of each entry, whatever is not known of how many there are
        most = min(most, max(count.value, 0))
    kind = TripKind.ASSUMED if stage is TripStage.ASSUMPTION else TripKind.EXACT
    sampled = total.sampled or least.sampled or greatest.sampled
    reason = "the mean is that of a sample of the work-items" if sampled else ""
    if not (total.tight and least.tight and greatest.tight):
        kind, reason = TripKind.BOUND, "the launch is too large to compute every work-item"
    return TripCount(
        loop,
        kind,
        stage,
        least=max(min(least.least, most), 0),
        greatest=most if most < UNLIMITED else None,
        total_least=max(total.least, 0),
        total_greatest=total.greatest if total.greatest < UNLIMITED else None,
        total_mean=total.mean,
        count=count,
        total=entry_total(values, loop, count),
        text=text(values, count),
        reason=reason,
    )


def _is_given(values: SymbolicValues, node: Node) -> bool:
    """Whether the launch gives all that a node depends on (but for memory)."""
    known = values.algebra.known
    return all(is_given(kind, index, known) for kind, index in depends_on(values, node))


def _expect(values: SymbolicValues, nodes: Sequence[Expr | None]) -> None:
    """Loops that several of them need are then simulated once."""
    from kcc.passes.symbolic.summary import evaluator_for

    asked = [node for node in nodes if node is not None and not isinstance(node, Number)]
    if asked and all(_is_given(values, node) for node in asked):
        evaluator_for(values, asked)


def _over_launch(
    values: SymbolicValues, loop: int, count: Expr, fold: Fold, *, open_gates: bool = False
) -> Summary | None:
    from kcc.passes.symbolic.summary import Summary, summary

    total = entry_total(values, loop, count, fold, open_gates=open_gates)
    if isinstance(total, Number):
        return Summary(total.value, total.value, total.value, sampled=False)
    if total is None or not _is_given(values, total):
        return None
    found = summary(values, total)
    return found if isinstance(found, Summary) else None


def _counted(values: SymbolicValues, loop: int, count: Expr, stage: TripStage) -> TripCount:
    """A count that does not depend on memory itself: per entry it is exact or symbolic, but how
    often the loop is entered may be open.
    """
    total = entry_total(values, loop, count)
    assert total is not None
    shown = text(values, count)
    least = _over_launch(values, loop, count, Fold.LEAST, open_gates=True)
    greatest = _over_launch(values, loop, count, Fold.GREATEST, open_gates=True)
    most = _over_launch(values, loop, count, Fold.SUM, open_gates=True)
    if least is None or greatest is None:
        least = greatest = _by_itself(values, count)
    reason = reason_for(values, total)
    kind = TripKind.ASSUMED if stage is TripStage.ASSUMPTION else TripKind.EXACT
    launched = values.algebra.known.launched
    if not reason:
        reason = "how often it is entered depends on the launch"
    if isinstance(count, Number) or (least is not None and greatest is not None):
        low = count.value if isinstance(count, Number) else least.least if least else 0
        high = count.value if isinstance(count, Number) else greatest.greatest if greatest else 0
        if low != high and kind is TripKind.EXACT:
            kind = TripKind.EXACT if launched else TripKind.SYMBOLIC
        return TripCount(
            loop, kind, stage, least=low if low < NEVER else 0, greatest=max(high, 0),
            total_least=0, total_greatest=None if most is None else most.greatest,
            open_mean=None if most is None else most.mean,
            count=count, total=total, text=shown, reason=reason,
        )  # fmt: skip
    if stage is not TripStage.SIMULATION and not launched:
        return TripCount(loop, TripKind.SYMBOLIC, stage, count=count, total=total, text=shown,
                         reason=reason_for(values, total))  # fmt: skip
    reason = reason_for(values, total)
    why = reason or _why_not(values, count)
    return TripCount(loop, TripKind.UNKNOWN, TripStage.NONE, count=count, total=total, text=shown,
                     reason=why)  # fmt: skip


def _by_itself(values: SymbolicValues, count: Node) -> Summary | None:
    """A count over all work-items, whether they come to the loop or not; None if it is not known,
    or not the same in all iterations around.
    """
    from kcc.passes.symbolic.summary import Summary, summary

    found = summary(values, count) if _is_given(values, count) else None
    return found if isinstance(found, Summary) and found.tight else None


def _why_not(values: SymbolicValues, count: Node) -> str:
    """Why a count without a cause in memory is not known."""
    from kcc.passes.symbolic.summary import Unsettled, summary

    if not (values.algebra.known.launched and _is_given(values, count)):
        return computed_reason(values, count)
    found = summary(values, count)
    if isinstance(found, Unsettled) and found.exhausted:
        return "takes too many iterations to compute"
    return "the loop does not end, or divides by zero, in some work-item"


def _bounded(values: SymbolicValues, loop: int, bound: Expr, reason: str) -> TripCount | None:
    """An upper bound from the ways out that do not depend on memory."""
    greatest = _over_launch(values, loop, bound, Fold.GREATEST, open_gates=True)
    most = _over_launch(values, loop, bound, Fold.SUM, open_gates=True)
    simulated = any(isinstance(each, Recurrence) for each in everything(values, bound))
    if greatest is None and (values.algebra.known.launched or simulated):
        return None
    return TripCount(
        loop,
        TripKind.BOUND,
        _stage(values, loop, bound),
        least=0,
        greatest=None if greatest is None else max(greatest.greatest, 0),
        total_least=0,
        total_greatest=None if most is None else most.greatest,
        open_mean=None if most is None else most.mean,
        count=bound,
        text=text(values, bound),
        reason=reason,
    )
