"""Natural loops, how they nest, and cycles that are none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kcc.base.records import dataclass
from kcc.frontend.ir.instructions import Branch, CondBranch, DebugLocation, LoopMark, Switch
from kcc.frontend.ir.model import Function
from kcc.frontend.kernel import Kernel
from kcc.passes.facts import Facts
from kcc.passes.graph.control_flow import ControlFlow, first_location
from kcc.passes.graph.dominance import Dominators
from kcc.passes.graph.graphs import loop_body, strong_components


@dataclass(frozen=True, slots=True)
class Loop:
    """A natural loop: all cycles through ``header``, which dominates ``blocks``.

    ``id`` counts each loop before those in it, siblings in block order. ``depth`` is 1 for a loop
    in no other, ``parent`` and ``children`` are ids. ``latches`` branch to the
    header; ``exiting`` are the blocks with a way out, ``exits`` the blocks outside they lead to.
    All blocks are ascending. ``location`` is that of the loop's keyword in the source where the
    front end left it, else the best guess (``is_keyword`` tells); None if nothing is known.
    """

    id: int
    header: int
    blocks: tuple[int, ...]
    latches: tuple[int, ...]
    exiting: tuple[int, ...]
    exits: tuple[int, ...]
    depth: int
    parent: int | None
    children: tuple[int, ...]
    location: DebugLocation | None
    is_keyword: bool
    unroll: int | None
    """As :attr:`kcc.frontend.ir.instructions.LoopMark.unroll`."""

    @property
    def line(self) -> int | None:
        return self.location.line if self.location else None


@dataclass(frozen=True, slots=True)
class IrreducibleRegion:
    """Blocks on cycles that control can enter at several of them (``entries``)."""

    blocks: tuple[int, ...]
    entries: tuple[int, ...]
    location: DebugLocation | None


@dataclass(frozen=True, slots=True)
class Loops:
    """``innermost[b]`` is the id of the innermost loop around block b, None outside loops."""

    loops: tuple[Loop, ...]
    irreducible: tuple[IrreducibleRegion, ...]
    innermost: tuple[int | None, ...]

    def depth(self, block: int) -> int:
        """The number of loops around a block."""
        loop = self.innermost[block]
        return 0 if loop is None else self.loops[loop].depth

    def around(self, block: int) -> Iterator[Loop]:
        """The loops around a block, innermost first."""
        loop = self.innermost[block]
        while loop is not None:
            yield self.loops[loop]
            loop = self.loops[loop].parent

    def is_back_edge(self, source: int, target: int) -> bool:
        """Whether an edge leads from inside a loop to its header."""
        return any(loop.header == target for loop in self.around(source))


@dataclass(frozen=True, slots=True)
class LoopsPass:
    """Gives :class:`Loops`."""

    name: str = "loops"
    requires: tuple[type, ...] = (ControlFlow, Dominators)

    def run(self, kernel: Kernel, facts: Facts) -> Loops:
        function, flow = kernel.function, facts[ControlFlow]
        shapes = _shapes(function, flow, facts[Dominators])
        parents = [_parent(shapes, number) for number in range(len(shapes))]
        loops = list[Loop]()
        for number, shape in enumerate(shapes):
            parent = parents[number]
            family = _Family(
                parent,
                1 if parent is None else loops[parent].depth + 1,
                tuple(n for n, above in enumerate(parents) if above == number),
            )
            loops.append(_loop(function, number, shape, family))
        innermost = tuple(_innermost(loops, block) for block in range(len(function.blocks)))
        return Loops(tuple(loops), _irreducible(function, flow, shapes), innermost)


@dataclass(frozen=True, slots=True)
class _Shape:
    header: int
    latches: tuple[int, ...]
    body: frozenset[int]


@dataclass(frozen=True, slots=True)
class _Family:
    parent: int | None
    depth: int
    children: tuple[int, ...]


def _shapes(function: Function, flow: ControlFlow, dominators: Dominators) -> list[_Shape]:
    """The natural loops, one per header, each before those in it, siblings in block order."""
    shapes = list[_Shape]()
    before = [block.predecessors for block in function.blocks]
    for header in flow.order:
        sources = function.blocks[header].predecessors
        latches = tuple(p for p in sources if dominators.dominates(header, p))
        if latches:
            body = loop_body(before, header, latches, flow.reachable)
            shapes.append(_Shape(header, latches, frozenset(body)))
    return sorted(shapes, key=lambda shape: _headers_around(shapes, shape))


def _headers_around(shapes: Sequence[_Shape], shape: _Shape) -> list[int]:
    """The headers of the loops around a loop from the outermost to its own."""
    around = [other for other in shapes if shape.header in other.body]
    return [o.header for o in sorted(around, key=lambda o: -len(o.body))]


def _parent(shapes: Sequence[_Shape], number: int) -> int | None:
    """The smallest other loop that contains a loop."""
    header = shapes[number].header
    around = [n for n, shape in enumerate(shapes) if n != number and header in shape.body]
    return min(around, key=lambda n: len(shapes[n].body), default=None)


def _loop(function: Function, number: int, shape: _Shape, family: _Family) -> Loop:
    blocks = tuple(sorted(shape.body))
    out = [(b, t) for b in blocks for t in function.blocks[b].successors if t not in shape.body]
    marks = [mark for latch in shape.latches if (mark := _mark(function, latch))]
    keyword = next((mark.start for mark in marks if mark.start), None)
    return Loop(
        id=number,
        header=shape.header,
        blocks=blocks,
        latches=shape.latches,
        exiting=tuple(dict.fromkeys(source for source, _ in out)),
        exits=tuple(sorted({target for _, target in out})),
        depth=family.depth,
        parent=family.parent,
        children=family.children,
        location=keyword or _guess(function, shape),
        is_keyword=keyword is not None,
        unroll=next((mark.unroll for mark in marks if mark.unroll is not None), None),
    )


def _mark(function: Function, latch: int) -> LoopMark | None:
    end = function.blocks[latch].terminator
    return end.loop if isinstance(end, Branch | CondBranch | Switch) else None


def _guess(function: Function, shape: _Shape) -> DebugLocation | None:
    """The first place among the header's beginning and the branches of header and latches."""
    places = [function.blocks[b].terminator.location for b in (shape.header, *shape.latches)]
    places.append(first_location(function.blocks[shape.header]))
    known = [place for place in places if place]
    same = [place for place in known if place.function == known[0].function]
    return min(same, key=lambda place: (place.line, place.column), default=None)


def _innermost(loops: Sequence[Loop], block: int) -> int | None:
    around = [loop for loop in loops if block in loop.blocks]
    return max(around, key=lambda loop: loop.depth).id if around else None


def _irreducible(
    function: Function, flow: ControlFlow, shapes: Sequence[_Shape]
) -> tuple[IrreducibleRegion, ...]:
    """The cycles that stay when the back edges of all natural loops are taken away."""
    back = {(latch, shape.header) for shape in shapes for latch in shape.latches}
    rows = [
        [t for t in block.successors if (block.index, t) not in back] for block in function.blocks
    ]
    regions = [set(c) for c in strong_components(rows, flow.order) if len(c) > 1]
    return tuple(_region(function, flow, blocks) for blocks in sorted(regions, key=min))


def _region(function: Function, flow: ControlFlow, blocks: set[int]) -> IrreducibleRegion:
    entries = [
        block
        for block in sorted(blocks)
        if any(p in flow.reachable - blocks for p in function.blocks[block].predecessors)
    ]
    places = [place for b in entries if (place := flow.locations[b])]
    first = min(places, key=lambda place: (place.line, place.column), default=None)
    return IrreducibleRegion(tuple(sorted(blocks)), tuple(entries), first)
