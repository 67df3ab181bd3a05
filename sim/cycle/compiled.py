"""A launch of a trace as a compiler's code would have run it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Protocol

from kcc.base.diagnostics import Diagnostic, DiagnosticError
from kcc.base.gpu.description import GpuDescription
from kcc.base.trace.decode import TraceBatch
from kcc.base.trace.launches import TraceLaunch
from kcc.base.trace.reader import LaunchTrace
from kcc.base.trace.tables import TraceTables
from kcc.frontend.machine_code.model import MachineCode
from kcc.frontend.machine_code.numbering import Numbers
from kcc.sim.cycle.ordering import ordered
from kcc.sim.cycle.unrolling import may_be_unrolled, unrolled
from kcc.sim.cycle.wide_loads import may_be_wide, wide_loads
from kcc.sim.program.compiled.lowering import FITS
from kcc.sim.program.compiled.traced import PathBatches, TracedCode, code_over_trace
from kcc.sim.program.issued import IssuedTables, issued
from kcc.sim.program.of_trace import (
    PROGRAMS_KEPT,
    TracedProgram,
    kernel_of_trace,
    program_of_trace,
)


class IssuedLaunch(Protocol):
    """A launch in terms of what warps issue."""

    @property
    def launch(self) -> TraceLaunch: ...

    @property
    def tables(self) -> TraceTables: ...

    def batches(self, first: int = 0, blocks: int | None = None) -> Iterator[TraceBatch]:
        """As :meth:`kcc.base.trace.reader.LaunchTrace.batches`, with the accesses of the tables."""
        ...

    def over(self, batches: Iterator[TraceBatch]) -> Iterator[TraceBatch]:
        """Some thread blocks of the trace, whole ones, with the accesses of the tables."""
        ...


def compiled_launch(
    traced: LaunchTrace, gpu: GpuDescription, code: CompilerCode | None = None
) -> IssuedLaunch:
    """A launch as the compiler of a GPU leaves it: in the machine code of ``code``, where warps'
    paths through it are understood; else by its machine program, where the trace has the kernel's
    IR, else as :class:`CompiledLaunch`. Raises K764 where the IR is none, or another's."""
    try:
        return _issued(traced, gpu, code)
    except ValueError as error:
        message = f"kernel {traced.tables.kernel} of the trace: {error}"
        raise DiagnosticError([Diagnostic("K764", message)]) from error


def _issued(traced: LaunchTrace, gpu: GpuDescription, code: CompilerCode | None) -> IssuedLaunch:
    if code is not None and traced.tables.ir:
        found = code.of(traced.tables)
        theirs = None if found is None else MachineCodeLaunch(found, traced)
        if theirs is not None and theirs.is_understood:
            return theirs
    program = program_of_trace(traced.tables, traced.launch, gpu)
    if program is None:
        return CompiledLaunch(traced)
    own = ProgramLaunch(traced, program)
    if code is not None:
        own.tables = code.instead(own.tables)
    return own


class CompilerCode:
    """The code that a compiler makes of the kernels of traces. ``make`` gives it for tables with
    IR, None where the compiler has none."""

    def __init__(self, make: Callable[[TraceTables], MachineCode | None]) -> None:
        self.make = make
        self._made = dict[int, tuple[TraceTables, TracedCode | None]]()
        self._instead = dict[int, tuple[IssuedTables, IssuedTables]]()

    def of(self, tables: TraceTables) -> TracedCode | None:
        """The code over the tables of a trace, made once for each."""
        if id(tables) not in self._made:
            code = self.make(tables)
            module, kernel = kernel_of_trace(tables)
            found = code and code_over_trace(tables, kernel, Numbers.of(module), code)
            self._made[id(tables)] = tables, found
        return self._made[id(tables)][1]

    def instead(self, tables: IssuedTables) -> IssuedTables:
        """Kcc's own tables in place of those of code that is not understood, which say so."""
        if id(tables) not in self._instead:
            own = replace(tables, reason="the compiler's is not understood")
            if len(self._instead) == PROGRAMS_KEPT:
                del self._instead[next(iter(self._instead))]
            self._instead[id(tables)] = tables, own
        return self._instead[id(tables)][1]


class MachineCodeLaunch:
    """A launch whose warps go through a compiler's machine code."""

    def __init__(self, code: TracedCode, traced: LaunchTrace) -> None:
        self.launch, self.tables, self._traced = traced.launch, code.tables, traced
        self._paths = PathBatches(code, traced.launch.warps(traced.tables.width))

    @property
    def is_understood(self) -> bool:
        """Whether the paths of its first warps fit the code well enough."""
        return self._paths.misfit(self._traced.batches()) <= FITS

    def batches(self, first: int = 0, blocks: int | None = None) -> Iterator[TraceBatch]:
        return self.over(self._traced.batches(first, blocks))

    def over(self, batches: Iterator[TraceBatch]) -> Iterator[TraceBatch]:
        return self._paths.batches(batches)


class ProgramLaunch:
    """A launch whose kernel's machine program is known."""

    def __init__(self, traced: LaunchTrace, program: TracedProgram) -> None:
        self.launch, self._traced = traced.launch, traced
        self.tables: IssuedTables
        self.tables, self._replay = issued(program)
        self._warps = traced.launch.warps(traced.tables.width)

    def batches(self, first: int = 0, blocks: int | None = None) -> Iterator[TraceBatch]:
        return self.over(self._traced.batches(first, blocks))

    def over(self, batches: Iterator[TraceBatch]) -> Iterator[TraceBatch]:
        return (self._replay.batch(batch, self._warps) for batch in batches)


class CompiledLaunch:
    """A launch of a trace file with wide loads, short loops taken apart, and loads ahead of what
    need not wait: the lowering of traces that do not have the kernel's IR, and of Accel-Sim's
    traces, which are written from the tables."""

    def __init__(self, traced: LaunchTrace) -> None:
        self.launch, self._traced = traced.launch, traced
        tables, self._wide, self._unrolled = traced.tables, None, None
        wide, short = may_be_wide(tables), may_be_unrolled(tables)
        first = next(traced.batches(), None) if wide or short else None
        if first is not None and wide and (merged := wide_loads(tables, first)) is not None:
            self._wide, tables, first = merged, merged.tables, merged.batch(first)
        if first is not None and short and (apart := unrolled(tables, first)) is not None:
            self._unrolled, tables = apart, apart.tables
        self._ordered = ordered(tables)
        self.tables = self._ordered.tables

    def batches(self, first: int = 0, blocks: int | None = None) -> Iterator[TraceBatch]:
        """As :meth:`kcc.base.trace.reader.LaunchTrace.batches`, with the accesses of the tables."""
        if self._unrolled:
            self._unrolled.begin()
        return self.over(self._traced.batches(first, blocks))

    def over(self, batches: Iterator[TraceBatch]) -> Iterator[TraceBatch]:
        return map(self.batch, batches)

    def batch(self, batch: TraceBatch) -> TraceBatch:
        """The next batch of the trace, with the accesses of the tables."""
        if self._wide:
            batch = self._wide.batch(batch)
        if self._unrolled:
            batch = self._unrolled.batch(batch)
        return self._ordered.batch(batch)
