"""Sampling units of GPU launches: runs of consecutive thread blocks, and what their code is.

Where the text counts methods on call stacks (Huang, dissertation, section 5.3.2), a feature is a
line of source of a kernel, and its share is that of the unit's warp instructions; the kernel itself
is a feature too, as the method that calls all others is on every stack. Where in a launch a unit
lies matters as well (the GPU fills and empties): that its first or last thread blocks are in it are
features too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from kcc.base.gpu.description import GpuDescription
from kcc.base.records import dataclass
from kcc.base.trace.reader import LaunchTrace
from kcc.base.trace.tables import TraceTables
from kcc.sim.cycle.launch import launch_machine
from kcc.sim.cycle.layout import Conf
from kcc.sim.sampling.block_profile import LaunchProfile
from kcc.sim.sampling.simprof.table import Floats, Indices, Metric, UnitTable

UNITS = 400
"""Into which a program is cut, about: 20 units are then the 5 % that TBPoint is held to."""

FIRST, LAST = ": first blocks", ": last blocks"
"""Features of units that begin and end a launch of a kernel, behind its name."""

POSITION = "position"
"""A counter: which part of the thread blocks of its launch come before a unit."""

CPI = Metric(
    "CPI", "cycles", "warp instructions",
    "cycles of the whole GPU, by the cycle-level model, per warp instruction of the trace",
)  # fmt: skip


def recorder_of(gpu: str, overrides: Sequence[str] = ()) -> str:
    """What says in a table that its costs are of a full simulation on this GPU."""
    return f"cycle-level simulation on {' '.join([gpu, *overrides])}"


@dataclass(frozen=True, slots=True)
class LaunchUnit:
    """Thread blocks ``first`` to ``end`` (excluded) of the launch at ``place`` in the trace, which
    has ``blocks``; ``work`` are its warp instructions by the profile."""

    place: int
    first: int
    end: int
    blocks: int
    work: int

    @property
    def is_last(self) -> bool:
        return self.end == self.blocks


def cut_launches(
    traces: Sequence[LaunchTrace], profiles: Sequence[LaunchProfile], gpu: GpuDescription,
    registers: dict[str, int] | None = None, count: int = UNITS,
) -> tuple[LaunchUnit, ...]:  # fmt: skip
    """About ``count`` units of equal work: whole launches, or parts of them that are multiples of
    the thread blocks that the GPU holds at a time. Raises K807, K870 and K871."""
    return _cut_into(profiles, _epochs(traces, gpu, registers), count)


FINER = tuple(1.05**n for n in range(31))
"""Times as many units as asked for, up to four: as units are whole epochs of thread blocks, fewer
come of it than are asked for."""


def cut_alike(
    traces: Sequence[LaunchTrace], profiles: Sequence[LaunchProfile], gpu: GpuDescription,
    registers: dict[str, int] | None, work: float,
) -> tuple[LaunchUnit, ...]:  # fmt: skip
    """Units as :func:`cut_launches` cuts them, of a mean as near to ``work`` as can be had."""
    epochs = _epochs(traces, gpu, registers)
    everything = sum(int(p.warp_instructions.sum()) for p in profiles)
    several = (_cut_into(profiles, epochs, everything / work * more) for more in FINER)
    return min(several, key=lambda own: abs(len(own) - everything / work))


def _epochs(
    traces: Sequence[LaunchTrace], gpu: GpuDescription, registers: dict[str, int] | None
) -> list[int]:
    """Thread blocks that the GPU holds at a time, of each launch."""
    machines = (launch_machine(gpu, one.tables, one.launch, registers or {}) for one in traces)
    return [one[Conf.BLOCKS] * one[Conf.SMS] for one in machines]


def _cut_into(
    profiles: Sequence[LaunchProfile], epochs: Sequence[int], count: float
) -> tuple[LaunchUnit, ...]:
    everything = sum(int(p.warp_instructions.sum()) for p in profiles)
    found = list[LaunchUnit]()
    for place, (profile, epoch) in enumerate(zip(profiles, epochs, strict=True)):
        parts = int(profile.warp_instructions.sum()) * count / max(everything, 1)
        size = max(round(profile.thread_blocks / epoch / max(parts, 1.0)), 1) * epoch
        found += _cut(place, profile, size)
    return tuple(found)


def _cut(place: int, profile: LaunchProfile, size: int) -> Iterator[LaunchUnit]:
    """The last unit has up to half of another one's thread blocks more, or less."""
    blocks = profile.thread_blocks
    pieces = max(round(blocks / size), 1)
    for n in range(pieces):
        first, end = n * size, blocks if n == pieces - 1 else (n + 1) * size
        work = int(profile.warp_instructions[first:end].sum())
        if work:
            yield LaunchUnit(place, first, end, blocks, work)


