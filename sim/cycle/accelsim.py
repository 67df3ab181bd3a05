"""Kernels of Accel-Sim's traces as the cycle-level model takes them: each distinct instruction is a
segment of its own and one machine instruction."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from kcc.base.trace.launches import CHUNKS, TraceLaunch
from kcc.base.trace.tables import (
    Segment,
    TracedAccessTable,
    TracedBlockTable,
    TracedInstruction,
    TraceTables,
)
from kcc.sim.accelsim.opcodes import ACCESSES, PIPES, access_of, bytes_of, pipe_of, stem_of
from kcc.sim.accelsim.reader import WIDTH, SassInstruction, SassKernel
from kcc.sim.cycle.layout import MOST_BANKS, OP_COLUMNS, Cause, Conf, Op
from kcc.sim.cycle.machine import Machine
from kcc.sim.cycle.program import MEMORY_KINDS, Program, register_reads, set_issue, set_memory
from kcc.sim.machine.costs import Unit
from kcc.sim.program.issued import MACHINE_CODE


def tables_of_sass(kernel: SassKernel) -> TraceTables:
    """Tables with a segment for each distinct instruction. Lines are those of the kernel's source,
    whose name the trace does not say."""
    instructions, segments = list[TracedInstruction](), list[Segment]()
    accesses = list[TracedAccessTable]()
    for number, each in enumerate(kernel.instructions):
        own, first = -1, len(accesses)
        if each.has_addresses:
            own = first
            access, size = each.access, bytes_of(each.opcode)
            accesses.append(TracedAccessTable(number, access.operation, access.space, size, "", -1))
        file = 0 if each.line else -1
        instructions.append(
            TracedInstruction(
                0, number, each.opcode, "", (("move", 1),), "void", 0, (), (), own, file,
                each.line, 0,
            )
        )  # fmt: skip
        segments.append(Segment(0, number, number + 1, 1, first, len(accesses), -1))
    block = TracedBlockTable("entry", 0, 0, len(segments), len(segments), 0, (), None)
    files = ((kernel.name,), ("",)) if any(i.line for i in kernel.instructions) else ((), ())
    return TraceTables(
        kernel.name, str(kernel.path), "O2", WIDTH, (), *files, (block,), tuple(segments),
        tuple(instructions), tuple(accesses), (), kernel.local_bytes,
        kernel.stack[1] - kernel.stack[0], language=MACHINE_CODE,
    )  # fmt: skip


def launch_of_sass(kernel: SassKernel) -> TraceLaunch:
    """The launch that the header describes."""
    sizes = tuple(g * b for g, b in zip(kernel.grid, kernel.block, strict=True))
    has_addresses = True
    return TraceLaunch(
        kernel.number, 0, sizes, kernel.block, (), kernel.local_bytes, (), (), CHUNKS,
        has_addresses,
    )  # fmt: skip


def program_of_sass(kernel: SassKernel, machine: Machine) -> Program:
    """The operations: one machine instruction each. Like Accel-Sim's scoreboard, it waits for the
    register written as for those read."""
    names = sorted({r for each in kernel.instructions for r in (*each.written, *each.read)})
    registers = {name: place for place, name in enumerate(names)}
    ops = np.zeros((len(kernel.instructions), OP_COLUMNS), np.int64)
    sources = list[int]()
    for number, each in enumerate(kernel.instructions):
        row = ops[number]
        row[Op.COUNTED], row[Op.CAUSE], row[Op.RESULT] = 1, Cause.ARITHMETIC, -1
        if each.has_addresses or _is_access(each):
            access = access_of(each.opcode)
            set_memory(row, MEMORY_KINDS[access.operation, access.space], machine)
            row[Op.HAS_ACCESS] = each.has_addresses
        else:
            unit, kind = pipe_of(each.opcode)
            if stem_of(each.opcode) == "EXIT" and machine[Conf.WARP_END]:
                unit = Unit.ALU  # what Accel-Sim has it on, as its result ends the warp
            set_issue(row, unit, 1, 1, machine, kind)
        row[Op.FIRST_SOURCE] = len(sources)
        sources += [registers[r] for r in dict.fromkeys((*each.read, *each.written))]
        row[Op.END_SOURCE] = len(sources)
        row[Op.READS] = register_reads(dict.fromkeys(_numbers(each.read)))
        if each.written:
            row[Op.RESULT] = registers[each.written[0]]
            row[Op.WRITES] = next((1 + n % MOST_BANKS for n in _numbers(each.written)), 0)
    segments = np.array([(n, n + 1, 0) for n in range(len(ops))], np.int64)
    lines = tuple((0 if i.line else -1, i.line) for i in kernel.instructions)
    return Program(
        ops, np.array(sources or [0], np.int64), np.zeros(max(len(sources), 1), np.int64),
        segments.reshape(-1, 3), max(len(names), 1), lines,
    )  # fmt: skip


def _numbers(names: Iterable[str]) -> list[int]:
    """Of general registers: R4 has the number 4."""
    return [int(name[1:]) for name in names if name[0] == "R" and name[1:].isdecimal()]


def _is_access(each: SassInstruction) -> bool:
    """A memory instruction whose addresses were not traced."""
    stem = stem_of(each.opcode)
    return stem in ACCESSES and stem not in PIPES
