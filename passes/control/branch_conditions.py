"""What branches depend on, and which work-items take which side.

Wang et al. (section III-A.3) follow a branch's condition back to a kernel argument, a temporary
(an id of the work-item or a loop's counter), or a load from memory. So does this, and where no
load is among them it says which work-items go which way, and how often.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from enum import Enum
from typing import TYPE_CHECKING

from kcc.base.records import dataclass
from kcc.frontend.ir.instructions import CondBranch
from kcc.frontend.ir.types import FloatTy
from kcc.frontend.kernel import Kernel
from kcc.passes.facts import Facts
from kcc.passes.graph.branch_sense import true_way
from kcc.passes.graph.branches import Branches, BranchPoint
from kcc.passes.symbolic.affine import depends_on
from kcc.passes.symbolic.build import SymbolicValues
from kcc.passes.symbolic.counts import edge_total
from kcc.passes.symbolic.expr import (
    ID_KINDS,
    Expr,
    Loaded,
    Node,
    Number,
    Opaque,
    Recurrence,
    Symbol,
    SymbolKind,
    Table,
)
from kcc.passes.symbolic.reasons import followed, reason_for
from kcc.passes.symbolic.text import text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kcc.passes.symbolic.lanes import Lanes

MAX_RANGES = 4
"""Ranges of ids that a set is described by; one of more is described by its share."""


MAX_ITEMS = 1 << 13
"""Combinations of ids that branches are looked at for; of more, a sample is. There are many
branches in a large kernel, and most of them part a launch at its edges."""


class Terminal(Enum):
    """What a condition depends on in the end."""

    CONSTANT = "constant"
    ARGUMENT = "argument"
    SIZE = "size"
    ID = "id"
    COUNTER = "loop counter"
    VARIABLE = "loop variable"
    """One without a closed form."""
    TABLE = "constant table"
    LOAD = "memory load"
    OTHER = "other"
    """An image, an atomic, a function of a warp: as unknown as a load."""


@dataclass(frozen=True, slots=True)
class Side:
    """One way out of a branch, to block ``target``.

    ``share`` is how many of the branch's executions in the launch go this way, from 0 to 1;
    ``items`` says which work-items ever do, in words: ``all``, ``none``, ``lanes 0..15`` (of every
    warp), ``get_global_id(0) 0..99``, or a share. None and empty where it is not known.
    ``assumed``: the share is the user's. ``sampled``: the share is that of a sample of the
    launch's work-items.
    """

    target: int
    share: float | None
    items: str
    assumed: bool = False
    sampled: bool = False


@dataclass(frozen=True, slots=True)
class BranchCondition:
    """``terminals`` are what the branch with that id depends on; ``floating``: floats take part.
    ``loops`` are those between whose iterations the condition may differ. ``text`` is the
    condition in terms of the launch; ``reason`` says what keeps the sides from being known.
    """

    branch: int
    terminals: frozenset[Terminal]
    floating: bool
    loops: frozenset[int]
    text: str
    sides: tuple[Side, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class BranchConditions:
    """By id of the branch."""

    conditions: tuple[BranchCondition, ...]


@dataclass(frozen=True, slots=True)
class BranchConditionsPass:
    """Gives :class:`BranchConditions`. ``assumed`` maps lines to the share of executions in which
    a branch there, if it cannot be decided, goes the way that the source calls true.
    """

    assumed: Mapping[int, float] = field(default_factory=dict[int, float])
    name: str = "branch conditions"
    requires: tuple[type, ...] = (Branches, SymbolicValues)

    def run(self, kernel: Kernel, facts: Facts) -> BranchConditions:  # noqa: ARG002 -- in the values
        values, branches = facts[SymbolicValues], facts[Branches].branches
        _expect(values, branches)
        return BranchConditions(tuple(_condition(values, b, self.assumed) for b in branches))


def _ways(values: SymbolicValues, branch: BranchPoint) -> list[Expr]:
    """How often one work-item takes each way out, the true one (or the first case) first."""
    targets = values.function.blocks[branch.block].successors
    return [edge_total(values, branch.block, target) for target in targets]


def _expect(values: SymbolicValues, branches: Sequence[BranchPoint]) -> None:
    """Loops that several of them need are then simulated once."""
    if values.algebra.known.launched:
        from kcc.passes.symbolic.summary import evaluator_for

        for branch in branches:
            counts = _ways(values, branch)
            if not any(reason_for(values, count) for count in counts):
                evaluator_for(values, counts, MAX_ITEMS)


def _condition(
    values: SymbolicValues, branch: BranchPoint, assumed: Mapping[int, float]
) -> BranchCondition:
    node = values.scalar(branch.condition, branch.block)
    terminals, floating = terminals_of(values, node)
    sides, reason = _sides(values, branch)
    line = branch.location.line if branch.location else 0
    if line in assumed and any(side.share is None for side in sides):
        sides = _assumed(sides, _true_way(values, branch), assumed[line])
    elif any(side.share is None for side in sides):
        sides = _of_assumed_loop(values, branch, sides)
    return BranchCondition(
        branch=branch.id,
        terminals=terminals,
        floating=floating,
        loops=values.varying(node),
        text=text(values, node),
        sides=sides,
        reason=reason,
    )


def _true_way(values: SymbolicValues, branch: BranchPoint) -> int:
    """The way out that the source calls true; of a switch the first case."""
    end = values.function.blocks[branch.block].terminator
    return true_way(values.function, end) if isinstance(end, CondBranch) else 0


def _assumed(sides: Sequence[Side], true: int, share: float) -> tuple[Side, ...]:
    """The sides with a share for the true one; the others have equal parts of the rest."""
    rest = (1 - share) / max(len(sides) - 1, 1)
    return tuple(
        Side(side.target, share if place == true else rest, "", assumed=True)
        for place, side in enumerate(sides)
    )


def _of_assumed_loop(
    values: SymbolicValues, branch: BranchPoint, sides: tuple[Side, ...]
) -> tuple[Side, ...]:
    """The only exit of a loop whose trips are the user's is taken once in each entry."""
    for loop in sorted(values.assumed_loops):
        shape, ends = values.loops.loops[loop], values.back_edges(loop)
        inside = [place for place, side in enumerate(sides) if side.target in shape.blocks]
        if shape.exiting == (branch.block,) and len(inside) == 1 and isinstance(ends, Number):
            return _assumed(sides, inside[0], ends.value / (ends.value + 1))
    return sides