def by_launch(units: Sequence[LaunchUnit]) -> Iterator[tuple[int, list[int]]]:
    """The launches that units are of, in order, with the units' numbers."""
    for place, own in groupby(range(len(units)), key=lambda n: units[n].place):
        yield place, list(own)


def unit_table(
    source: str, traces: Sequence[LaunchTrace], units: Sequence[LaunchUnit], cost: Floats,
    gpu: str, metric: Metric = CPI,
) -> UnitTable:  # fmt: skip
    """What the units executed, with what they cost."""
    columns = dict[str, Floats]()
    for place, own in by_launch(units):
        trace = traces[place]
        names, lines = _lines(trace.tables)
        counts = _counts(trace, [units[n] for n in own]) @ lines
        shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
        for column, name in enumerate(names):
            columns.setdefault(name, np.zeros(len(units)))[own] = shares[:, column]
        kernel = trace.tables.kernel
        columns.setdefault(kernel, np.zeros(len(units)))[own] = 1
        for name, number in ((FIRST, own[0]), (LAST, own[-1])):
            columns.setdefault(f"{kernel}{name}", np.zeros(len(units)))[number] = 1
    work = np.array([unit.work for unit in units], np.float64)
    unit = f"consecutive thread blocks of a launch, about {round(work.mean()):,} warp instructions"
    position = np.array([unit.first / unit.blocks for unit in units])
    return UnitTable(
        source, recorder_of(gpu), unit, "line of source", metric,
        tuple(columns), np.column_stack(list(columns.values())), cost, work, {POSITION: position},
    )  # fmt: skip


def kinds_of(table: UnitTable) -> Indices:
    """A number for each unit: units of one kernel, and alike in whether they begin or end a launch,
    have the same."""
    edges = [n for n, name in enumerate(table.features) if name.endswith((FIRST, LAST))]
    kernels = [n for n, name in enumerate(table.features) if ":" not in name]
    _, found = np.unique(table.shares[:, edges + kernels] > 0, axis=0, return_inverse=True)
    return found.reshape(-1).astype(np.int64)


def _lines(tables: TraceTables) -> tuple[list[str], NDArray[np.float64]]:
    """The kernel's lines, and how many of each segment's instructions are of each."""
    place = dict[str, int]()
    rows = list[tuple[int, int]]()
    for number, segment in enumerate(tables.segments):
        for instruction in tables.instructions[segment.first : segment.end]:
            if instruction.opcode != "phi":
                line = str(instruction.line) if instruction.line else "no line"
                name = f"{tables.kernel}:{line}"
                rows.append((number, place.setdefault(name, len(place))))
    found = np.zeros((len(tables.segments), max(len(place), 1)))
    for segment, line in rows:
        found[segment, line] += 1
    return list(place) or [f"{tables.kernel}:no line"], found


def _counts(trace: LaunchTrace, units: Sequence[LaunchUnit]) -> NDArray[np.float64]:
    """How often each unit's warps executed each segment."""
    segments = len(trace.tables.segments)
    ends = np.array([unit.end for unit in units])
    found = np.zeros(len(units) * segments, np.int64)
    for batch in trace.batches():
        own = np.searchsorted(ends, batch.thread_block, side="right")
        kept = own < len(units)
        place = own[kept] * segments + batch.segment[kept]
        found += np.bincount(place, minlength=len(found))
    return found.reshape(len(units), segments).astype(np.float64)
