"""A machine program over a trace: its tables in machine operations, and how what a trace says of
the IR becomes what warps issue.

A segment of the trace becomes one of machine operations, with the accesses that these do: one that
several loads were merged to takes the lowest of their addresses, one that stays in registers none.
A segment of a loop that is unrolled becomes two, one of them without what iterations share.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field, fields, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from kcc.base.records import dataclass
from kcc.base.trace.tables import Segment, TracedAccessTable, TracedInstruction, TraceTables
from kcc.frontend.machine_code.model import Control
from kcc.sim.machine.costs import Unit
from kcc.sim.program.code_size import code_slots
from kcc.sim.program.of_trace import PROGRAMS_KEPT, TracedProgram
from kcc.sim.program.operations import WALLS, MachineOperation, Memory
from kcc.sim.program.replay import Idle, Replay
from kcc.sim.program.rounds import times_together, together

Numbers = NDArray[np.int32]

PRIVATE_BASE = 0x0000_0200_0000_0000
SHARED_BASE = 0x0000_0100_0000_0000
"""Where a trace has private and local memory."""

MACHINE_CODE = "sass"
"""The language of tables whose instructions are a compiler's."""

NO_ADDRESSES = WALLS | {Memory.NONE, Memory.IMAGE, Memory.SHUFFLE}


@dataclass(frozen=True, slots=True)
class IssuedTables(TraceTables):
    """Tables whose instructions are the ``operations``; ``numbers`` are theirs in the program, the
    same at all places where one stands. ``registers`` are those of a work-item, ``code`` the
    machine instructions of its code. ``compiler``: whose code it is, "" for kcc's own;
    ``controls``: the control bits of its instructions, where they have any. ``reason``: why it is
    not a compiler's, where that was asked for."""

    operations: tuple[MachineOperation, ...] = ()
    numbers: tuple[int, ...] = ()
    registers: int = 0
    code: int = 0
    compiler: str = ""
    controls: tuple[Control, ...] = ()
    reason: str = ""


def code_of(tables: TraceTables) -> str:
    """Whose machine code tables have: a compiler's, that of the trace, or kcc's."""
    if isinstance(tables, IssuedTables) and tables.compiler:
        return tables.compiler
    return "the trace's" if tables.language == MACHINE_CODE else "kcc"


def joined_accesses(tables: TraceTables) -> NDArray[np.bool_]:
    """Which accesses are atomic operations that the lanes of a warp do among themselves first."""
    return _accesses_of(tables, lambda own: own.joined)


def copied_accesses(tables: TraceTables) -> NDArray[np.bool_]:
    """Which accesses are loads whose data go to shared memory past registers."""
    return _accesses_of(tables, lambda own: own.copied)


def _accesses_of(
    tables: TraceTables, wanted: Callable[[MachineOperation], bool]
) -> NDArray[np.bool_]:
    found = np.zeros(len(tables.accesses), np.bool_)
    if isinstance(tables, IssuedTables):
        for own, place in zip(tables.operations, tables.instructions, strict=True):
            if wanted(own) and place.access >= 0:
                found[place.access] = True
    return found


def lowering_notes(tables: TraceTables) -> tuple[str, ...]:
    """What a result rests on where tables have neither machine operations nor machine code."""
    if isinstance(tables, IssuedTables):
        return (f"kcc's own code: {tables.reason}",) if tables.reason else ()
    if tables.language == MACHINE_CODE:
        return ()
    note = (
        "the trace has no IR of its kernels (format 1 or 2): what they issue is made of its "
        "tables, and not as by `kcc estimate`"
    )
    return (note,)


@lru_cache(maxsize=PROGRAMS_KEPT)
def issued(traced: TracedProgram) -> tuple[IssuedTables, Replay]:
    """The tables of a program over those of its trace, and what makes batches of the one from
    batches of the other.

    :raises ValueError: where the program has other barriers than the tables.
    """
    rows = _Rows(traced.tables, traced)
    parts = list[tuple[int, ...]]()
    for block in range(len(traced.tables.blocks)):
        parts += _parts(traced, block)
    for number, part in enumerate(parts):
        rows.add(number, part)
    without = np.full(len(parts), -1, np.int32)
    for number, part in enumerate(parts):
        own = tuple(n for n in part if traced.program.operations[n].every == 1)
        if len(own) < len(part):
            without[number] = len(rows.segments)
            rows.add(number, own)
    together = np.full(len(parts), -1, np.int32)
    for number, part in enumerate(parts):
        times = times_together(traced.program, traced.loops, traced.tables.segments[number].block)
        if times > 1:
            together[number] = len(rows.segments)
            rows.add_together(number, part, times)
    idle = _idle(traced, parts, without, rows)
    return rows.tables(), rows.replay(without, together, idle)


