"""Under which conditions control comes to a block: gates for values, guards for counts."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from kcc.frontend.ir.instructions import CondBranch, Switch
from kcc.frontend.ir.model import Function
from kcc.frontend.ir.opcodes import IntPredicate
from kcc.frontend.ir.types import I1, IntTy
from kcc.frontend.ir.values import Value
from kcc.passes.graph.loops import Loops
from kcc.passes.symbolic.algebra import Algebra
from kcc.passes.symbolic.expr import Expr, Node
from kcc.passes.symbolic.regions import Level, Regions, Way

MAX_WAYS = 48
"""Ways into a block whose conditions are still put together."""

MAX_ADDED = 4000
"""Nodes that the conditions of one block may add; a block with more is not followed."""


class Paths:
    """Path conditions of one kernel: nodes of type i1.

    Conditions are relative to the beginning of the iteration (of the innermost loop around), or of
    the kernel. ``value`` gives the node of an operand at a block; ``leave`` the value of a node in
    a loop's last iteration.
    """

    def __init__(
        self,
        algebra: Algebra,
        function: Function,
        loops: Loops,
        regions: Regions,
        value: Callable[[Value, int], Expr],
        leave: Callable[[int, Node], Expr],
    ) -> None:
        self._algebra, self._function, self._loops = algebra, function, loops
        self._regions, self._value, self._leave = regions, value, leave
        self._found: dict[tuple[Level, int, int, bool], Expr] = {}

    def forget(self, blocks: Iterable[int]) -> None:
        """Conditions within blocks, whose values are found anew."""
        gone = set(blocks)
        self._found = {key: node for key, node in self._found.items() if key[2] not in gone}

    def condition(self, block: int, *, staying: bool = False) -> Expr:
        """Whether the block is executed in an iteration of the innermost loop around it.

        ``staying``: in an iteration that no way leads out of.
        """
        level = self._regions.level_of(block)
        return self.between(self._regions[level].root, block, level, staying=staying)

    def entered(self, loop: int, *, staying: bool = False) -> Expr:
        """Whether a loop is entered in an iteration of the loop around it."""
        level = self._loops.loops[loop].parent
        header = self._loops.loops[loop].header
        return self.between(self._regions[level].root, header, level, staying=staying)

    def between(self, above: int, node: int, level: Level, *, staying: bool = False) -> Expr:
        """Whether control that is at node ``above`` of a level comes to ``node``, which it
        dominates.
        """
        pending = list[int]()  # from the node up to the first whose condition is known
        while node != above and (level, above, node, staying) not in self._found:
            pending.append(node)
            if node in self._regions.irreducible:
                break
            node = self._regions.dominator(node, level)
        found = self._found.get((level, above, node, staying)) or self._algebra.true()
        while pending:
            node = pending.pop()
            found = self._found[level, above, node, staying] = self._between(
                above, node, level, staying
            )
        return found

    def _between(self, above: int, node: int, level: Level, staying: bool) -> Expr:
        if node in self._regions.irreducible:
            return self._opaque(node, "the control flow is irreducible")
        algebra, region = self._algebra, self._regions[level]
        nearest = self._regions.dominator(node, level)
        tree = region.stays if staying else region.after
        always = tree.reaches(node) and tree.dominates(node, nearest)
        if nearest != above:
            outer = self.between(above, nearest, level, staying=staying)
            if always:
                return outer
            inner = self.between(nearest, node, level, staying=staying)
            return algebra.conjunction([outer, inner])
        if always:
            return algebra.true()
        ways = region.entering[node]
        if len(ways) > MAX_WAYS:
            return self._opaque(node, "too many ways lead here")
        size = algebra.size
        parts = [self.taken(way, above, level, staying=staying) for way in ways]
        if algebra.size - size > MAX_ADDED:
            return self._opaque(node, "the conditions that lead here are too long")
        return algebra.disjunction(parts)

    def _opaque(self, node: int, reason: str) -> Expr:
        index = self._function.blocks[node].instructions[0].index
        return self._algebra.opaque(I1, index, -1, reason)

    def taken(self, way: Way, above: int, level: Level, *, staying: bool = False) -> Expr:
        """Whether control that is at ``above`` goes a way."""
        came = self.between(above, way.node, level, staying=staying)
        return self._algebra.conjunction([came, self.chosen(way, level, staying=staying)])

    def chosen(self, way: Way, level: Level, *, staying: bool = False) -> Expr:
        """Whether control that is at the way's node of a level goes this way.

        ``staying``: if it goes none out of the loop.
        """
        algebra = self._algebra
        inner = self._regions.level_of(way.source)
        if inner == level:
            others = self._function.blocks[way.source].successors
            if staying:
                inside = [t for t in others if self._regions.node(t, level) is not None]
                if inside == [way.target]:
                    return algebra.true()
            return self.edge(way.source, way.target)
        # Out of a loop inside this level (and perhaps out of loops inside that one).
        child = self._loop_at(way.node)
        region = self._regions[child]
        ways = region.leaving
        if staying:
            ways = [w for w in ways if self._regions.node(w.target, level) is not None]
        if len(ways) == 1:
            return algebra.true()
        own = next(w for w in region.leaving if (w.source, w.target) == (way.source, way.target))
        return self._leave(child, self.taken(own, region.root, child))

    def _loop_at(self, header: int) -> int:
        return next(loop.id for loop in self._loops.loops if loop.header == header)

    def edge(self, source: int, target: int) -> Expr:
        """Whether the end of a block leads to another one."""
        algebra, end = self._algebra, self._function.blocks[source].terminator
        match end:
            case CondBranch():
                if end.then == end.otherwise:
                    return algebra.true()
                condition = self._value(end.condition, source)
                return condition if target == end.then else algebra.negation(condition)
            case Switch():
                value = self._value(end.value, source)
                assert isinstance(value.type, IntTy)
                if target == end.default:
                    others = [
                        algebra.compare(IntPredicate.NE, value, algebra.number(case, value.type))
                        for case, to in end.cases
                        if to != target
                    ]
                    return algebra.conjunction(others)
                return algebra.disjunction(
                    algebra.compare(IntPredicate.EQ, value, algebra.number(case, value.type))
                    for case, to in end.cases
                    if to == target
                )
            case _:
                return algebra.true()
