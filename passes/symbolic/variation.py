"""Between the iterations of which loops a node may differ."""

from __future__ import annotations

from collections.abc import Callable

from kcc.passes.graph.loops import Loops
from kcc.passes.symbolic.expr import (
    Final,
    First,
    Loaded,
    Node,
    Opaque,
    Recurrence,
    Symbol,
    SymbolKind,
    Total,
    operands_of,
)
from kcc.passes.symbolic.nodes import reachable

NONE_VARY: frozenset[int] = frozenset()


class Variation:
    """Asked of one kernel's nodes. ``block_of`` gives the block of an instruction or phi."""

    def __init__(self, loops: Loops, block_of: Callable[[int], int]) -> None:
        self._loops, self._block_of = loops, block_of
        self._varying: dict[Node, frozenset[int]] = {}

    def __call__(self, node: Node) -> frozenset[int]:
        """The loops between whose iterations a node may differ."""
        found = self._varying.get(node)
        if found is None:
            for each in reachable([node], stop=self._varying):
                if each not in self._varying:
                    self._varying[each] = self._varying_of(each)
            found = self._varying[node]
        return found

    def _varying_of(self, node: Node) -> frozenset[int]:
        inner = NONE_VARY.union(*(self._varying[o] for o in operands_of(node)))
        match node:
            case Symbol(kind=SymbolKind.COUNTER, index=int() as loop):
                return frozenset({loop})
            case Recurrence(loop=loop, phi=phi):
                around = {each.id for each in self._loops.around(self._block_of(phi))}
                return frozenset(around | {loop})
            case Loaded(instruction=index) | Opaque(instruction=index):
                if index < 0:
                    return inner
                around = {each.id for each in self._loops.around(self._block_of(index))}
                return inner | around
            case First(loop=loop, condition=condition):
                return self._varying[condition] - {loop}
            case Final(loop=loop, at=at, value=value):
                return self._varying[at] | (self._varying[value] - {loop})
            case Total(loop=loop, count=count, value=value):
                return self._varying[count] | (self._varying[value] - {loop})
            case _:
                return inner

    def only_counts(self, node: Node, loop: int) -> bool:
        """Whether a node varies in a loop through its counter alone."""
        for each in reachable([node]):
            match each:
                case Recurrence() | Loaded() | Opaque():
                    if loop in self(each):
                        return False
                case _:
                    pass
        return True