def terminals_of(values: SymbolicValues, node: Node) -> tuple[frozenset[Terminal], bool]:
    """What a value depends on in the end, and whether floats take part."""
    found, inside = set[Terminal](), followed(values, node)
    if inside is None:
        return frozenset({Terminal.OTHER}), False
    for each in inside:
        match each:
            case Symbol(kind=SymbolKind.ARGUMENT | SymbolKind.POINTER):
                found.add(Terminal.ARGUMENT)
            case Symbol(kind=SymbolKind.COUNTER):
                found.add(Terminal.COUNTER)
            case Symbol(kind=kind) if kind in ID_KINDS:
                found.add(Terminal.ID)
            case Symbol(kind=SymbolKind.GLOBAL | SymbolKind.PRIVATE):
                pass
            case Symbol():
                found.add(Terminal.SIZE)
            case Recurrence():
                found.add(Terminal.VARIABLE)
            case Loaded():
                found.add(Terminal.LOAD)
            case Table():
                found.add(Terminal.TABLE)
            case Opaque():
                found.add(Terminal.OTHER)
            case _:
                pass
    floating = any(isinstance(each.type, FloatTy) for each in inside)
    return frozenset(found) or frozenset({Terminal.CONSTANT}), floating


def _sides(values: SymbolicValues, branch: BranchPoint) -> tuple[tuple[Side, ...], str]:
    """The ways out, the true one (or the first case) first."""
    targets = values.function.blocks[branch.block].successors
    counts = _ways(values, branch)
    unknown = tuple(Side(target, None, "") for target in targets)
    if branch.block in values.regions.irreducible:
        return unknown, "the control flow is irreducible"
    reason = next((why for count in counts if (why := reason_for(values, count))), "")
    if not values.algebra.known.launched:
        return unknown, reason or "depends on the launch"
    found = _over_launch(values, counts)
    if found is None:
        return unknown, reason or "takes too many iterations to compute"
    taken, words = found
    executions = sum(words.lanes.mean(row) for row in taken)
    sides = list[Side]()
    for target, row in zip(targets, taken, strict=True):
        share = words.lanes.mean(row) / executions if executions else None
        items = words.describe(row > 0)
        sides.append(Side(target, share, items, sampled=words.sampled))
    return tuple(sides), "" if executions else "is never executed"