def _idle(
    traced: TracedProgram, parts: Sequence[tuple[int, ...]], without: Numbers, rows: _Rows
) -> Idle:
    """The segments before predicated blocks for warps that have no lane in them."""
    tables, found = traced.tables, dict[int, list[tuple[int, int]]]()
    for side, (head, operation) in traced.program.idle.items():
        last = max(n for n, s in enumerate(tables.segments) if s.block == head)
        found.setdefault(last, []).append((tables.blocks[side].first_segment, operation))
    sides = np.full((len(parts), 2), -1, np.int32)
    made = dict[tuple[int, int], int]()
    for last, ways in found.items():
        for way, (side, operation) in enumerate(ways):
            sides[last, way] = side
            whole = parts[last]
            made[last, way] = len(rows.segments)
            rows.add(last, (*whole, operation))
            if without[last] >= 0:
                own = (n for n in whole if traced.program.operations[n].every == 1)
                made[int(without[last]), way] = len(rows.segments)
                rows.add(last, (*own, operation))
    instead = np.full((len(rows.segments), 2), -1, np.int32)
    for (segment, way), number in made.items():
        instead[segment, way] = number
    return Idle(sides, instead)


def _parts(traced: TracedProgram, block: int) -> list[tuple[int, ...]]:
    """The operations of each segment of a block."""
    own = [s for s in traced.tables.segments if s.block == block]
    ends = {s.barrier for s in own if s.barrier >= 0}
    found: list[list[int]] = [[]]
    for number in traced.program.blocks[block]:
        found[-1].append(number)
        operation = traced.program.operations[number]
        if operation.memory is Memory.BARRIER and operation.instruction in ends:
            found.append([])
    if not traced.program.blocks[block]:
        return [() for _ in own]  # nobody comes there
    if len(found) != len(own):
        raise ValueError(f"block {block} has other barriers than its code")
    return [tuple(part) for part in found]


