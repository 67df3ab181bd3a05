"""What of the values of a kernel grows from warp to warp."""

from __future__ import annotations

import numpy as np

from kcc.frontend.ir.opcodes import IntPredicate, Opcode
from kcc.passes.symbolic.affine import depends_on
from kcc.passes.symbolic.build import SymbolicValues
from kcc.passes.symbolic.expr import (
    Final,
    First,
    Loaded,
    Node,
    Number,
    Operation,
    Recurrence,
    Total,
    operands_of,
)
from kcc.passes.symbolic.lanes import Key
from kcc.tracegen.static.geometry import Geometry
from kcc.tracegen.static.limits import Ints

DIVISIONS = frozenset({Opcode.UDIV, Opcode.SDIV, Opcode.LSHR, Opcode.ASHR})
REMAINDERS = frozenset({Opcode.UREM, Opcode.SREM})
EXTREMES = {"smin": "slt", "smax": "sgt", "umin": "ult", "umax": "ugt"}
"""The comparison that holds where the first of two values is it."""


class Growths:
    """What of the values of a kernel grows, for one launch; shared by all warps."""

    def __init__(self, values: SymbolicValues, geometry: Geometry) -> None:
        self.values, self.geometry = values, geometry
        self.none: Ints = np.zeros((1, geometry.count), np.int64)
        self._moving: dict[Node, bool] = {}
        self._symbols = {key: np.array([row]) for key, row in geometry.growth.items()}
        self._parts: dict[Node, list[Node]] = {}

    def of_symbol(self, kind_and_index: Key) -> Ints:
        """The growth of a symbol."""
        return self._symbols.get(kind_and_index, self.none)

    def moves(self, node: Node) -> bool:
        """Whether a node may differ between warps."""
        found = self._moving.get(node)
        if found is None:
            keys = depends_on(self.values, node)
            found = self._moving[node] = any(bool(self.of_symbol(k).any()) for k in keys)
        return found

    def parts(self, node: Node) -> list[Node]:
        """The nodes a node is computed from that may differ between warps, operands first; not
        those inside of loops.
        """
        found = self._parts.get(node)
        if found is None:
            seen, pending = set[Node](), [node]
            while pending:
                each = pending.pop()
                if each not in seen and self.moves(each):
                    seen.add(each)
                    pending += zero_test(each) or self.operands(each)
            found = self._parts[node] = self._ordered(seen)
        return found

    def _ordered(self, nodes: set[Node]) -> list[Node]:
        """Operands first. Ids ascend, but for the variables of loops."""
        done, found = set[Node](), list[Node]()
        for root in sorted(nodes, key=lambda each: each.id):
            pending = [(root, False)]
            while pending:
                each, ready = pending.pop()
                if ready:
                    found.append(each)
                elif each not in done and each in nodes:
                    done.add(each)
                    pending.append((each, True))
                    pending += [(o, False) for o in zero_test(each) or self.operands(each)]
        return found

    def operands(self, node: Node) -> tuple[Node, ...]:
        """What a node is computed from; of what is found by going through a loop, that which the
        loop does not change.
        """
        match node:
            case First(loop=loop) | Final(loop=loop) | Total(loop=loop) | Recurrence(loop=loop):
                return self._unchanged(node, loop)
            case _:
                return plain_operands(node)

    def _unchanged(self, node: Node, loop: int) -> tuple[Node, ...]:
        inside, seen = {loop}, dict[Node, bool]()
        pending = self._inner(node)
        while pending:
            each = pending.pop()
            if each in seen:
                continue
            seen[each] = not (self.values.varying(each) & inside)
            if not seen[each]:
                if isinstance(each, First | Final | Total | Recurrence):
                    inside.add(each.loop)
                pending += self._inner(each)
        return tuple(each for each, unchanged in seen.items() if unchanged)

    def _inner(self, node: Node) -> list[Node]:
        if isinstance(node, Recurrence):
            variable = self.values.variable(node)
            return [variable.start, variable.step]
        return list(operands_of(node))


def plain_operands(node: Node) -> tuple[Node, ...]:
    """What a node is computed from, without going through loops."""
    return () if isinstance(node, Loaded | First | Final | Total) else operands_of(node)


def zero_test(node: Node) -> tuple[Node, ...]:
    """Of a comparison of `or`-ed numbers with 0, the numbers; of others nothing."""
    match node:
        case Operation(
            operator=Opcode.ICMP,
            detail=IntPredicate.EQ | IntPredicate.NE,
            operands=(Operation(operator=Opcode.OR) as both, Number(value=0)),
        ):
            found, pending = list[Node](), [*both.operands]
            while pending:
                each = pending.pop()
                if isinstance(each, Operation) and each.operator is Opcode.OR:
                    pending += each.operands
                else:
                    found.append(each)
            return tuple(found)
        case _:
            return ()
