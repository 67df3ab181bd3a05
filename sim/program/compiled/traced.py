"""A launch of a trace as its warps go through a compiler's machine code.

Each machine instruction is an operation of its own. A segment of the new tables is the part of a
machine block up to an access or a barrier and with it, as an access has the lanes of the segment of
the trace that it comes from.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, fields, replace

import numpy as np
from numpy.typing import NDArray

from kcc.base.records import dataclass
from kcc.base.trace.decode import TraceBatch, joined
from kcc.base.trace.tables import Segment, TracedAccessTable, TracedInstruction, TraceTables
from kcc.frontend.kernel import Kernel
from kcc.frontend.machine_code.graph import MachineGraph
from kcc.frontend.machine_code.model import MachineCode, MachineInstruction, Pipe, Space
from kcc.frontend.machine_code.numbering import Numbers
from kcc.frontend.machine_code.uses import sources_of
from kcc.sim.machine.costs import Unit
from kcc.sim.program.compiled.lowering import (
    is_atomic,
    is_barrier,
    memory_of,
    unit_and_kind,
)
from kcc.sim.program.compiled.marks import Marks, joined_to, marks_of
from kcc.sim.program.compiled.path_search import CodePath, PathSearch
from kcc.sim.program.issued import PRIVATE_BASE, SHARED_BASE, IssuedTables
from kcc.sim.program.operations import MachineOperation, Memory

Ints = NDArray[np.int64]

TRIED_WARPS = 256
"""Of the first thread blocks of a launch, whose paths decide whether its code is understood."""

PATHS_KEPT = 1 << 14
"""Of a kernel, one for each sequence of segments that warps executed."""

_SPACES = {Space.SHARED: "local", Space.LOCAL: "private", Space.CONSTANT: "constant"}


@dataclass(frozen=True, slots=True, eq=False)
class TracedCode:
    """A kernel's machine code over the tables of its trace."""

    code: MachineCode
    tables: IssuedTables
    marks: Marks
    search: PathSearch
    segments: tuple[tuple[int, int], ...]
    """By machine block, its first segment and the end."""
    places: tuple[int, ...]
    """By segment, the machine instruction that makes its access, -1 for none."""
    fixed: Mapping[int, int]
    """Where spilled values lie, by machine instruction."""
    joined: Mapping[int, tuple[int, ...]]
    old: TraceTables
    paths: dict[bytes, _TracedPath] = field(default_factory=dict[bytes, "_TracedPath"])
    """Those found, by the segments of a warp."""

    def path_of(self, segments: NDArray[np.int32]) -> _TracedPath:
        """The path of a warp that executed these segments of the trace."""
        key = segments.tobytes()
        if key not in self.paths:
            if len(self.paths) == PATHS_KEPT:
                self.paths.clear()
            self.paths[key] = self._laid_path(segments.tolist())
        return self.paths[key]

    def _laid_path(self, segments: Sequence[int]) -> _TracedPath:
        path = self.search.path(segments)
        if path is None:
            nothing = np.zeros(0, np.int64)
            return _TracedPath(1.0, nothing, nothing, nothing, nothing, nothing, ())
        return _Laying(self, segments).laid(path)


@dataclass(frozen=True, slots=True, eq=False)
class _TracedPath:
    """What a warp executes: by row its ``segment`` and the place, among the warp's segments of the
    trace, whose lanes execute it (-1: none). By access the ``row`` of the trace that it takes its
    addresses from (-1: it has its own) and its place among that one's accesses, and what is
    ``added`` to them. ``wide``: rows of an access that others were joined to, the
    place of one of them, and the bytes moved; those of the first others, of the second, and so
    on."""

    misfit: float
    segment: NDArray[np.int64]
    lanes: NDArray[np.int64]
    row: NDArray[np.int64]
    place: NDArray[np.int64]
    added: NDArray[np.int64]
    wide: tuple[Ints, ...]


