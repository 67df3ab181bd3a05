"""Loads of adjacent words of local memory as a compiler makes them: one wide load.

Compilers merge loads of consecutive words from an array whose alignment they know (LDS.64,
LDS.128). The tables of a trace do not say by what constants addresses differ, but the addresses do:
loads of one array in one segment, with no store or atomic operation to local memory between, whose
addresses go up by a word in each lane of all executions in the trace's first batch, and begin
aligned, are merged, by four or by two words. Only arrays that the kernel declares count: a
compiler knows nothing of the alignment of others. The words that follow become changes of name of
what the first load gives.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from kcc.base.records import dataclass
from kcc.base.trace.decode import TraceBatch
from kcc.base.trace.tables import TracedInstruction, TraceTables

WORD_BYTES = 4
WIDTHS = (4, 2)
"""Words of a wide load; the widest that fits is taken."""

ROWS_LOOKED_AT = 256
"""Executions of a segment that are looked at."""


@dataclass(frozen=True, slots=True, eq=False)
class WideLoads:
    """Tables with wide loads, and how accesses of the trace become theirs: ``number`` of each, -1
    for those that are part of one before."""

    tables: TraceTables
    number: NDArray[np.int32]

    def batch(self, batch: TraceBatch) -> TraceBatch:
        """A batch of the trace, with the accesses that are left."""
        number = self.number[batch.access]
        kept = number >= 0
        before = np.concatenate([[0], np.cumsum(kept)])
        return replace(
            batch, access_start=before[batch.access_start], access=number[kept],
            addresses=batch.addresses[kept],
        )  # fmt: skip


def may_be_wide(tables: TraceTables) -> bool:
    """Whether a batch of the trace is worth looking at."""
    return any(len(run) > 1 for s in range(len(tables.segments)) for run in _runs(tables, s))


def wide_loads(tables: TraceTables, batch: TraceBatch) -> WideLoads | None:
    """The wide loads that a batch shows; None if there are none."""
    groups = [
        group
        for segment in range(len(tables.segments))
        for run in _runs(tables, segment)
        for group in _groups(run, tables, segment, batch)
    ]
    if not groups:
        return None
    leader = {access: group[0] for group in groups for access in group[1:]}
    words = {group[0]: len(group) for group in groups}
    left = [n for n in range(len(tables.accesses)) if n not in leader]
    number = np.full(len(tables.accesses), -1, np.int32)
    number[left] = np.arange(len(left), dtype=np.int32)
    return WideLoads(_tables(tables, leader, words, left, number), number)


def _runs(tables: TraceTables, segment: int) -> Iterator[list[int]]:
    """Loads of words of one declared array in a segment that nothing written to local memory parts,
    in their order."""
    names = [a.name for a in tables.arrays if a.space == "local"]
    arrays = {*names, *(name.rpartition(".")[2] for name in names)}
    open_runs = dict[str, list[int]]()
    own = tables.segments[segment]
    for number in range(own.first_access, own.end_access):
        access = tables.accesses[number]
        if access.space == "local" and access.operation != "load":
            yield from open_runs.values()
            open_runs = {}
        elif access.array in arrays and access.element_bytes == WORD_BYTES:
            open_runs.setdefault(access.array, []).append(number)
    yield from open_runs.values()


def _groups(
    run: Sequence[int], tables: TraceTables, segment: int, batch: TraceBatch
) -> Iterator[list[int]]:
    """The parts of a run that are one wide load each."""
    rows = np.flatnonzero(batch.segment == segment)[:ROWS_LOOKED_AT]
    if len(run) < min(WIDTHS) or not len(rows):
        return
    first = tables.segments[segment].first_access
    places = batch.access_start[rows][:, None] + (np.array(run) - first)
    addresses = batch.addresses[places]
    lanes = np.arange(addresses.shape[2], dtype=np.uint64)
    off = (batch.mask[rows][:, None] >> lanes & np.uint64(1)) == 0
    steps = (np.diff(addresses, axis=1) == WORD_BYTES) | off[:, None]
    follows: list[bool] = steps.all(axis=(0, 2)).tolist()
    place = 0
    while place < len(run):
        for width in WIDTHS:
            is_whole = place + width <= len(run) and all(follows[place : place + width - 1])
            aligned = (addresses[:, place] % (WORD_BYTES * width) == 0) | off
            if is_whole and aligned.all():
                yield list(run[place : place + width])
                place += width - 1
                break
        place += 1


def _tables(
    tables: TraceTables,
    leader: dict[int, int],
    words: dict[int, int],
    left: Sequence[int],
    number: NDArray[np.int32],
) -> TraceTables:
    """The tables with the accesses that are left."""
    accesses = tuple(
        replace(tables.accesses[n], element_bytes=WORD_BYTES * words.get(n, 1))
        if n in words else tables.accesses[n]
        for n in left
    )  # fmt: skip
    instructions = list[TracedInstruction]()
    for each in tables.instructions:
        if each.access in leader:
            source = tables.accesses[leader[each.access]].instruction
            each = replace(
                each, opcode="extractelement", detail="", classes=(("move", 1),),
                operands=(source,), access=-1,
            )  # fmt: skip
        elif each.access >= 0:
            each = replace(each, access=int(number[each.access]))
        instructions.append(each)
    before = np.concatenate([[0], np.cumsum(number >= 0)])
    segments = tuple(
        replace(s, first_access=int(before[s.first_access]), end_access=int(before[s.end_access]))
        for s in tables.segments
    )
    return replace(tables, accesses=accesses, instructions=tuple(instructions), segments=segments)
