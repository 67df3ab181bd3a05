"""What machine code says of the segments of a trace: which of its blocks stand for which.

Each segment of the trace gets a mark in the code: the one of its instructions whose copies say best
how often it was executed. A machine block then stands for as many executions of a segment as it has
copies of the segment's mark.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from kcc.base.records import dataclass
from kcc.base.trace.tables import Segment, TracedAccessTable, TraceTables
from kcc.frontend.ir.model import Function
from kcc.frontend.ir.types import FloatTy, scalar_of
from kcc.frontend.kernel import Kernel
from kcc.frontend.machine_code.graph import MachineGraph
from kcc.frontend.machine_code.model import MachineCode, MachineInstruction, Space
from kcc.frontend.machine_code.numbering import Numbers
from kcc.sim.program.compiled.lowering import (
    FLOAT_CODE,
    FLOATS,
    LIKELY,
    SURE,
    WEAK,
    is_atomic,
    is_barrier,
    lanes_of,
)

_EXTENSIONS = frozenset(
    {"zext", "sext", "trunc", "fpext", "fptrunc", "bitcast", "extractelement"}
)  # fmt: skip
_SPACES = {
    Space.GLOBAL: ("global", "generic", "constant"),
    Space.SHARED: ("local",),
    Space.LOCAL: ("private",),
    Space.CONSTANT: ("constant", "global", "private"),
    Space.TEXTURE: ("global",),
}
"""Where the accesses of a trace may go that a machine instruction makes; a struct by value is
private to a trace and read from constant memory."""


@dataclass(frozen=True, slots=True)
class Need:
    """A machine block stands for ``count`` executions of a segment; ``guarded``: under a predicate,
    for fewer where no lane has it true."""

    segment: int
    count: int
    guarded: bool


@dataclass(frozen=True, slots=True, eq=False)
class Marks:
    """``weights[s]`` is how much executions of segment s are to be believed, 0 where it has no
    mark; ``needs[m]`` are those of machine block m. ``index`` and ``access`` are the instruction
    of the IR and the access of the trace that each machine instruction makes, None and -1 for
    none; ``pieces``, by access, in how many instructions one is made."""

    weights: tuple[float, ...]
    needs: tuple[tuple[Need, ...], ...]
    index: tuple[int | None, ...]
    access: tuple[int, ...]
    pieces: Mapping[int, int]


def marks_of(tables: TraceTables, kernel: Kernel, numbers: Numbers, graph: MachineGraph) -> Marks:
    """The marks of a kernel's segments in its machine code."""
    return _Marking(tables, kernel.function, graph, kernel.symbol, numbers).made()