class _Laying:
    """Lays the steps of one path."""

    def __init__(self, own: TracedCode, segments: Sequence[int]) -> None:
        self.own, self.segments = own, segments
        self.rows_of = dict[int, list[int]]()
        """By segment of the trace, the places where it was executed."""
        for place, segment in enumerate(segments):
            self.rows_of.setdefault(segment, []).append(place)
        self.next = dict[int, int]()
        """By access, how many of its executions are behind."""
        self.ordinal = dict[int, int]()
        for own_rows in self.rows_of.values():
            self.ordinal.update({row: number for number, row in enumerate(own_rows)})

    def laid(self, path: CodePath) -> _TracedPath:
        segment, lanes = list[int](), list[int]()
        row, place, added = list[int](), list[int](), list[int]()
        wide = list[list[tuple[int, int, int]]]()
        last = 0
        for step in path.steps:
            taken = dict[int, list[int]]()
            for each in step.taken:
                taken.setdefault(self.segments[each], []).append(each)
            if step.taken:
                last = step.taken[0]
            seen = dict[int, int]()
            first, end = self.own.segments[step.block]
            for number in range(first, end):
                at = self.own.places[number]
                segment.append(number)
                if at < 0:
                    lanes.append(last)
                    continue
                source, piece = self._source(at, taken, seen)
                is_spill = self.own.marks.access[at] < 0
                lanes.append(last if is_spill else source)
                row.append(source)
                access = self.own.marks.access[at]
                old = self.own.old
                base = 0
                if source >= 0:
                    base = old.segments[self.segments[source]].first_access
                place.append(access - base if source >= 0 else 0)
                code = self.own.code.instructions[at]
                added.append(self.own.fixed[at] if source < 0 else piece * code.bytes)
                if source >= 0 and self.own.joined.get(at):
                    for turn, other in enumerate(self.own.joined[at]):
                        if turn == len(wide):
                            wide.append([])
                        wide[turn].append((len(row) - 1, other - base, code.bytes))
                if source >= 0:
                    last = source
        return _TracedPath(
            path.misfit, np.array(segment, np.int64), np.array(lanes, np.int64),
            np.array(row, np.int64), np.array(place, np.int64), np.array(added, np.int64),
            tuple(np.array(each, np.int64) for each in wide),
        )  # fmt: skip

    def _source(
        self, at: int, taken: Mapping[int, Sequence[int]], seen: dict[int, int]
    ) -> tuple[int, int]:
        """The place, among the warp's segments, of the execution that a machine instruction makes
        the access of, -1 for none, and which piece of it."""
        access = self.own.marks.access[at]
        if access < 0:
            return -1, 0
        old = self.own.old
        segment = old.instructions[old.accesses[access].instruction].segment
        pieces = self.own.marks.pieces.get(access, 1)
        before = seen.get(access, 0)
        seen[access] = before + 1
        copy, piece = divmod(before, pieces)
        own = taken.get(segment, ())
        if copy < len(own):
            found = own[copy]
            self.next[access] = self.ordinal[found] + 1
            return found, piece
        if self.own.code.instructions[at].predicate:
            return -1, piece
        executed = self.rows_of.get(segment, ())
        number = self.next.get(access, 0) - (piece > 0)
        if piece == 0:
            self.next[access] = number + 1
        return (executed[number] if 0 <= number < len(executed) else -1), piece


