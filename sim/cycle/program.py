"""Machine operations of a kernel, out of the tables of its trace.

Each instruction of the IR becomes one operation that issues as often as the machine-cost table
says. Address arithmetic by constants folds into the access that uses it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import ceil

import numpy as np
from numpy.typing import NDArray

from kcc.base.records import dataclass
from kcc.base.trace.tables import CONSTANT, TracedAccessTable, TracedInstruction, TraceTables
from kcc.frontend.machine_code.control_bits import BARRIERS
from kcc.frontend.machine_code.model import Control
from kcc.passes.mix.instruction_classes import InstructionClass
from kcc.sim.cycle.layout import MOST_BANKS, OP_COLUMNS, Cause, Conf, Kind, Op
from kcc.sim.cycle.machine import Machine
from kcc.sim.machine.costs import Cost, Unit, cost_of
from kcc.sim.machine.fma_pipes import pipe_of
from kcc.sim.machine.pipeline_columns import unit_of
from kcc.sim.program.issued import IssuedTables
from kcc.sim.program.operations import MachineOperation, Memory

MEMORY_KINDS: dict[tuple[str, str], Kind] = {
    ("load", "global"): Kind.GLOBAL_LOAD, ("store", "global"): Kind.GLOBAL_STORE,
    ("atomic", "global"): Kind.GLOBAL_ATOMIC,
    ("load", "generic"): Kind.GLOBAL_LOAD, ("store", "generic"): Kind.GLOBAL_STORE,
    ("atomic", "generic"): Kind.GLOBAL_ATOMIC,
    ("load", "private"): Kind.GLOBAL_LOAD, ("store", "private"): Kind.GLOBAL_STORE,
    ("atomic", "private"): Kind.GLOBAL_ATOMIC,
    ("load", "local"): Kind.LOCAL_LOAD, ("store", "local"): Kind.LOCAL_STORE,
    ("atomic", "local"): Kind.LOCAL_ATOMIC,
    ("load", "constant"): Kind.CONSTANT_LOAD, ("store", "constant"): Kind.GLOBAL_STORE,
    ("atomic", "constant"): Kind.GLOBAL_ATOMIC,
}  # fmt: skip
"""Private arrays that are in memory go the way of global ones; generic pointers nearly always
point there."""


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """Operations (:class:`Op` columns), their sources (registers) and, of phis, the blocks that
    these come from; segments (first and end operation, block). ``lines`` are (file, line) of each
    operation, -1 and 0 where not known. ``accesses`` has the kind and element bytes of each
    access."""

    ops: NDArray[np.int64]
    sources: NDArray[np.int64]
    incoming: NDArray[np.int64]
    segments: NDArray[np.int64]
    registers: int
    lines: tuple[tuple[int, int], ...]


def code_instructions(tables: TraceTables, issues: NDArray[np.int64]) -> int:
    """The machine instructions of the code of a kernel whose rows issue so many."""
    return tables.code if isinstance(tables, IssuedTables) else int(issues.sum())


def program_of(tables: TraceTables, machine: Machine, *, by_control_bits: bool = False) -> Program:
    """The operations of a kernel on a machine: of its machine program, where the tables have it,
    else one for each instruction of the IR. ``by_control_bits``: what machine code says of when its
    instructions issue holds, in place of what they read."""
    if isinstance(tables, IssuedTables):
        program = _issued(tables, machine)
        controls = tables.controls if by_control_bits else ()
        return controlled(program, controls) if controls else program
    registers = _registers(tables.instructions)
    ops = np.zeros((len(tables.instructions), OP_COLUMNS), np.int64)
    sources, incoming = list[int](), list[int]()
    for number, instruction in enumerate(tables.instructions):
        _set_op(ops[number], instruction, tables.accesses, machine)
        ops[number, Op.RESULT] = registers.get(number, -1)
        ops[number, Op.FIRST_SOURCE] = len(sources)
        blocks = instruction.incoming or (-1,) * len(instruction.operands)
        for operand, block in zip(instruction.operands, blocks, strict=False):
            if operand >= 0 and operand in registers:
                sources.append(registers[operand])
                incoming.append(block)
            elif instruction.opcode == "phi":
                sources.append(-1)
                incoming.append(block)
        ops[number, Op.END_SOURCE] = len(sources)
    segments = [(s.first, s.end, s.block) for s in tables.segments]
    return Program(
        ops,
        np.array(sources or [0], np.int64),
        np.array(incoming or [0], np.int64),
        np.array(segments, np.int64).reshape(-1, 3),
        max(len(registers), 1),
        tuple((i.file, i.line) for i in tables.instructions),
    )


def _issued(tables: IssuedTables, machine: Machine) -> Program:
    """Each waits for the results that it needs, from wherever in the program."""
    read = {need for own in tables.operations for need in own.needs}
    registers = {number: place for place, number in enumerate(sorted(read))}
    ops = np.zeros((len(tables.operations), OP_COLUMNS), np.int64)
    sources = list[int]()
    for row, own, number, place in zip(
        ops, tables.operations, tables.numbers, tables.instructions, strict=True
    ):
        _set_operation(row, own, number, place.access, tables, machine)
        row[Op.RESULT] = registers.get(number, -1)
        row[Op.FIRST_SOURCE] = len(sources)
        sources += [registers[need] for need in own.needs]
        row[Op.END_SOURCE] = len(sources)
    return Program(
        ops, np.array(sources or [0], np.int64), np.full(max(len(sources), 1), -1, np.int64),
        np.array([(s.first, s.end, s.block) for s in tables.segments], np.int64).reshape(-1, 3),
        max(len(registers), 1), tuple((i.file, i.line) for i in tables.instructions),
    )  # fmt: skip


def controlled(program: Program, controls: Sequence[Control]) -> Program:
    """The same with dependences as control bits say them: registers are the barriers, which hold
    until all that set them have done so, and the next instruction of a warp issues when the stall
    count of the last is over. Whether a warp is to yield changes nothing."""
    ops, sources = program.ops.copy(), list[int]()
    for row, own in zip(ops, controls, strict=True):
        row[Op.STALL] = max(own.stall_cycles, 1)
        row[Op.RESULT] = -1 if own.write_barrier is None else own.write_barrier
        row[Op.READ] = -1 if own.read_barrier is None else own.read_barrier
        row[Op.FIRST_SOURCE] = len(sources)
        sources += own.waits_for
        row[Op.END_SOURCE] = len(sources)
    return replace(
        program, ops=ops, sources=np.array(sources or [0], np.int64),
        incoming=np.full(max(len(sources), 1), -1, np.int64), registers=BARRIERS,
    )  # fmt: skip


def _set_operation(
    row: NDArray[np.int64], own: MachineOperation, number: int, access: int, tables: IssuedTables,
    machine: Machine,
) -> None:  # fmt: skip
    issues = round(own.at_once)
    row[Op.COUNTED], row[Op.CAUSE] = issues > 0, Cause.ARITHMETIC
    if own.memory is Memory.GROUP:
        row[Op.KIND] = Kind.GROUP
    elif issues < 1:
        row[Op.KIND] = Kind.FREE
    elif access >= 0:
        set_memory(row, _kind(tables.accesses[access]), machine)
        row[Op.ISSUES] = issues
    else:
        unit = unit_of({unit: t.interval for unit, t in machine.units.items()}, own)
        if unit is Unit.EITHER:
            unit = (Unit.ALU, Unit.FMA)[number % 2]
        kind = InstructionClass.BRANCH if own.memory is Memory.WAIT else own.kind
        set_issue(row, unit, issues, own.steps, machine, kind)
    if own.product is not None:
        cycles = machine.tensor.cycles(own.product)
        row[Op.INTERVAL] = max(1, ceil(cycles))
        row[Op.LATENCY] = max(1, ceil(machine.tensor.latency(own.product)))


def _registers(instructions: Sequence[TracedInstruction]) -> dict[int, int]:
    """A place for each result that something reads."""
    read = {operand for i in instructions for operand in i.operands if operand >= 0}
    return {number: place for place, number in enumerate(sorted(read))}


def _set_op(
    row: NDArray[np.int64],
    instruction: TracedInstruction,
    accesses: Sequence[TracedAccessTable],
    machine: Machine,
) -> None:
    row[Op.COUNTED] = instruction.opcode != "phi"
    row[Op.CAUSE] = Cause.ARITHMETIC
    if instruction.opcode == "phi":
        row[Op.KIND] = Kind.PHI
    elif instruction.access >= 0:
        set_memory(row, _kind(accesses[instruction.access]), machine)
    else:
        _set_arithmetic(row, instruction, machine)


def _kind(access: TracedAccessTable) -> Kind:
    return MEMORY_KINDS[access.operation, access.memory]


def set_memory(row: NDArray[np.int64], kind: Kind, machine: Machine) -> None:
    """A memory operation; what its latency is, caches decide."""
    latency, cause = 0, Cause.L1
    match kind:
        case Kind.LOCAL_LOAD | Kind.LOCAL_STORE:
            latency, cause = machine.local_latency, Cause.LOCAL
        case Kind.LOCAL_ATOMIC:
            latency, cause = machine[Conf.LOCAL_ATOMIC_LATENCY], Cause.LOCAL
        case Kind.CONSTANT_LOAD:
            latency, cause = machine[Conf.CONSTANT_LATENCY], Cause.CONSTANT
        case _:
            pass
    row[Op.KIND], row[Op.UNIT], row[Op.HAS_ACCESS] = kind, Unit.MEMORY, 1
    row[Op.LATENCY], row[Op.INTERVAL], row[Op.ISSUES] = latency, 1, 1
    row[Op.CAUSE] = cause


def _set_arithmetic(
    row: NDArray[np.int64], instruction: TracedInstruction, machine: Machine
) -> None:
    costs = [
        (InstructionClass(name), count, cost)
        for name, count in instruction.classes
        if (cost := cost_of(InstructionClass(name), machine.generation)) is not None
    ]
    slots = sum(_slots(kind, cost, instruction) * count for kind, count, cost in costs)
    if slots < 1:
        row[Op.KIND], row[Op.ISSUES] = Kind.FREE, 0
        row[Op.COUNTED] = 0
        return
    kind, _, main = costs[0]
    set_issue(row, main.unit, round(slots), main.steps, machine, kind)


def set_issue(
    row: NDArray[np.int64],
    unit: Unit,
    issues: int,
    steps: float,
    machine: Machine,
    kind: InstructionClass,
) -> None:
    """An operation of ``issues`` machine instructions on a unit."""
    row[Op.KIND] = Kind.ARITHMETIC
    if kind is InstructionClass.BARRIER:
        row[Op.KIND] = Kind.BARRIER
    elif kind is InstructionClass.FENCE:
        row[Op.KIND] = Kind.FENCE
    row[Op.ISSUES] = issues
    if kind is InstructionClass.SHUFFLE:  # a warp a cycle of the SM, by the share of a scheduler
        row[Op.UNIT], row[Op.INTERVAL] = Unit.CONTROL, int(machine[Conf.SCHEDULERS]) * issues
        row[Op.LATENCY], row[Op.CAUSE] = machine.local_latency, Cause.LOCAL
        return
    if unit is Unit.MEMORY:  # images: what they touch is not traced
        row[Op.UNIT], row[Op.INTERVAL] = Unit.SFU, machine.units[Unit.SFU].interval
        row[Op.LATENCY], row[Op.CAUSE] = machine.texture_latency, Cause.L1
        return
    timing = machine.units[unit]
    latency = timing.latency
    if kind is InstructionClass.INT_MUL:
        latency = machine.int_mul_latency
    pipe = pipe_of(unit, kind, machine.pipes)
    interval = ceil(machine.pipes.get(pipe, timing.interval))
    if unit is Unit.FP64 and machine[Conf.ONE_FP64]:
        interval = ceil(interval / int(machine[Conf.SCHEDULERS]))
    row[Op.UNIT] = Unit.FMA if unit in machine.in_one else pipe
    row[Op.INTERVAL] = interval * issues
    last = (issues - 1) * max(interval, 1) + latency  # of the last of them
    row[Op.LATENCY], row[Op.LAST_LATENCY] = max(round(steps * latency), last, 1), latency


def register_reads(registers: Iterable[int]) -> int:
    """What :attr:`Op.READS` says of the machine registers that an instruction reads."""
    counts = [0] * MOST_BANKS
    for register in registers:
        counts[register % MOST_BANKS] = min(counts[register % MOST_BANKS] + 1, 7)
    return sum(count << 4 * place for place, count in enumerate(counts))


def _slots(kind: InstructionClass, cost: Cost, instruction: TracedInstruction) -> float:
    if kind is InstructionClass.ADDRESS:
        indices = instruction.operands[1:]
        return 0 if all(operand == CONSTANT for operand in indices) else 1
    return cost.slots
