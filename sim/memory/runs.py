"""Launches of trace files, and kernels of Accel-Sim's lists, through the memory model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field, replace
from pathlib import Path

import numpy as np

from kcc.base.gpu.description import GpuDescription
from kcc.base.records import dataclass
from kcc.base.trace.decode import TraceBatch
from kcc.base.trace.launches import TraceLaunch
from kcc.base.trace.reader import open_trace
from kcc.base.trace.tables import TraceTables
from kcc.sim.accelsim.files import read_list
from kcc.sim.accelsim.reader import SassKernel, batches_of, read_kernel
from kcc.sim.cycle.accelsim import launch_of_sass, tables_of_sass
from kcc.sim.cycle.compiled import CompiledLaunch
from kcc.sim.memory.dependences import Dependences, dependences_of, dependences_of_sass
from kcc.sim.memory.facts import Deviations, MemoryMachine, MemoryResult, Place, Stream
from kcc.sim.memory.machine import machine_for, set_deviations
from kcc.sim.memory.stream import StreamBuilder
from kcc.sim.memory.summary import summary
from kcc.sim.memory.trials import CacheState, Plan, Trials, empty_l2
from kcc.sim.memory.what_if import what_if

MOST_ACCESSES = 1 << 19
"""Of warps, up to which a launch is taken as a whole where nothing else is said."""

LEAST_WAVES = 2
"""Of a snapshot otherwise, ..."""
L2_FILLS = 2
"""... which goes on until its footprint is so many times L2 (section 3: by concurrent threads,
accesses and the size of the last cache) ..."""
MOST_ENTRIES = 1 << 24
"""... or it has so many entries."""

Batches = Callable[[int, int | None], Iterable[TraceBatch]]
"""The batches of so many thread blocks (None: all) from one on."""


@dataclass(frozen=True, slots=True)
class Options:
    """``snapshot``: waves of thread blocks, 0 for the whole launch, None to choose. ``cold``: each
    launch begins with an empty L2. ``what_if``: alter accesses, too."""

    plan: Plan = field(default_factory=Plan)
    deviations: Deviations = field(default_factory=Deviations)
    snapshot: int | None = None
    cold: bool = False
    what_if: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Subject:
    """A launch that can be modelled."""

    tables: TraceTables
    launch: TraceLaunch
    batches: Batches
    dependences: Dependences
    accesses: int
    """Executions by warps, -1 where that is not known before."""
    registers: dict[str, int] = field(default_factory=dict[str, int])
    is_machine_code: bool = False
    """Whether each access of the code is one of its own, not one of the source."""


def memory_of_trace(
    path: str, gpu: GpuDescription, options: Options, *, kernels: Sequence[str] = (),
    launches: Sequence[range] = (), registers: dict[str, int] | None = None,
) -> Iterator[MemoryResult]:  # fmt: skip
    """The launches of a trace file (.kct), in order; all or those named. L2 is as the launch before
    left it in its first trial. Raises K76x for a file that is no good trace, K807, K870, K871."""
    yield from _results(subjects_of_trace(path, kernels, launches, registers or {}), gpu, options)


def memory_of_list(
    path: str, gpu: GpuDescription, options: Options, *, kernels: Sequence[str] = (),
    launches: Sequence[range] = (),
) -> Iterator[MemoryResult]:  # fmt: skip
    """The same of the kernels of an Accel-Sim kernelslist.g. Raises K001 and K873."""
    yield from _results(subjects_of_list(path, kernels, launches), gpu, options)


def subjects_of_trace(
    path: str, kernels: Sequence[str] = (), launches: Sequence[range] = (),
    registers: dict[str, int] | None = None,
) -> Iterator[Subject]:  # fmt: skip
    """The launches of a trace file, all or those named."""
    with open_trace(path) as trace:
        for traced in trace.launches:
            if not _is_chosen(traced.tables.kernel, traced.launch.number, kernels, launches):
                continue
            compiled = CompiledLaunch(traced)
            yield Subject(
                compiled.tables, compiled.launch, compiled.batches,
                dependences_of(compiled.tables), traced.totals.accesses, registers or {},
            )  # fmt: skip


def subjects_of_list(
    path: str, kernels: Sequence[str] = (), launches: Sequence[range] = ()
) -> Iterator[Subject]:
    """The kernels of a list, all or those named."""
    for number, file in enumerate(read_list(Path(path))):
        if launches and not any(number in chosen for chosen in launches):
            continue
        kernel = read_kernel(file, number)
        if kernels and kernel.name not in kernels:
            continue
        accesses = sum(i.executed for i in kernel.instructions if i.has_addresses)

        def batches(
            first: int, blocks: int | None, kernel: SassKernel = kernel
        ) -> Iterator[TraceBatch]:
            last = None if blocks is None else first + blocks
            return _between(batches_of(kernel), first, last)

        yield Subject(
            tables_of_sass(kernel), launch_of_sass(kernel), batches, dependences_of_sass(kernel),
            accesses, {kernel.name: kernel.registers}, is_machine_code=True,
        )  # fmt: skip


def _between(batches: Iterable[TraceBatch], first: int, last: int | None) -> Iterator[TraceBatch]:
    """What of batches is of some thread blocks."""
    for batch in batches:
        start = int(np.searchsorted(batch.thread_block, first))
        end = len(batch)
        if last is not None:
            end = int(np.searchsorted(batch.thread_block, last))
        if start < end:
            yield batch.part(start, end)
        if end < len(batch):
            return


def _is_chosen(kernel: str, number: int, kernels: Sequence[str], launches: Sequence[range]) -> bool:
    if kernels and kernel not in kernels:
        return False
    return not launches or any(number in chosen for chosen in launches)


def _results(
    subjects: Iterable[Subject], gpu: GpuDescription, options: Options
) -> Iterator[MemoryResult]:
    l2: CacheState | None = None
    for subject in subjects:
        stream, machine = stream_of(subject, gpu, options.snapshot)
        set_deviations(machine, options.deviations)
        if l2 is None or options.cold or l2.lines.shape != empty_l2(machine).lines.shape:
            l2 = empty_l2(machine)
        trials = Trials(stream, machine, l2, options.plan.seed)
        found = trials.all(options.plan)
        result = summary(subject.tables.kernel, subject.launch.number, machine, stream, found)
        if options.what_if:
            changes = what_if(stream, machine, l2, options.plan)
            result = replace(result, changes=changes)
        _, l2 = trials.run_with_state(0)
        yield result


def stream_of(
    subject: Subject, gpu: GpuDescription, snapshot: int | None = None
) -> tuple[Stream, MemoryMachine]:
    """The stream of a launch's snapshot, and the machine it is for."""
    machine, cycle = machine_for(gpu, subject.tables, subject.launch, subject.registers)
    builder = StreamBuilder(subject.tables, subject.launch, machine, cycle, subject.dependences)
    wave, every = machine[Place.SMS] * machine[Place.BLOCKS], subject.launch.thread_blocks
    if snapshot == 0 or (snapshot is None and subject.accesses <= MOST_ACCESSES):
        first, blocks = 0, every
    elif snapshot is not None:
        blocks = min(snapshot * wave, every)
        first = (every - blocks) // 2
    else:
        first, blocks = _grow(builder, subject, machine, wave)
        return builder.finish(first, blocks, subject.is_machine_code), machine
    for batch in subject.batches(first, blocks if blocks < every else None):
        builder.take(batch)
    return builder.finish(first, blocks, subject.is_machine_code), machine


def _grow(
    builder: StreamBuilder, subject: Subject, machine: MemoryMachine, wave: int
) -> tuple[int, int]:
    """Take waves from the middle of the launch until there are enough; the blocks taken."""
    every = subject.launch.thread_blocks
    first = max(0, every - 2 * LEAST_WAVES * wave) // 2
    blocks = waves = 0
    while first + blocks < every:
        more = min(wave, every - first - blocks)
        for batch in subject.batches(first + blocks, more):
            builder.take(batch)
        blocks += more
        waves += 1
        footprint = builder.footprint_lines() * machine.line_bytes
        enough = footprint >= L2_FILLS * machine.l2_bytes
        if waves >= LEAST_WAVES and (enough or builder.count >= MOST_ENTRIES):
            break
    return first, blocks
