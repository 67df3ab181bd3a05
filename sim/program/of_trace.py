"""The machine program of a kernel out of a trace, whose tables have its IR."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from kcc.base.gpu.description import GpuDescription
from kcc.base.records import dataclass
from kcc.base.trace.launches import TraceLaunch
from kcc.base.trace.tables import TraceTables
from kcc.frontend.ir.model import Module
from kcc.frontend.ir.types import FloatTy, IntTy, VecTy, size_bytes
from kcc.frontend.kernel import Kernel, Language
from kcc.frontend.one_kernel import read_kernel
from kcc.passes.facts import run_passes
from kcc.passes.graph.loops import Loops
from kcc.passes.memory.memory_accesses import MemoryAccesses
from kcc.passes.registers.counts import estimate_registers
from kcc.passes.symbolic.ranges import ArgumentValue, Known
from kcc.sim.machine.costs import Generation, generation_of_gpu
from kcc.sim.program.facts import program_passes
from kcc.sim.program.lowering import machine_program
from kcc.sim.program.operations import MachineProgram
from kcc.sim.program.registers import (
    Resident,
    free_registers,
    registers_of,
    resident_on,
    with_kept_bounds,
)

PROGRAMS_KEPT = 256
"""Launches whose program is not made again; a program differs by what arguments say of loops."""


@dataclass(frozen=True, slots=True, eq=False)
class TracedProgram:
    """The program of a kernel with some tables. ``instructions[a]`` is the instruction of the
    access that the program calls a; ``registers`` are those of a work-item."""

    tables: TraceTables
    program: MachineProgram
    loops: Loops
    instructions: tuple[int, ...]
    registers: int


@dataclass(frozen=True, slots=True, eq=False)
class _Same:
    """Tables, by identity: their contents take long to compare."""

    tables: TraceTables

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.tables is self.tables

    def __hash__(self) -> int:
        return id(self.tables)


def program_of_trace(
    tables: TraceTables, launch: TraceLaunch, gpu: GpuDescription
) -> TracedProgram | None:
    """What a GPU executes in a launch; None for tables without IR.

    :raises ValueError: where the IR is none, or not that of the tables.
    """
    if not tables.ir:
        return None
    scalars = tuple((scalar.argument, scalar.data) for scalar in launch.scalars)
    sizes = launch.global_size, launch.local_size, launch.offset
    return _program(_Same(tables), sizes, scalars, generation_of_gpu(gpu), resident_on(gpu))


Sizes = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]


@lru_cache(maxsize=PROGRAMS_KEPT)
def _program(
    same: _Same, sizes: Sizes, scalars: tuple[tuple[int, str], ...], generation: Generation,
    resident: Resident,
) -> TracedProgram:  # fmt: skip
    module, kernel = _kernel(same)
    kernel = with_kept_bounds(kernel, resident)
    values = dict[int, ArgumentValue]()
    for argument, data in scalars:
        value = _value(kernel, argument, bytes.fromhex(data))
        if value is not None:
            values[argument] = value
    x, y, z = (*sizes[2], 0, 0, 0)[:3]
    known = Known(sizes[0], sizes[1], values, (x, y, z))
    facts = run_passes(kernel, module, program_passes(known, {}))
    estimated = estimate_registers(kernel.function).count
    program = machine_program(kernel, facts, generation, estimated)
    free = free_registers(resident[1], generation)
    registers = registers_of(kernel, generation, estimated, program, free)
    instructions = tuple(access.instruction for access in facts[MemoryAccesses].accesses)
    return TracedProgram(same.tables, program, facts[Loops], instructions, registers)


def forget() -> None:
    """Make programs anew that were kept."""
    _program.cache_clear()


def kernel_of_trace(tables: TraceTables) -> tuple[Module, Kernel]:
    """The IR of tables that have one.

    :raises ValueError: where the IR is none, or not that of the tables.
    """
    return _kernel(_Same(tables))


@lru_cache(maxsize=PROGRAMS_KEPT)
def _kernel(same: _Same) -> tuple[Module, Kernel]:
    tables = same.tables
    module, kernel = read_kernel(tables.ir, tables.symbol, Language(tables.language), tables.source)
    own = [(i.block, i.opcode.word) for i in kernel.function.instructions]
    is_own = own == [(i.block, i.opcode) for i in tables.instructions]
    if not is_own or len(kernel.function.arguments) != len(tables.arguments):
        raise ValueError("its IR is not that of its tables")
    return module, kernel


def _value(kernel: Kernel, argument: int, data: bytes) -> ArgumentValue | None:
    """A scalar or a vector of the bytes of an argument; None for others."""
    type_ = kernel.function.arguments[argument].type
    if not isinstance(type_, IntTy | FloatTy | VecTy) or len(data) < size_bytes(type_):
        return None
    lanes, element = (type_.lanes, type_.element) if isinstance(type_, VecTy) else (1, type_)
    kind = "f" if isinstance(element, FloatTy) else "i"
    found = np.frombuffer(data, f"<{kind}{size_bytes(element)}", lanes).tolist()
    return tuple(found) if isinstance(type_, VecTy) else found[0]
