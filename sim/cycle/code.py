"""What the core executes, out of a program: only operations that issue.

An operation that makes no code has its result when its operands are there. In SSA form each of
these still has the same value wherever that result is used, so that users wait for the operands
instead. Phis become copies at the head of their segment.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field

import numpy as np
from numpy.typing import NDArray

from kcc.base.records import dataclass
from kcc.sim.cycle.layout import FIRST_REGISTER, MOST_BANKS, NOTHING, NOWHERE, Code, Kind, Op
from kcc.sim.cycle.program import Program
from kcc.sim.cycle.record_layout import COPY, OPERATION, SEGMENT

INLINE_SOURCES = 4
"""Registers that stand in the operation itself."""


@dataclass(frozen=True, slots=True, eq=False)
class LoweredProgram:
    """``origin`` is the program's number of each operation of the code; ``copies`` the most that
    a segment has."""

    code: Code
    origin: NDArray[np.int64]
    registers: int
    copies: int


def lower(program: Program, register_banks: int, line_instructions: int) -> LoweredProgram:
    """The code of a program for schedulers with so many register banks and an instruction cache
    whose lines hold so many machine instructions; 0 without one."""
    lowering = _Lowering(
        program.ops.tolist(), program.sources.tolist(), program.incoming.tolist(), register_banks,
        line_instructions,
    )  # fmt: skip
    for first, end, block in program.segments.tolist():
        lowering.add_segment(first, end, block)
    return lowering.result(program.registers)


@dataclass(slots=True, eq=False)
class _Lowering:
    rows: list[list[int]]
    """The program's operations, as lists: a number of an array takes ten times as long to read."""
    read: list[int]
    incoming: list[int]
    register_banks: int
    line_instructions: int
    instructions: int = 0
    """Machine instructions so far: the code lies in the order of the program."""
    free: dict[int, tuple[int, ...]] = field(default_factory=dict[int, tuple[int, ...]])
    """Registers to wait for instead of the results that make no code."""
    sources: list[int] = field(default_factory=list[int])
    ops: list[tuple[int, ...]] = field(default_factory=list[tuple[int, ...]])
    origin: list[int] = field(default_factory=list[int])
    segments: list[tuple[int, ...]] = field(default_factory=list[tuple[int, ...]])
    copies: list[tuple[int, ...]] = field(default_factory=list[tuple[int, ...]])

    def __post_init__(self) -> None:
        for row in self.rows:
            if row[Op.KIND] == Kind.FREE and row[Op.RESULT] >= 0:
                self.free[row[Op.RESULT]] = tuple(self._read(row))
        for register in self.free:
            self.free[register] = self._sources_of(register)

    def _read(self, row: list[int]) -> Iterable[int]:
        return self.read[row[Op.FIRST_SOURCE] : row[Op.END_SOURCE]]

    def _sources_of(self, register: int) -> tuple[int, ...]:
        """The registers with code that a result without code comes from."""
        found, left, seen = list[int](), [register], set[int]()
        while left:
            for source in self.free[left.pop()]:
                if source in seen:
                    continue
                seen.add(source)
                (left if source in self.free else found).append(source)
        return tuple(sorted(found))

    def _registers(self, sources: Iterable[int]) -> list[int]:
        """Places of the registers to wait for, each once."""
        found = dict[int, None]()
        for source in sources:
            if source >= 0:
                found.update(dict.fromkeys(self.free.get(source, (source,))))
        return [FIRST_REGISTER + register for register in found]

    def add_segment(self, first: int, end: int, block: int) -> None:
        first_op, first_copy = len(self.ops), len(self.copies)
        for number in range(first, end):
            row = self.rows[number]
            if row[Op.KIND] == Kind.PHI:
                self._add_phi(row)
            elif row[Op.KIND] != Kind.FREE:
                self._add_op(number, row)
        self.segments.append((first_op, len(self.ops), first_copy, len(self.copies), block))

    def _add_phi(self, row: list[int]) -> None:
        if row[Op.RESULT] < 0:
            return
        by_block = dict[int, list[int]]()
        places = range(row[Op.FIRST_SOURCE], row[Op.END_SOURCE])
        for place in places:
            of = self.incoming[place]
            by_block.setdefault(of, []).append(self.read[place])
        for block, sources in by_block.items():
            start = len(self.sources)
            self.sources += self._registers(sources)
            result = FIRST_REGISTER + row[Op.RESULT]
            self.copies.append((block, result, start, len(self.sources)))

    def _add_op(self, number: int, row: list[int]) -> None:
        registers = self._registers(self._read(row))
        own, more = registers[:INLINE_SOURCES], registers[INLINE_SOURCES:]
        own += [NOTHING] * (INLINE_SOURCES - len(own))
        result = FIRST_REGISTER + row[Op.RESULT] if row[Op.RESULT] >= 0 else NOWHERE
        start = len(self.sources)
        self.sources += more
        timing, columns = (Op.LATENCY, Op.INTERVAL, Op.ISSUES), (
            Op.KIND, Op.UNIT, Op.CAUSE, Op.HAS_ACCESS,
        )  # fmt: skip
        line, more_lines = self._lines(row[Op.ISSUES])
        self.ops.append(
            (
                *own, result, start, len(self.sources), row[Op.LAST_LATENCY],
                self._reads(row[Op.READS]),
                *(row[column] for column in timing), line,
                *(row[column] for column in columns), self._writes(row[Op.WRITES]),
                more_lines, row[Op.STALL],
                FIRST_REGISTER + row[Op.READ] if row[Op.STALL] and row[Op.READ] >= 0 else NOWHERE,
            )
        )  # fmt: skip
        self.origin.append(number)

    def _reads(self, by_remainder: int) -> int:
        """Registers read of each bank, at most 15 of one, in four bits."""
        counts = [0] * MOST_BANKS
        for remainder in range(MOST_BANKS if self.register_banks else 0):
            bank = remainder % self.register_banks
            counts[bank] = min(counts[bank] + (by_remainder >> 4 * remainder & 15), 15)
        return sum(count << 4 * bank for bank, count in enumerate(counts))

    def _lines(self, instructions: int) -> tuple[int, int]:
        """The line of the code where the next instructions begin, counted from 1, and in how many
        more they are. Loops of what is one operation here stay in their first 255."""
        if self.line_instructions == 0:
            return 0, 0
        first = self.instructions // self.line_instructions
        self.instructions += instructions
        last = max(self.instructions - 1, 0) // self.line_instructions
        return 1 + first, min(max(last - first, 0), 255)

    def _writes(self, remainder: int) -> int:
        return 1 + (remainder - 1) % self.register_banks if remainder and self.register_banks else 0

    def result(self, registers: int) -> LoweredProgram:
        most = max((s[3] - s[2] for s in self.segments), default=0)
        code = Code(
            _records(self.ops, OPERATION), np.array(self.sources or [0], np.uint32),
            _records(self.segments, SEGMENT), _records(self.copies, COPY),
        )  # fmt: skip
        origin = np.array(self.origin, np.int64)
        return LoweredProgram(code, origin, FIRST_REGISTER + registers, most)


def _records(rows: Sequence[tuple[int, ...]], kind: np.dtype[np.void]) -> NDArray[np.void]:
    """At least one, so that the core always has something to point at."""
    return np.array(list(rows) or [(0,) * len(kind.names or ())], kind)
