"""Control flow: the blocks of a kernel, the edges between them, what can be reached."""

from __future__ import annotations

from enum import Enum
from typing import assert_never

from kcc.base.records import dataclass
from kcc.frontend.ir.instructions import (
    Branch,
    CondBranch,
    DebugLocation,
    Phi,
    Return,
    Switch,
    Unreachable,
)
from kcc.frontend.ir.model import Block, Function
from kcc.frontend.kernel import Kernel
from kcc.passes.facts import Facts
from kcc.passes.graph.graphs import reverse_postorder


class EdgeKind(Enum):
    """Which way out of a block an edge is."""

    JUMP = "jump"
    TRUE = "true"
    FALSE = "false"
    CASE = "case"
    DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Edge:
    """One way from block ``source`` to block ``target``; ``value`` is that of a case."""

    source: int
    target: int
    kind: EdgeKind
    value: int | None = None


@dataclass(frozen=True, slots=True)
class ControlFlow:
    """How control runs through a kernel.

    ``edges`` stand in the order of the blocks and of their terminators' targets, one per way (two
    cases may lead to one block). ``order`` is the reverse postorder of the blocks that control
    can come to, ``reachable`` the set of them. ``exits`` are the reachable blocks that end the
    kernel. ``locations`` has, per block, where its source begins as far as the compiler says.
    """

    edges: tuple[Edge, ...]
    order: tuple[int, ...]
    reachable: frozenset[int]
    exits: tuple[int, ...]
    locations: tuple[DebugLocation | None, ...]


@dataclass(frozen=True, slots=True)
class ControlFlowPass:
    """Gives :class:`ControlFlow`."""

    name: str = "control flow"
    requires: tuple[type, ...] = ()

    def run(self, kernel: Kernel, facts: Facts) -> ControlFlow:  # noqa: ARG002 -- requires none
        function = kernel.function
        order = reverse_postorder([b.successors for b in function.blocks], 0)
        return ControlFlow(
            edges=tuple(edge for block in function.blocks for edge in edges_out_of(block)),
            order=tuple(order),
            reachable=frozenset(order),
            exits=_exits(function, order),
            locations=tuple(first_location(block) for block in function.blocks),
        )


def edges_out_of(block: Block) -> list[Edge]:
    """The ways out of a block."""
    end, source = block.terminator, block.index
    match end:
        case Branch():
            return [Edge(source, end.target, EdgeKind.JUMP)]
        case CondBranch():
            return [
                Edge(source, end.then, EdgeKind.TRUE),
                Edge(source, end.otherwise, EdgeKind.FALSE),
            ]
        case Switch():
            cases = [Edge(source, target, EdgeKind.CASE, value) for value, target in end.cases]
            return [*cases, Edge(source, end.default, EdgeKind.DEFAULT)]
        case Return() | Unreachable():
            return []
        case _:
            assert_never(end)


def _exits(function: Function, order: list[int]) -> tuple[int, ...]:
    return tuple(sorted(b for b in order if not function.blocks[b].successors))


def first_location(block: Block) -> DebugLocation | None:
    """Where the source of a block begins: the place of its first instruction that has one.

    A phi, whose place the compiler makes up, counts only where nothing else has one.
    """
    places = [i.location for i in block.instructions if i.location and not isinstance(i, Phi)]
    if places:
        return places[0]
    return next((i.location for i in block.instructions if i.location), None)