@dataclass(slots=True)
class _Rows:
    """Rows of the new tables."""

    old: TraceTables
    traced: TracedProgram
    segments: list[Segment] = field(default_factory=list[Segment])
    instructions: list[TracedInstruction] = field(default_factory=list[TracedInstruction])
    accesses: list[TracedAccessTable] = field(default_factory=list[TracedAccessTable])
    numbers: list[int] = field(default_factory=list[int])
    operations: list[MachineOperation] = field(default_factory=list[MachineOperation])
    names: int = 0
    """Results that have a number."""
    sources: list[tuple[int, ...]] = field(default_factory=list[tuple[int, ...]])
    """Of each access, those of the trace's segment that it takes addresses from, by place."""
    fixed: list[int] = field(default_factory=list[int])
    """Of each access, its address where it takes none."""

    def __post_init__(self) -> None:
        self.names = len(self.traced.program.operations)

    @property
    def place(self) -> int:
        return len(self.instructions)

    def add(self, number: int, part: Sequence[int]) -> None:
        """A segment of these operations, for one of the trace."""
        first, first_access = self.place, len(self.accesses)
        barrier = -1
        for operation in part:
            if self.traced.program.operations[operation].memory is Memory.BARRIER:
                barrier = self.place
            own = self.traced.program.operations[operation]
            self._add_operation(number, operation, own)
        self._end(number, first, first_access, barrier)

    def add_together(self, number: int, part: Sequence[int], times: int) -> None:
        """A segment of so many iterations of one of the trace."""
        first, first_access = self.place, len(self.accesses)
        rounds = together(self.traced.program, part, times, self.names)
        self.names += times * len(part)
        for each in rounds:
            self._add_operation(number, each.number, each.operation, each.iteration)
        self._end(number, first, first_access, -1, times)

    def _end(
        self, number: int, first: int, first_access: int, barrier: int, times: int = 1
    ) -> None:
        """The segment that began with these is complete."""
        old = self.old.segments[number]
        self.segments.append(
            Segment(
                old.block, first, self.place, times * old.counted, first_access, len(self.accesses),
                barrier if old.barrier >= 0 else -1,
            )
        )  # fmt: skip

    def _add_operation(
        self, segment: int, number: int, own: MachineOperation, iteration: int = 0
    ) -> None:
        access = -1
        if own.unit is Unit.MEMORY and own.memory not in NO_ADDRESSES:
            access = len(self.accesses)
            self._add_access(segment, own, iteration)
        new = replace(self._origin(own), segment=len(self.segments), access=access)
        block = self.old.segments[segment].block
        self.instructions.append(replace(new, block=block))
        self.numbers.append(number)
        self.operations.append(own)

    def _origin(self, own: MachineOperation) -> TracedInstruction:
        """What the tables say of an operation, or of one that the IR does not have."""
        classes = ((own.kind.value, 1),)
        if own.instruction >= 0:
            old = self.old.instructions[own.instruction]
            return replace(old, classes=classes, operands=(), incoming=())
        file = 0 if own.line and self.old.files else -1
        line = own.line if file == 0 else 0
        return TracedInstruction(
            0, 0, own.kind.value, "", classes, "void", 0, (), (), -1, file, line, 0
        )

    def _add_access(self, segment: int, own: MachineOperation, iteration: int) -> None:
        """An access, with the trace's accesses that it takes the place of."""
        old, place = self.old.segments[segment], self.place
        touched = [self._number(a) for a in own.parts or (own.access,) if a >= 0]
        inside = [n - old.first_access for n in touched if old.first_access <= n < old.end_access]
        ahead = iteration * (old.end_access - old.first_access)
        self.sources.append(tuple(ahead + n for n in inside))
        if touched:
            leader = self.old.accesses[touched[0]]
            size = own.bytes if len(touched) > 1 else leader.element_bytes
            self.fixed.append(SHARED_BASE)
            self.accesses.append(replace(leader, instruction=place, element_bytes=size))
            return
        operation = "store" if own.memory is Memory.PRIVATE_STORE else "load"
        self.fixed.append(PRIVATE_BASE + self._beside(own.place))
        self.accesses.append(TracedAccessTable(place, operation, "private", own.bytes, "", -1))

    def _number(self, access: int) -> int:
        """That of the trace, of an access of the program."""
        return self.old.instructions[self.traced.instructions[access]].access

    def _beside(self, place: int) -> int:
        """Where a spilled value lies: after the trace's arrays."""
        return -(-self.old.private_bytes // 16) * 16 + max(place - self._first_spilled, 0)

    @property
    def _first_spilled(self) -> int:
        places = [o.place for o in self.traced.program.operations if o.place >= 0]
        return min(places, default=0)

    def tables(self) -> IssuedTables:
        """The tables."""
        old = self.old
        blocks = tuple(
            replace(
                block, first=self.segments[block.first_segment].first,
                end=self.segments[following - 1].end,
            )
            for block, following in zip(
                old.blocks, [*(b.first_segment for b in old.blocks[1:]), len(old.segments)],
                strict=True,
            )
        )  # fmt: skip
        kept = {f.name: getattr(old, f.name) for f in fields(TraceTables)}
        kept |= {
            "blocks": blocks, "segments": tuple(self.segments),
            "instructions": tuple(self.instructions), "accesses": tuple(self.accesses),
            "private_bytes": max(
                old.private_bytes, self._beside(self.traced.program.private_bytes)
            ),
        }  # fmt: skip
        return IssuedTables(
            **kept, operations=tuple(self.operations), numbers=tuple(self.numbers),
            registers=self.traced.registers, code=round(code_slots(self.traced.program)),
        )  # fmt: skip

    def replay(self, without: Numbers, together: Numbers, idle: Idle) -> Replay:
        """What makes the batches; of each segment of the trace, ``without`` is the one that lacks
        what iterations share, ``together`` the one of several iterations, -1 where there is
        none."""
        loop_of = np.full(len(without), -1, np.int32)
        begins = np.zeros(len(without), np.bool_)
        times = np.ones(len(self.traced.loops.loops) + 1, np.int64)
        operations = self.traced.program.operations
        for number, segment in enumerate(self.old.segments):
            inner = self.traced.loops.innermost[segment.block]
            if inner is None:
                continue
            loop_of[number] = inner
            loop, block = self.traced.loops.loops[inner], self.old.blocks[segment.block]
            begins[number] = loop.header == segment.block and block.first_segment == number
            every = [operations[n].every for n in self.traced.program.blocks[segment.block]]
            times[inner] = max(times[inner], *every, 1)
        loop_of[times[loop_of] == 1] = -1
        bounds = [(s.first_access, s.end_access) for s in self.segments]
        starts = np.cumsum([0, *map(len, self.sources)])
        return Replay(
            loop_of, begins, times, without, together, np.array(bounds, np.int64).reshape(-1, 2),
            starts, np.array([p for own in self.sources for p in own] or [0], np.int64),
            np.array(self.fixed or [0], np.int64), idle,
        )  # fmt: skip