class PathBatches:
    """Makes batches of machine code of those of a trace, in a launch with so many ``warps`` in a
    thread block."""

    def __init__(self, code: TracedCode, warps: int) -> None:
        self.code, self.warps = code, warps

    def batches(self, batches: Iterator[TraceBatch]) -> Iterator[TraceBatch]:
        """The batches of a trace, from the beginning of a thread block on, as those of the code;
        each has whole thread blocks."""
        waiting = list[TraceBatch]()
        for batch in batches:
            if not len(batch):
                continue
            last = int(np.searchsorted(batch.thread_block, int(batch.thread_block[-1])))
            if last:
                waiting.append(batch.part(0, last))
                yield self.batch(joined(waiting))
                waiting = []
            elif waiting and waiting[-1].thread_block[-1] != batch.thread_block[0]:
                yield self.batch(joined(waiting))
                waiting = []
            waiting.append(batch.part(last, len(batch)))
        if waiting:
            yield self.batch(joined(waiting))

    def misfit(self, batches: Iterator[TraceBatch]) -> float:
        """What contradicts the code, in the mean over the first warps."""
        found = list[float]()
        for batch in batches:
            for rows in self._warps(batch):
                found.append(self.code.path_of(batch.segment[rows]).misfit)
                if len(found) == TRIED_WARPS:
                    return sum(found) / len(found)
            if found:
                break
        return sum(found) / len(found) if found else 0.0

    def _warps(self, batch: TraceBatch) -> Iterator[NDArray[np.int64]]:
        """The rows of each warp."""
        keys = batch.thread_block * self.warps + batch.warp
        order = np.argsort(keys, kind="stable")
        yield from np.split(order, np.flatnonzero(np.diff(keys[order])) + 1)

    def batch(self, batch: TraceBatch) -> TraceBatch:
        """Whole thread blocks."""
        has = self.code.tables.segments
        counts = np.array([s.end_access - s.first_access for s in has], np.int64)
        firsts = np.array([s.first_access for s in has], np.int64)
        paths, rows_of = list[_TracedPath](), list[NDArray[np.int64]]()
        for rows in self._warps(batch):
            paths.append(self.code.path_of(batch.segment[rows]))
            rows_of.append(rows)
        lengths = [len(path.segment) for path in paths]
        heads = np.repeat([rows[0] for rows in rows_of], lengths)
        segment = np.concatenate([path.segment for path in paths])
        lanes = np.concatenate(
            [np.append(rows, -1)[path.lanes] for path, rows in zip(paths, rows_of, strict=True)]
        )
        mask = np.where(lanes >= 0, batch.mask[lanes], np.uint64(0))
        start = np.append(0, np.cumsum(counts[segment]))
        access = firsts[segment[counts[segment] > 0]].astype(np.int32)
        addresses = np.zeros((len(access), batch.addresses.shape[1]), np.int64)
        if addresses.size:
            self._fill(batch, paths, rows_of, addresses)
        return TraceBatch(
            batch.thread_block[heads], batch.warp[heads], segment.astype(np.int32),
            np.zeros(len(segment), np.int32), np.zeros(len(segment), np.bool_), mask, start,
            access, addresses,
        )  # fmt: skip

    def _fill(
        self, batch: TraceBatch, paths: Sequence[_TracedPath], rows_of: Sequence[NDArray[np.int64]],
        addresses: NDArray[np.int64],
    ) -> None:  # fmt: skip
        """The addresses of the accesses of some warps."""
        starts = [
            np.where(path.row >= 0, batch.access_start[rows[path.row]] + path.place, -1)
            for path, rows in zip(paths, rows_of, strict=True)
        ]
        source = np.concatenate(starts)
        own = source >= 0
        addresses[own] = batch.addresses[source[own]]
        addresses += np.concatenate([path.added for path in paths])[:, None]
        self._widen(batch, paths, rows_of, addresses)

    def _widen(
        self, batch: TraceBatch, paths: Sequence[_TracedPath], rows_of: Sequence[NDArray[np.int64]],
        addresses: NDArray[np.int64],
    ) -> None:  # fmt: skip
        """Accesses that others were joined to begin with the lowest of those that lie beside."""
        bases = np.cumsum([0, *(len(path.row) for path in paths)])
        for turn in range(max((len(path.wide) for path in paths), default=0)):
            access, source, size = list[Ints](), list[Ints](), list[Ints]()
            for base, path, rows in zip(bases, paths, rows_of, strict=False):
                if turn < len(path.wide):
                    own = path.wide[turn]
                    access.append(base + own[:, 0])
                    source.append(batch.access_start[rows[path.row[own[:, 0]]]] + own[:, 1])
                    size.append(own[:, 2])
            at = np.concatenate(access)
            here, other = addresses[at], batch.addresses[np.concatenate(source)]
            near = np.abs(other - here) < np.concatenate(size)[:, None]
            addresses[at] = np.where(near, np.minimum(here, other), here)


def code_over_trace(
    tables: TraceTables, kernel: Kernel, numbers: Numbers, code: MachineCode
) -> TracedCode | None:
    """The machine code of a kernel over its trace; None where there are no instructions."""
    if not code.instructions:
        return None
    graph = MachineGraph(code)
    marks = marks_of(tables, kernel, numbers, graph)
    making = _Making(tables, code, graph, marks)
    new = making.tables()
    return TracedCode(
        code, new, marks, PathSearch(graph, marks), tuple(making.bounds), tuple(making.places),
        making.fixed, joined_to(tables, code, marks), tables,
    )  # fmt: skip


