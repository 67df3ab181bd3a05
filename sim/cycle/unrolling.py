"""Short loops of a known number of rounds, taken apart as a GPU's compiler does.

NVIDIA's compiler unrolls small loops whose trip count it knows (CUDA C++ Programming Guide,
"#pragma unroll"), so that the loads of all rounds can wait together; LLVM leaves those that become
more than some hundred instructions. A loop is taken apart here if it is one block that counts by a
constant from a constant to a constant, by what the tables say; its iterations, the trace
says. What counts, compares and branches goes; what else there is stands once for each round.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kcc.base.diagnostics import Diagnostic, DiagnosticError
from kcc.base.records import dataclass
from kcc.base.trace.decode import TraceBatch, joined
from kcc.base.trace.tables import CONSTANT, TracedInstruction, TraceTables
from kcc.sim.cycle.unrolled_tables import Rewriting, ShortLoop

MOST_INSTRUCTIONS = 1200
"""Of a loop that is taken apart: the most that LLVM takes one apart to (300 at -O3, and four times
as many where it foresees that it saves some). NVIDIA does not say its limit."""

STEPS = ("add", "sub", "shl", "lshr", "ashr", "mul")
"""What steps a counter."""

FOLDED = (*STEPS, "and", "or", "xor", "zext", "sext", "trunc", "icmp", "select", "getelementptr")
"""What is a constant if all that it reads are."""


@dataclass(slots=True, eq=False)
class Unrolled:
    """Tables without these loops, and how batches of the trace become theirs. ``number`` is that
    of each access, in the first round. Batches are to be taken in their order: what a batch has of
    rounds that are not complete waits for the next."""

    tables: TraceTables
    number: NDArray[np.int32]
    trips: NDArray[np.int64]
    """By segment; 1 for those that are no loops."""
    per_round: NDArray[np.int64]
    """Accesses of a round, by segment."""
    held: TraceBatch | None = None

    def begin(self) -> None:
        """The first batch of a launch comes next."""
        self.held = None

    def batch(self, batch: TraceBatch) -> TraceBatch:
        """A batch of the trace, with one row for all rounds of a loop.

        Raises K764 where the rounds of a loop are not as many as in the first batch."""
        if self.held is not None:
            batch, self.held = joined([self.held, batch]), None
        trips = self.trips[batch.segment]
        rows = np.flatnonzero(trips > 1)
        if not len(rows):
            return self._renumbered(batch, np.zeros(len(batch), np.int64))
        place = _places_in_runs(batch, rows)
        step = np.zeros(len(batch), np.int64)
        step[rows] = place % trips[rows]
        last = np.ones(len(batch), np.bool_)
        last[:-1] = step[1:] <= step[:-1]
        short = np.flatnonzero(last & (step + 1 < trips))
        if len(short) and not (len(short) == 1 and short[0] == len(batch) - 1):
            raise self._cannot_be(int(batch.segment[short[0]]))
        if len(short):
            start = len(batch) - 1 - int(step[-1])
            self.held = batch.part(start, len(batch))
            batch, step = batch.part(0, start), step[:start]
        return self._renumbered(batch, step)

    def _renumbered(self, batch: TraceBatch, step: NDArray[np.int64]) -> TraceBatch:
        first = step == 0
        if not len(batch.access):
            access, starts = batch.access, np.zeros(int(first.sum()) + 1, np.int64)
        else:
            later = np.repeat(step * self.per_round[batch.segment], np.diff(batch.access_start))
            access = (self.number[batch.access] + later).astype(np.int32)
            starts = np.append(batch.access_start[:-1][first], batch.access_start[-1])
        return TraceBatch(
            batch.thread_block[first], batch.warp[first], batch.segment[first], batch.block[first],
            batch.continued[first], batch.mask[first], starts, access, batch.addresses,
        )  # fmt: skip

    def _cannot_be(self, segment: int) -> DiagnosticError:
        block = self.tables.blocks[self.tables.segments[segment].block]
        message = (
            f"the loop of {self.tables.kernel} at line {block.line} has a trip count that "
            "it cannot have"
        )
        return DiagnosticError([Diagnostic("K764", message)])


def _places_in_runs(batch: TraceBatch, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """The place of each of the rows among those before it, without a gap, of the same segment by
    the same lanes."""
    goes_on = np.zeros(len(rows), np.bool_)
    now, before = rows[1:], rows[:-1]
    goes_on[1:] = now == before + 1
    for column in (batch.segment, batch.warp, batch.thread_block, batch.mask):
        goes_on[1:] &= column[now] == column[before]
    starts = np.flatnonzero(~goes_on)
    lengths = np.diff(np.append(starts, len(rows)))
    return np.arange(len(rows)) - np.repeat(starts, lengths)


def may_be_unrolled(tables: TraceTables) -> bool:
    """Whether a batch of the trace is worth looking at."""
    return any(_constants(tables, n) for n in range(len(tables.segments)))


def unrolled(tables: TraceTables, batch: TraceBatch) -> Unrolled | None:
    """The loops that a batch shows to be short; None if there are none."""
    loops = list[ShortLoop]()
    for segment, own in enumerate(tables.segments):
        constants = _constants(tables, segment)
        trips = _trips(batch, segment) if constants else 0
        if trips > 1 and trips * (own.end - own.first) <= MOST_INSTRUCTIONS:
            loops.append(ShortLoop(segment, trips, constants))
    if not loops:
        return None
    rewriting = Rewriting(tables, {loop.segment: loop for loop in loops})
    trips = np.ones(len(tables.segments), np.int64)
    for loop in loops:
        trips[loop.segment] = loop.trips
    per_round = np.array([s.end_access - s.first_access for s in tables.segments], np.int64)
    return Unrolled(rewriting.result(), rewriting.first_round(), trips, per_round)


def _trips(batch: TraceBatch, segment: int) -> int:
    """The iterations of a loop, by the executions that the batch has whole; 0 if it has none."""
    rows = np.flatnonzero(batch.segment == segment)
    place = _places_in_runs(batch, rows)
    ends = np.append(place[1:] == 0, False)
    lengths = np.bincount(place[ends] + 1, minlength=1)
    return int(lengths.argmax())


def _constants(tables: TraceTables, segment: int) -> frozenset[int]:
    """The instructions of a loop that is one block with constant bounds which are constants in each
    round: the phi that counts, and what follows from it alone; none if it is not such a loop."""
    own, nothing = tables.segments[segment], frozenset[int]()
    block, code = tables.blocks[own.block], tables.instructions
    if own.barrier >= 0 or (own.first, own.end) != (block.first, block.end):
        return nothing
    if own.block not in block.successors or len(block.successors) != 2:
        return nothing
    phis = [n for n in range(own.first, own.end) if _counts(code, n, own.block)]
    found = set(phis)
    for number in range(own.first, own.end):
        if code[number].opcode in FOLDED and all(o == CONSTANT or o in found
                                                 for o in code[number].operands):  # fmt: skip
            found.add(number)
    decides = code[own.end - 1].operands
    return frozenset(found) if len(decides) == 1 and decides[0] in found else nothing


def _counts(code: Sequence[TracedInstruction], number: int, block: int) -> bool:
    """Whether an instruction is a phi that begins with one constant and is stepped by another in
    each round of the loop that ``block`` is."""
    phi = code[number]
    if phi.opcode != "phi":
        return False
    outside = [o for o, b in zip(phi.operands, phi.incoming, strict=True) if b != block]
    back = [o for o, b in zip(phi.operands, phi.incoming, strict=True) if b == block]
    return outside == [CONSTANT] and all(
        o >= 0 and code[o].opcode in STEPS and {*code[o].operands} == {number, CONSTANT}
        for o in back
    )
