"""What a load has to wait for: the loads whose values its address, or a branch before it, needs.

A sequence of loads that a warp issues in bulk ends where a load needs the value of another one in
it (Baghsorkhi et al., section 2).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from kcc.base.records import dataclass
from kcc.base.trace.tables import TraceTables
from kcc.passes.mix.instruction_classes import InstructionClass
from kcc.sim.accelsim.opcodes import pipe_of
from kcc.sim.accelsim.reader import SassKernel

BRANCHES = ("br", "switch", "indirectbr")


@dataclass(frozen=True, slots=True, eq=False)
class Dependences:
    """``needs[needs_start[a]:needs_start[a + 1]]`` are the accesses whose values access a needs
    before it can be issued; ``gates`` likewise those that the end of a segment needs: nothing
    after it is issued before they are there. ``barriers`` says which segments end with one."""

    needs: NDArray[np.int64]
    needs_start: NDArray[np.int64]
    gates: NDArray[np.int64]
    gates_start: NDArray[np.int64]
    barriers: NDArray[np.bool_]


def dependences_of(tables: TraceTables) -> Dependences:
    """Through the results that instructions of the IR read, phis included."""
    operands = [
        [o for o in each.operands if o >= 0] for each in tables.instructions
    ]  # fmt: skip
    access_of = {n: i.access for n, i in enumerate(tables.instructions) if i.access >= 0}
    reads = {a for a, t in enumerate(tables.accesses) if t.operation != "store"}
    sources = _Sources(operands, {n: a for n, a in access_of.items() if a in reads})
    needs = [sources.of(operands[each.instruction]) for each in tables.accesses]
    gates = list[Sequence[int]]()
    for segment in tables.segments:
        last = segment.end - 1
        branches = tables.instructions[last].opcode in BRANCHES
        gates.append(sources.of(operands[last]) if branches else ())
    barriers = np.array([s.barrier >= 0 for s in tables.segments], np.bool_)
    return Dependences(*_rows(needs), *_rows(gates), barriers)


def dependences_of_sass(kernel: SassKernel) -> Dependences:
    """Through registers: each read is taken to be of what the instruction before it by place that
    wrote the register left; where there is none, of the last one, around a loop."""
    latest, last = dict[str, int](), dict[str, int]()
    for number, each in enumerate(kernel.instructions):
        last.update(dict.fromkeys(each.written, number))
    operands = list[list[int]]()
    for number, each in enumerate(kernel.instructions):
        found = (latest.get(r, last.get(r, -1)) for r in each.read)
        operands.append([o for o in found if o >= 0])
        latest.update(dict.fromkeys(each.written, number))
    numbers = [n for n, i in enumerate(kernel.instructions) if i.has_addresses]
    reads = {
        n: a for a, n in enumerate(numbers)
        if kernel.instructions[n].access.operation != "store"
    }  # fmt: skip
    sources = _Sources(operands, reads)
    needs = [sources.of(operands[n]) for n in numbers]
    gates = [
        sources.of(operands[n]) if i.opcode.startswith(("BRA", "EXIT", "BRX")) else ()
        for n, i in enumerate(kernel.instructions)
    ]
    kinds = [pipe_of(i.opcode)[1] for i in kernel.instructions]
    barriers = np.array([kind is InstructionClass.BARRIER for kind in kinds], np.bool_)
    return Dependences(*_rows(needs), *_rows(gates), barriers)


class _Sources:
    """Loads that values come from, through instructions that are no loads."""

    def __init__(self, operands: Sequence[Sequence[int]], loads: Mapping[int, int]) -> None:
        self.operands, self.loads = operands, loads

    def of(self, instructions: Iterable[int]) -> Sequence[int]:
        """The accesses that these instructions' results come from."""
        left, seen, found = list(instructions), set[int](), set[int]()
        while left:
            number = left.pop()
            if number in seen:
                continue
            seen.add(number)
            if number in self.loads:
                found.add(self.loads[number])
            else:
                left += self.operands[number]
        return sorted(found)


def _rows(rows: Sequence[Sequence[int]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    starts = np.cumsum([0, *map(len, rows)])
    return np.array([n for row in rows for n in row] or [0], np.int64), starts.astype(np.int64)