class _Making:
    """Makes the tables."""

    def __init__(
        self, old: TraceTables, code: MachineCode, graph: MachineGraph, marks: Marks
    ) -> None:
        self.old, self.code, self.graph, self.marks = old, code, graph, marks
        self.segments, self.bounds = list[Segment](), list[tuple[int, int]]()
        self.places = list[int]()
        self.accesses = list[TracedAccessTable]()
        self.fixed = dict[int, int]()
        self.operations = list[MachineOperation]()
        self.instructions = list[TracedInstruction]()

    def tables(self) -> IssuedTables:
        sources = sources_of(self.graph)
        for block in self.graph.blocks:
            first_segment, first, first_access = len(self.segments), block.first, len(self.accesses)
            for place in range(block.first, block.end):
                each = self.code.instructions[place]
                self._add(place, each, sources[place])
                has_access = len(self.accesses) > first_access
                if has_access or is_barrier(each) or place + 1 == block.end:
                    barrier = place if is_barrier(each) else -1
                    self.segments.append(
                        Segment(
                            0, first, place + 1, place + 1 - first, first_access,
                            len(self.accesses), barrier,
                        )
                    )  # fmt: skip
                    self.places.append(place if has_access else -1)
                    first, first_access = place + 1, len(self.accesses)
            self.bounds.append((first_segment, len(self.segments)))
        kept = {f.name: getattr(self.old, f.name) for f in fields(TraceTables)}
        block = replace(
            self.old.blocks[0], first=0, end=len(self.instructions), first_segment=0,
            successors=(), reconvergence=None,
        )  # fmt: skip
        kept |= {
            "blocks": (block,), "segments": tuple(self.segments),
            "instructions": tuple(self.instructions), "accesses": tuple(self.accesses),
            "private_bytes": self.beside + self.code.stack_bytes,
        }  # fmt: skip
        controls = tuple(each.control for each in self.code.instructions)
        known = tuple(each for each in controls if each is not None)
        return IssuedTables(
            **kept, operations=tuple(self.operations),
            numbers=tuple(range(len(self.operations))), registers=self.code.registers,
            code=len(self.operations), compiler=self.code.compiler,
            controls=known if len(known) == len(controls) else (),
        )  # fmt: skip

    @property
    def beside(self) -> int:
        """Where spilled values lie: after the trace's arrays."""
        return -(-self.old.private_bytes // 16) * 16

    def _add(self, place: int, each: MachineInstruction, needs: tuple[int, ...]) -> None:
        index, number = self.marks.index[place], self.marks.access[place]
        unit, kind = unit_and_kind(each)
        memory, spilled = Memory.NONE, -1
        if is_barrier(each):
            memory = Memory.BARRIER
        elif each.pipe is Pipe.MEMORY and each.predicate == "!PT":  # for no lane: a slot
            unit = Unit.CONTROL
        elif each.pipe is Pipe.MEMORY:
            memory, kind, spilled = memory_of(each, is_access=number >= 0)
        access = -1
        if number >= 0 or spilled >= 0:
            access = len(self.accesses)
            self._add_access(place, each, number, spilled)
        elif unit is Unit.MEMORY and memory is not Memory.SHUFFLE:
            unit, memory = Unit.CONTROL, Memory.NONE
        classes = ((kind.value, 1),)
        file, line = -1, 0
        if index is not None:
            row = self.old.instructions[index]
            file, line = row.file, row.line
        self.instructions.append(
            TracedInstruction(
                0, len(self.segments), each.opcode, "", classes, "void", 0, (), (), access, file,
                line, 0,
            )
        )  # fmt: skip
        self.operations.append(
            MachineOperation(
                unit, kind, 1.0, 1.0, needs, memory, access, each.bytes, line,
                -1 if index is None else index, spilled, has_doubles=".F64" in each.opcode,
            )
        )  # fmt: skip

    def _add_access(self, place: int, each: MachineInstruction, number: int, spilled: int) -> None:
        own = len(self.instructions)
        operation = "atomic" if is_atomic(each) else "store" if each.is_store else "load"
        space = _SPACES.get(each.space, "global") if each.space else "global"
        if number < 0:
            self.fixed[place] = PRIVATE_BASE + self.beside + spilled
            self.accesses.append(TracedAccessTable(own, operation, space, each.bytes, "", -1))
            return
        self.fixed[place] = SHARED_BASE
        old = self.old.accesses[number]
        self.accesses.append(
            TracedAccessTable(own, operation, space, each.bytes, old.array, old.argument)
        )
