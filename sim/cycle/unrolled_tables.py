"""Tables of a kernel whose short loops are taken apart: each round stands once.

See :mod:`kcc.sim.cycle.unrolling` for which loops and why.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from kcc.base.records import dataclass
from kcc.base.trace.tables import (
    CONSTANT,
    Segment,
    TracedAccessTable,
    TracedBlockTable,
    TracedInstruction,
    TraceTables,
)

Row = tuple[int, int]
"""An instruction, and the round of its loop; 0 of those in none."""


@dataclass(frozen=True, slots=True)
class ShortLoop:
    """A segment that is a loop of ``trips`` rounds; ``constants`` are the instructions that are
    constants in each of them."""

    segment: int
    trips: int
    constants: frozenset[int]


class Rewriting:
    """Makes the tables: first which instruction stands where, then what each reads."""

    def __init__(self, tables: TraceTables, loops: Mapping[int, ShortLoop]) -> None:
        self.tables, self.loops = tables, loops
        self.rows = list[Row]()
        self.spans = list[tuple[int, int]]()
        for segment in range(len(tables.segments)):
            first = len(self.rows)
            self.rows += self._rows_of(segment)
            self.spans.append((first, len(self.rows)))
        self.place = {row: place for place, row in enumerate(self.rows)}
        self.accesses = [row for row in self.rows if tables.instructions[row[0]].access >= 0]
        self.access = {row: number for number, row in enumerate(self.accesses)}

    def result(self) -> TraceTables:
        return replace(
            self.tables,
            instructions=tuple(self._instruction(row) for row in self.rows),
            accesses=tuple(self._access(row) for row in self.accesses),
            segments=self._segments(),
            blocks=self._blocks(),
        )

    def first_round(self) -> NDArray[np.int32]:
        """The number that each access of the trace has now, in the first round."""
        found = np.zeros(len(self.tables.accesses), np.int32)
        for new, (instruction, turn) in enumerate(self.accesses):
            if turn == 0:
                found[self.tables.instructions[instruction].access] = new
        return found

    def _rows_of(self, segment: int) -> list[Row]:
        own, loop = self.tables.segments[segment], self.loops.get(segment)
        if loop is None:
            return [(number, 0) for number in range(own.first, own.end)]
        return [
            (number, turn)
            for turn in range(loop.trips)
            for number in range(own.first, own.end)
            if number not in loop.constants
            and (turn == 0 or not self._is_phi(number))
            and (turn == loop.trips - 1 or number < own.end - 1)
        ]

    def _is_phi(self, number: int) -> bool:
        return self.tables.instructions[number].opcode == "phi"

    def _read(self, number: int, turn: int | None) -> int:
        """Where an instruction stands that is read in a round of its loop; None: after its last
        one. What a phi has in a later round is what the round before made."""
        while number >= 0:
            loop = self.loops.get(self.tables.instructions[number].segment)
            if loop is None:
                return self.place[number, 0]
            if number in loop.constants:
                return CONSTANT
            turn = loop.trips - 1 if turn is None else turn
            if turn == 0 or not self._is_phi(number):
                return self.place[number, turn]
            phi = self.tables.instructions[number]
            number = phi.operands[phi.incoming.index(phi.block)]
            turn = turn - 1 if self._is_in(number, phi.segment) else None
        return number

    def _is_in(self, number: int, segment: int) -> bool:
        return number >= 0 and self.tables.instructions[number].segment == segment

    def _instruction(self, row: Row) -> TracedInstruction:
        number, turn = row
        own = self.tables.instructions[number]
        operands, incoming = own.operands, own.incoming
        if own.segment in self.loops and own.opcode == "phi":  # nothing comes back to it
            ways = [w for w in zip(operands, incoming, strict=True) if w[1] != own.block]
            operands, incoming = tuple(o for o, _ in ways), tuple(b for _, b in ways)
        elif own.segment in self.loops and number == self.tables.segments[own.segment].end - 1:
            operands = ()  # the branch goes one way
        return replace(
            own,
            operands=tuple(
                self._read(o, turn if self._is_in(o, own.segment) else None) for o in operands
            ),
            incoming=incoming,
            access=self.access.get(row, -1),
        )

    def _access(self, row: Row) -> TracedAccessTable:
        table = self.tables.accesses[self.tables.instructions[row[0]].access]
        return replace(table, instruction=self.place[row])

    def _rounds(self, segment: int) -> int:
        return self.loops[segment].trips if segment in self.loops else 1

    def _segments(self) -> tuple[Segment, ...]:
        found, access = list[Segment](), 0
        for number, (old, (first, end)) in enumerate(
            zip(self.tables.segments, self.spans, strict=True)
        ):
            rounds = self._rounds(number)
            last = access + rounds * (old.end_access - old.first_access)
            barrier = self.place[old.barrier, 0] if old.barrier >= 0 else -1
            counted = rounds * old.counted
            found.append(Segment(old.block, first, end, counted, access, last, barrier))
            access = last
        return tuple(found)

    def _blocks(self) -> tuple[TracedBlockTable, ...]:
        found = list[TracedBlockTable]()
        for number, block in enumerate(self.tables.blocks):
            last = self.tables.instructions[block.end - 1].segment
            rounds = self._rounds(last)
            ways = tuple(s for s in block.successors if rounds == 1 or s != number)
            found.append(
                replace(
                    block, first=self.spans[block.first_segment][0], end=self.spans[last][1],
                    counted=rounds * block.counted, successors=ways,
                )
            )  # fmt: skip
        return tuple(found)