class _Marking:
    def __init__(
        self, tables: TraceTables, function: Function, graph: MachineGraph, symbol: str,
        numbers: Numbers,
    ) -> None:  # fmt: skip
        self.tables, self.function, self.graph = tables, function, graph
        self.rows = graph.code.instructions
        index = [numbers.index(symbol, each.number) for each in self.rows]
        self.index = list(map(self._loaded, self.rows, index))
        self.access = [self._access(e, i) for e, i in zip(self.rows, self.index, strict=True)]

    def _loaded(self, each: MachineInstruction, index: int | None) -> int | None:
        """A load may have the number of what extends it, or takes it to lanes."""
        at = index
        while at is not None and each.space in (Space.GLOBAL, Space.SHARED) and not each.is_store:
            row = self.tables.instructions[at]
            if row.access >= 0:
                return at
            is_one = row.opcode in _EXTENSIONS and row.operands and row.operands[0] >= 0
            at = row.operands[0] if is_one else None
        return index

    def _access(self, each: MachineInstruction, index: int | None) -> int:
        number = -1 if index is None else self.tables.instructions[index].access
        if number < 0 or each.space is None:
            return -1
        wanted = "atomic" if is_atomic(each) else "store" if each.is_store else "load"
        own = self.tables.accesses[number]
        fits = own.operation == wanted and own.space in _SPACES[each.space]
        return number if fits else -1

    def made(self) -> Marks:
        copies = dict[int, dict[str, list[int]]]()
        for place, index in enumerate(self.index):
            if index is not None:
                name = self.rows[place].opcode
                copies.setdefault(index, {}).setdefault(name, []).append(place)
        pieces = self._pieces()
        weights = [0.0] * len(self.tables.segments)
        needs: list[list[Need]] = [[] for _ in self.graph.blocks]
        for segment, own in enumerate(self.tables.segments):
            found = [
                self._candidate(index, copies[index], pieces)
                for index in range(own.first, own.end) if index in copies
            ]  # fmt: skip
            if not found or (self._stores(own) and max(each.weight for each in found) < SURE):
                weights[segment] = SURE if self._stores(own) else 0.0
                continue  # what it stores must be made
            best = max(found, key=lambda each: each.rank)
            weights[segment] = best.weight
            counts = Counter(self.graph.block_of[place] for place in best.places)
            for block, count in counts.items():
                times = -(-count // best.pieces)
                needs[block].append(Need(segment, times, best.guarded))
        return Marks(
            tuple(weights), tuple(map(tuple, needs)), tuple(self.index), tuple(self.access), pieces
        )

    def _stores(self, segment: Segment) -> bool:
        """Whether it stores to memory that others see."""
        own = self.tables.accesses[segment.first_access : segment.end_access]
        return any(each.operation != "load" and each.space != "private" for each in own)

    def _candidate(
        self, index: int, by_name: Mapping[str, list[int]], pieces: Mapping[int, int]
    ) -> _Candidate:
        """What an instruction of the IR says: of an access or barrier what makes it, else of its
        opcodes the one with the fewest copies."""
        makes = [
            place for own in by_name.values() for place in own
            if self.access[place] >= 0 or is_barrier(self.rows[place])
        ]  # fmt: skip
        if makes:
            guarded = any(self.rows[place].predicate for place in makes)
            moves = self.rows[makes[0]].is_load and not self.rows[makes[0]].is_store
            times = pieces.get(self.access[makes[0]], 1)
            rank = (2, not guarded, not moves, -len(makes))
            return _Candidate(rank, SURE, tuple(sorted(makes)), times, guarded)
        row = self.function.instructions[index]
        is_float = row.opcode in FLOATS and isinstance(scalar_of(row.type), FloatTy)
        own = {n: p for n, p in by_name.items() if FLOAT_CODE.match(n)} if is_float else {}
        name, places = min((own or by_name).items(), key=lambda each: len(each[1]))
        guarded = any(self.rows[place].predicate for place in places)
        counts = Counter(self.graph.block_of[place] for place in places)
        times = lanes_of(row.type, name, counts)
        rank = (1 if own else 0, not guarded, True, -len(places))
        return _Candidate(rank, LIKELY if own else WEAK, tuple(places), times, guarded)

    def _pieces(self) -> dict[int, int]:
        """In how many instructions each access is made: one that is wider than its alignment lets
        it be, or several that were joined to more than one."""
        by_access = dict[int, list[int]]()
        for place, access in enumerate(self.access):
            if access >= 0:
                by_access.setdefault(access, []).append(place)
        found = dict[int, int]()
        for access, places in by_access.items():
            moved = max(self.rows[place].bytes for place in places)
            wanted = self.tables.accesses[access].element_bytes
            one_block = len({self.graph.block_of[place] for place in places}) == 1
            if moved > wanted and self.graph.code.is_amd and one_block:
                found[access] = len(places)
            elif 0 < moved < wanted and len(places) > 1:
                found[access] = min(len(places), -(-wanted // moved))
        return found


@dataclass(frozen=True, slots=True)
class _Candidate:
    rank: tuple[int, bool, bool, int]
    weight: float
    places: tuple[int, ...]
    pieces: int
    guarded: bool


def joined_to(
    tables: TraceTables, code: MachineCode, marks: Marks
) -> Mapping[int, tuple[int, ...]]:
    """By machine instruction that moves more than its access does, the accesses of its segment that
    no instruction makes: they were joined to it."""
    made = {access for access in marks.access if access >= 0}
    found = dict[int, tuple[int, ...]]()
    for place, access in enumerate(marks.access):
        if access < 0 or code.instructions[place].bytes <= tables.accesses[access].element_bytes:
            continue
        own = tables.accesses[access]
        segment = tables.segments[tables.instructions[own.instruction].segment]
        inside: Sequence[TracedAccessTable] = tables.accesses[
            segment.first_access : segment.end_access
        ]
        found[place] = tuple(
            segment.first_access + n for n, other in enumerate(inside)
            if segment.first_access + n not in made
            and (other.operation, other.space) == (own.operation, own.space)
        )  # fmt: skip
    return found