def _over_launch(
    values: SymbolicValues, counts: Sequence[Node]
) -> tuple[list[NDArray[np.int64]], _Items] | None:
    """The counts for every combination of ids they depend on; None if one is not known."""
    from kcc.passes.symbolic.summary import evaluator_for

    found = evaluator_for(values, counts, MAX_ITEMS)
    if found is None:
        return None
    evaluate, lanes, sampled = found
    rows = list["NDArray[np.int64]"]()
    for count in counts:
        data, sure = evaluate.integers(count)
        if not sure.all():
            return None
        rows.append(data)
    ids = {key for count in counts for key in depends_on(values, count) if key[0] in ID_KINDS}
    columns = {key: lanes.symbols[key] for key in ids}
    known = values.algebra.known
    return rows, _Items(columns, known.local_size or (1,), known.warp, sampled, lanes)


@dataclass(frozen=True, slots=True)
class _Items:
    """Describes sets of the rows of a launch: ``columns`` are the ids they depend on."""

    columns: Mapping[tuple[SymbolKind, int | str], NDArray[np.int64]]
    group: tuple[int, ...]
    warp: int
    sampled: bool
    lanes: Lanes

    def describe(self, chosen: NDArray[np.bool_]) -> str:
        """The set of rows for which ``chosen`` is true, in words."""
        if self.sampled:
            return f"about {100 * self.lanes.mean(chosen):.3g} % of the work-items"
        if chosen.all():
            return "all"
        if not chosen.any():
            return "none"
        by_lane = self._lanes(chosen)
        if by_lane:
            return by_lane
        if len(self.columns) == 1:
            ((kind, index), column) = next(iter(self.columns.items()))
            ranges = _ranges(sorted(set(column[chosen].tolist())))
            if len(ranges) <= MAX_RANGES:
                shown = ", ".join(f"{a}..{b}" if b > a else f"{a}" for a, b in ranges)
                return f"{kind.value}({index}) {shown}"
        share = 100 * float(chosen.mean())
        return f"{share:.3g} % of the work-items"

    def _lanes(self, chosen: NDArray[np.bool_]) -> str:
        """The same lanes in every warp, or the same warps in every thread block."""
        keys = set(self.columns)
        if keys != {(SymbolKind.LOCAL_ID, 0)} or any(size > 1 for size in self.group[1:]):
            return ""
        if len(chosen) % self.warp or len(chosen) != self.group[0]:
            return ""
        warps = chosen.reshape(-1, self.warp)
        if (warps == warps[0]).all():
            ranges = _ranges([int(lane) for lane in warps[0].nonzero()[0]])
            word = "lanes"
        elif (warps.all(axis=1) | ~warps.any(axis=1)).all():
            ranges = _ranges([int(warp) for warp in warps[:, 0].nonzero()[0]])
            word = "warps"
        else:
            return ""
        if len(ranges) > MAX_RANGES:
            return ""
        return f"{word} " + ", ".join(f"{a}..{b}" if b > a else f"{a}" for a, b in ranges)


def _ranges(numbers: Sequence[int]) -> list[tuple[int, int]]:
    """Runs of numbers that follow each other."""
    found = list[tuple[int, int]]()
    for number in numbers:
        if found and found[-1][1] == number - 1:
            found[-1] = (found[-1][0], number)
        else:
            found.append((number, number))
    return found
