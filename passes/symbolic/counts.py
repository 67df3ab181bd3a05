"""How often things happen, as symbolic values: executions over the iterations of loops around."""

from __future__ import annotations

from kcc.frontend.ir.opcodes import IntPredicate
from kcc.frontend.ir.types import I64
from kcc.passes.symbolic.affine import depends_on
from kcc.passes.symbolic.build import SymbolicValues
from kcc.passes.symbolic.closing import is_counter, linear_in
from kcc.passes.symbolic.expr import Expr, Fold, Node
from kcc.passes.symbolic.ranges import is_given
from kcc.passes.symbolic.reasons import reason_for


def entry_total(
    values: SymbolicValues,
    loop: int,
    count: Node,
    fold: Fold = Fold.SUM,
    *,
    open_gates: bool = False,
) -> Expr | None:
    """``count``, a number per entry of a loop, put together over all its entries by one
    work-item: an i64, :attr:`Fold.nothing` where the loop is never entered.

    ``open_gates``: where only a run, or a launch that is not given, shows whether control comes to
    a loop, take that it does; and where the same holds of how often a loop around runs, leave it
    out. None if that cannot be left out.
    """
    total, inner = count, loop
    nothing = values.algebra.number(fold.nothing)

    def gate(condition: Expr, value: Node) -> Expr:
        if open_gates and _is_open(values, condition):
            return value  # type: ignore[return-value]
        return values.algebra.select(condition, value, nothing)

    while True:
        around = values.loops.loops[inner].parent
        if around is None:
            return gate(values.paths.entered(inner), total)
        ends = values.back_edges(around)
        inside = gate(values.paths.entered(inner, staying=True), total)
        comes_last = _may_come_last(values, around, values.loops.loops[inner].header)
        if open_gates and _is_open(values, ends):
            if values.varies(inside, around):
                return None
            bound = values.upper_bound(around)
            if fold is Fold.SUM:
                if bound is None:
                    return None
                total = values.algebra.multiply(bound, inside)
            else:
                total = inside
            inner = around
            continue
        whole = over_iterations(values, around, ends, inside, fold)
        if comes_last:
            last = values.final(around, gate(values.paths.entered(inner), total))
            whole = _together(values, whole, last, fold)
        total, inner = whole, around


def _is_open(values: SymbolicValues, node: Node) -> bool:
    known = values.algebra.known
    given = all(is_given(kind, index, known) for kind, index in depends_on(values, node))
    return not given or bool(reason_for(values, node))


def block_total(values: SymbolicValues, block: int) -> Expr:
    """How often one work-item executes a block (i64)."""
    staying = values.paths.condition(block, staying=True)
    return _gated_total(values, block, staying, values.paths.condition(block))


def edge_total(values: SymbolicValues, source: int, target: int) -> Expr:
    """How often control goes from one block to another (i64)."""
    algebra, paths = values.algebra, values.paths
    level = values.regions.level_of(source)
    chosen = paths.edge(source, target)
    last = algebra.conjunction([paths.condition(source), chosen])
    inside = [
        to
        for to in values.function.blocks[source].successors
        if values.regions.node(to, level) is not None
    ]
    if target not in inside:
        staying: Expr = algebra.false()
    elif len(inside) == 1:
        staying = paths.condition(source, staying=True)
    else:
        staying = algebra.conjunction([paths.condition(source, staying=True), chosen])
    return _gated_total(values, source, staying, last)


def _gated_total(values: SymbolicValues, block: int, staying: Expr, last: Expr) -> Expr:
    """How often something holds at a block: in iterations that stay in the loop, and in the one
    that leaves it.
    """
    algebra, level = values.algebra, values.regions.level_of(block)
    one, none = algebra.number(1), algebra.number(0)
    if level is None:
        return algebra.select(last, one, none)
    inside = algebra.select(staying, one, none)
    count = over_iterations(values, level, values.back_edges(level), inside, Fold.SUM)
    if _may_come_last(values, level, block):
        final = values.final(level, algebra.select(last, one, none))
        count = algebra.add(count, final)
    total = entry_total(values, level, count)
    assert total is not None
    return total


def over_iterations(
    values: SymbolicValues, loop: int, count: Node, value: Node, fold: Fold
) -> Expr:
    """``value`` put together over the first ``count`` iterations of one entry of a loop."""
    algebra = values.algebra
    nothing = algebra.number(fold.nothing)
    if value is nothing:
        return nothing
    if not values.varies(value, loop):
        if fold is Fold.SUM:
            return algebra.multiply(count, value)
        some = algebra.operation("smax", I64, [algebra.number(0), count])
        return algebra.select(algebra.negation(_is_zero(values, some)), value, nothing)
    if fold is Fold.SUM:
        parts = linear_in(
            algebra, value, lambda n: is_counter(n, loop), lambda n: values.varies(n, loop)
        )
        if parts is not None:
            pairs = algebra.operation("choose2", I64, [count])
            return algebra.add(algebra.multiply(parts[1], count), algebra.multiply(parts[0], pairs))
    return algebra.total(loop, count, value, fold)


def _is_zero(values: SymbolicValues, node: Node) -> Expr:
    return values.algebra.compare(IntPredicate.EQ, node, values.algebra.number(0))


def _together(values: SymbolicValues, first: Node, second: Node, fold: Fold) -> Expr:
    match fold:
        case Fold.SUM:
            return values.algebra.add(first, second)
        case Fold.LEAST:
            return values.algebra.operation("smin", I64, [first, second])
        case Fold.GREATEST:
            return values.algebra.operation("smax", I64, [first, second])


def _may_come_last(values: SymbolicValues, loop: int, node: int) -> bool:
    """Whether control may come to a node of a loop's level in the iteration in which it leaves."""
    region = values.regions[loop]
    ends = {way.node for way in region.leaving}
    reached = {node}
    for other in region.order:
        if any(way.node in reached for way in region.entering[other]):
            reached.add(other)
    return bool(reached & ends)
