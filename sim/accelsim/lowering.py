"""Makes instructions of SASS of the operations of a kernel, with values in place of registers.

An operation is as many instructions as the cycle-level model lets it issue; those of one lane of a
vector, or of a sequence whose steps depend on each other, read the one before. Operations that make
no code (changes of name, addresses by constants) hand on the values they read. Phis are values of
their own, into which those of the blocks before are moved.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field

import numpy as np
from numpy.typing import NDArray

from kcc.base.records import dataclass
from kcc.base.trace.tables import TracedInstruction, TraceTables
from kcc.passes.mix.instruction_classes import InstructionClass
from kcc.sim.accelsim.names import access_name, operation_name, piece_sizes
from kcc.sim.cycle.layout import Kind, Op
from kcc.sim.cycle.machine import Machine
from kcc.sim.cycle.program import Program
from kcc.sim.machine.costs import Unit

MOST_SOURCES = 4
"""Registers that an instruction of a trace can read."""

WORD_BYTES = 4

MOST_VALUES = 16
"""Values kept of one result: lanes of the widest vector."""

Values = tuple[int, ...]


@dataclass(slots=True)
class Draft:
    """An instruction to be: ``to`` is the value it makes, -1 for none. ``access`` counts those of
    its segment, -1 for none; ``offset`` is added to the addresses of the trace. ``line`` is 0
    where it is not known."""

    opcode: str
    to: int
    of: Values
    line: int
    access: int = -1
    offset: int = 0


@dataclass(frozen=True, slots=True)
class PhiValue:
    """A value of a phi: by block before, the value that it takes on from there."""

    value: int
    block: int
    incoming: Mapping[int, int]


@dataclass(slots=True)
class Lowered:
    """A kernel in values. ``segments`` are the instructions of each; ``terminators`` the place in
    the last segment of each block where its branch begins. ``words`` are the 32-bit registers that
    each value takes. ``dropped`` are sources beyond the four that can be written."""

    segments: list[list[Draft]]
    terminators: list[int]
    words: list[int]
    phis: list[PhiValue]
    dropped: int = 0


def lower(tables: TraceTables, program: Program, machine: Machine, binary_version: int) -> Lowered:
    """The instructions of a kernel."""
    return _Lowering(tables, program, machine, binary_version).lower()


@dataclass(slots=True)
class _Phi:
    values: Values
    instruction: TracedInstruction
    incoming: dict[int, dict[int, int]] = field(default_factory=dict[int, dict[int, int]])


class _Lowering:
    def __init__(
        self, tables: TraceTables, program: Program, machine: Machine, binary_version: int
    ) -> None:
        self.tables, self.program, self.machine = tables, program, machine
        self.binary_version = binary_version
        self.dropped = 0
        self.words: list[int] = []
        self.results: dict[int, Values] = {}
        self.phis: list[_Phi] = []
        self.read = {o for i in tables.instructions for o in i.operands if o >= 0}
        self.drafts: list[Draft] = []

    def lower(self) -> Lowered:
        for number, instruction in enumerate(self.tables.instructions):
            if self.program.ops[number, Op.KIND] == Kind.PHI:
                lanes = _lanes(instruction.type)
                values = self._new(lanes, instruction.result_bytes // lanes)
                self.results[number] = values
                self.phis.append(_Phi(values, instruction))
        segments, terminators = list[list[Draft]](), [0] * len(self.tables.blocks)
        for segment in self.tables.segments:
            self.drafts = []
            for number in range(segment.first, segment.end):
                if number == self.tables.blocks[segment.block].end - 1:
                    terminators[segment.block] = len(self.drafts)
                self._operation(number, segment.first_access)
            segments.append(self.drafts)
        phis = [found for phi in self.phis for found in self._phi(phi)]
        return Lowered(segments, terminators, self.words, phis, self.dropped)

    def _new(self, count: int, size: int) -> Values:
        """So many values of so many bytes."""
        self.words += [max(1, -(-size // WORD_BYTES))] * count
        return tuple(range(len(self.words) - count, len(self.words)))

    def _operation(self, number: int, first_access: int) -> None:
        instruction = self.tables.instructions[number]
        row = self.program.ops[number]
        kind = Kind(int(row[Op.KIND]))
        if kind is Kind.PHI:
            return
        operands = [self.results[o] for o in instruction.operands if o in self.results]
        if kind is Kind.FREE:
            self.results[number] = _joined(operands)[-MOST_VALUES:]
        elif instruction.access >= 0:
            self.results[number] = self._access(number, instruction, operands, first_access)
        else:
            self.results[number] = self._arithmetic(instruction, operands, row)

    def _access(
        self, number: int, instruction: TracedInstruction, operands: list[Values], first: int
    ) -> Values:
        access = self.tables.accesses[instruction.access]
        is_read = number in self.read
        made, offset = list[int](), 0
        pieces = piece_sizes(access.element_bytes)
        for place, size in enumerate(pieces):
            value = -1
            if access.operation == "load" or (access.operation == "atomic" and is_read):
                (value,) = self._new(1, size)
                made.append(value)
            name = access_name(access, instruction, size, is_read=is_read)
            of = _joined(_lane(values, place, len(pieces)) for values in operands)
            self._add(instruction, name, value, of)
            self.drafts[-1].access = instruction.access - first
            self.drafts[-1].offset = offset
            offset += size
        return tuple(made)

    def _arithmetic(
        self, instruction: TracedInstruction, operands: list[Values], row: NDArray[np.int64]
    ) -> Values:
        """A lane after the other of each step, so that steps wait for each other least."""
        unit = Unit(int(row[Op.UNIT]))
        kind = InstructionClass(instruction.classes[0][0])
        name = operation_name(instruction, unit, kind, self.binary_version)
        issues, latency = int(row[Op.ISSUES]), int(row[Op.LATENCY])
        lanes = _lanes(instruction.type)
        lanes = lanes if issues % lanes == 0 else 1
        length = issues // lanes
        steps = min(length, max(1, round(latency / self._latency(unit, kind))))
        is_result = instruction.result_bytes > 0
        ends: list[Values] = [()] * lanes
        for step in range(length):
            is_chained = _is_step(step, steps, length)
            for lane in range(lanes):
                to = self._new(1, instruction.result_bytes // lanes)[0] if is_result else -1
                before = ends[lane] if is_chained else ()
                of = _joined([*(_lane(values, lane, lanes) for values in operands), before])
                self._add(instruction, name, to, of)
                if is_result and is_chained:
                    ends[lane] = (to,)
        return _joined(ends) if is_result else ()

    def _latency(self, unit: Unit, kind: InstructionClass) -> int:
        if kind is InstructionClass.INT_MUL:
            return max(self.machine.int_mul_latency, 1)
        if kind is InstructionClass.SHUFFLE:
            return max(self.machine.local_latency, 1)
        if unit is Unit.MEMORY or kind is InstructionClass.IMAGE:
            return max(self.machine.texture_latency, 1)
        return self.machine.units[unit].latency

    def _add(self, instruction: TracedInstruction, name: str, to: int, of: Values) -> None:
        """Of more than four sources the last stay, which come latest where all take as long."""
        kept = sorted(of)[-MOST_SOURCES:]
        self.dropped += len(of) - len(kept)
        self.drafts.append(Draft(name, to, tuple(kept), instruction.line))

    def _phi(self, phi: _Phi) -> Iterable[PhiValue]:
        pairs = list(zip(phi.instruction.operands, phi.instruction.incoming, strict=True))
        for lane, value in enumerate(phi.values):
            incoming = dict[int, int]()
            for operand, block in pairs:
                own = _lane(self.results.get(operand, ()), lane, len(phi.values))
                if own and own[-1] != value:
                    incoming[block] = own[-1]
            yield PhiValue(value, phi.instruction.block, incoming)


def _is_step(step: int, steps: int, length: int) -> bool:
    """Whether instruction ``step`` of a sequence is one of the ``steps`` that depend on each
    other, which are spread evenly; the last one is."""
    return (step + 1) * steps // length != step * steps // length


def _lane(values: Values, lane: int, lanes: int) -> Values:
    """The values that a lane of an operation reads: its own of a vector as wide, else all."""
    return (values[lane],) if len(values) == lanes else values


def _lanes(type_: str) -> int:
    found = re.fullmatch(r"<(\d+) x .*>", type_)
    return min(int(found[1]), MOST_VALUES) if found else 1


def _joined(values: Iterable[Sequence[int]]) -> Values:
    return tuple(dict.fromkeys(v for own in values for v in own))
