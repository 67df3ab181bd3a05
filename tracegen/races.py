"""Data races of a launch, found from its trace of addresses.

Two accesses race when they touch the same byte, come from different work-items, at least one
writes, not both are atomic, and nothing orders them: within a thread block no barrier that names
the memory lies between; different thread blocks are never ordered. Work-items of a warp count as
different: nothing in the language makes them wait for one another.

For each byte it is enough to know, within a group of accesses that nothing orders, whether there
are plain writes, atomics and reads, and whether more than one work-item (thread block) takes part.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from kcc.base.diagnostics import Diagnostic, Note, Span
from kcc.base.records import dataclass
from kcc.frontend.ir.instructions import (
    AnyInstruction,
    AtomicRmw,
    Call,
    CompareExchange,
    Load,
    Store,
)
from kcc.frontend.ir.values import ConstantInt
from kcc.tracegen.simt.layout import LOCAL_BASE, PRIVATE_BASE
from kcc.tracegen.simt.plan import Object, Plan
from kcc.tracegen.simt.wide import access_bytes
from kcc.tracegen.trace_stream import TracedBlock, TraceReader

Rows = NDArray[np.int64]
"""Accesses to single bytes: one column per field of :class:`Field`."""


class Field(IntEnum):
    """Columns of :data:`Rows`."""

    BYTE = 0
    """Virtual address."""
    BLOCK = 1
    EPOCH = 2
    """Barriers passed that name the memory."""
    ITEM = 3
    """Linear number in the thread block."""
    KIND = 4
    INSTRUCTION = 5


class Kind(IntEnum):
    """What an access does."""

    READ = 0
    ATOMIC = 1
    WRITE = 2


LOCAL_FENCE, GLOBAL_FENCE = 1, 2
"""Bits of a barrier's argument: CLK_LOCAL_MEM_FENCE, CLK_GLOBAL_MEM_FENCE."""


@dataclass(frozen=True, slots=True)
class Race:
    """Two accesses to a byte that nothing orders: (thread block, work-item, instruction) each."""

    address: int
    first: tuple[int, int, int]
    second: tuple[int, int, int]


@dataclass(slots=True)
class _Warp:
    """Where a warp stands: the part of its block it is in, and the barriers it has passed."""

    part: int = 0
    local_epoch: int = 0
    global_epoch: int = 0


@dataclass(slots=True)
class RaceDetector:
    """Takes a trace of addresses as ``on_trace`` does, then gives a race if there is one."""

    plan: Plan
    found: Race | None = None
    _reader: TraceReader = field(init=False)
    _chunk: int = -1
    _warps: dict[tuple[int, int], _Warp] = field(default_factory=dict[tuple[int, int], _Warp])
    _rows: list[Rows] = field(default_factory=list[Rows])
    _shared: Rows = field(default_factory=lambda: np.zeros((0, len(Field)), np.int64))
    """Of the chunks before: for each byte of global memory and kind accesses of two blocks."""

    def __post_init__(self) -> None:
        self._reader = TraceReader(self.plan, addresses=True)

    def add(self, first_block: int, words: NDArray[np.uint32]) -> None:
        """The next words of the trace."""
        if first_block != self._chunk:
            self._close_chunk()
            self._chunk = first_block
        for part in self._reader.read(first_block, words):
            self._add_part(part)

    def finish(self) -> Race | None:
        """The race found, the same in every run."""
        self._close_chunk()
        return self.found

    def _add_part(self, part: TracedBlock) -> None:
        warp = self._warps.setdefault((part.thread_block, part.warp), _Warp())
        if part.continued:
            self._pass_barrier(warp, part.block)
        else:
            warp.part = 0
        width = self.plan.width
        lanes = np.array([i for i in range(width) if part.mask >> i & 1], np.int64)
        for access in part.accesses:
            addresses = access.addresses[lanes]
            shared = addresses < PRIVATE_BASE
            if shared.any():
                items = part.warp * width + lanes[shared]
                self._add_access(
                    part.thread_block, warp, items, addresses[shared], access.instruction
                )

    def _pass_barrier(self, warp: _Warp, block: int) -> None:
        """The warp resumes after the next barrier of its block."""
        barriers = [
            i for n in self.plan.barriers
            if (i := self.plan.function.instructions[n]).block == block
        ]  # fmt: skip
        barrier = barriers[warp.part]
        assert isinstance(barrier, Call)
        flags = barrier.operands[0] if barrier.operands else None
        named = flags.value if isinstance(flags, ConstantInt) else LOCAL_FENCE | GLOBAL_FENCE
        warp.part += 1
        warp.local_epoch += bool(named & LOCAL_FENCE)
        warp.global_epoch += bool(named & GLOBAL_FENCE)

    def _add_access(
        self, block: int, warp: _Warp, items: NDArray[np.int64], addresses: NDArray[np.int64],
        number: int,
    ) -> None:  # fmt: skip
        kind, size = kind_and_size(self.plan.function.instructions[number])
        is_local = addresses >= LOCAL_BASE
        rows = np.empty((len(addresses), size, len(Field)), np.int64)
        rows[:, :, Field.BYTE] = addresses[:, None] + np.arange(size)
        rows[:, :, Field.BLOCK] = block
        rows[:, :, Field.EPOCH] = np.where(is_local, warp.local_epoch, warp.global_epoch)[:, None]
        rows[:, :, Field.ITEM] = items[:, None]
        rows[:, :, Field.KIND] = kind
        rows[:, :, Field.INSTRUCTION] = number
        self._rows.append(rows.reshape(-1, len(Field)))

    def _close_chunk(self) -> None:
        """Look for races within the blocks of the chunk, then between those so far."""
        if not self._rows:
            return
        rows = np.unique(np.concatenate(self._rows), axis=0)
        self._rows.clear()
        self._warps.clear()
        if self.found is not None:
            return
        self.found = find_race(rows, [Field.BYTE, Field.BLOCK, Field.EPOCH], Field.ITEM)
        if self.found is not None:
            return
        everything = np.concatenate([self._shared, rows[rows[:, Field.BYTE] < LOCAL_BASE]])
        self._shared = two_blocks_each(everything)
        self.found = find_race(self._shared, [Field.BYTE], Field.BLOCK)


def kind_and_size(instruction: AnyInstruction) -> tuple[Kind, int]:
    """What an access does, to how many bytes."""
    match instruction:
        case Load():
            return Kind.READ, access_bytes(instruction.type)
        case Store():
            return Kind.WRITE, access_bytes(instruction.value.type)
        case AtomicRmw():
            return Kind.ATOMIC, access_bytes(instruction.type)
        case CompareExchange():
            return Kind.ATOMIC, access_bytes(instruction.new.type)
        case _:
            raise AssertionError(f"not an access: {instruction}")


def _groups(rows: Rows, keys: list[Field]) -> tuple[Rows, NDArray[np.int64]]:
    """The rows sorted by ``keys``, and where each group of equal keys begins."""
    rows = rows[np.lexsort([rows[:, k] for k in reversed([*keys, *Field])])]
    fresh = np.ones(len(rows), bool)
    fresh[1:] = (rows[1:][:, keys] != rows[:-1][:, keys]).any(axis=1)
    return rows, np.flatnonzero(fresh)


def two_blocks_each(rows: Rows) -> Rows:
    """For each byte and kind one access of the first and one of the last thread block."""
    if not len(rows):
        return rows
    rows, starts = _groups(rows, [Field.BYTE, Field.KIND, Field.BLOCK])
    rows = rows[starts]
    rows, starts = _groups(rows, [Field.BYTE, Field.KIND])
    kept = np.zeros(len(rows), bool)
    kept[starts] = kept[np.append(starts[1:], len(rows)) - 1] = True
    return rows[kept]


def find_race(rows: Rows, keys: list[Field], owner: Field) -> Race | None:
    """The race at the lowest address among accesses with equal ``keys`` by different ``owner``s."""
    if not len(rows):
        return None
    rows, starts = _groups(rows, keys)
    lengths = np.diff(np.append(starts, len(rows)))

    def has(kind: Kind) -> NDArray[np.bool_]:
        return np.logical_or.reduceat(rows[:, Field.KIND] == kind, starts)

    owners = rows[:, owner]
    several = np.minimum.reduceat(owners, starts) != np.maximum.reduceat(owners, starts)
    racing = several & (has(Kind.WRITE) | (has(Kind.ATOMIC) & has(Kind.READ)))
    if not racing.any():
        return None
    group = int(np.flatnonzero(racing)[0])
    own = rows[starts[group] : starts[group] + lengths[group]]
    for first in own[np.argsort(-own[:, Field.KIND], kind="stable")]:
        for second in own:
            if first[owner] != second[owner] and _conflict(first[Field.KIND], second[Field.KIND]):
                return Race(int(first[Field.BYTE]), _party(first), _party(second))
    raise AssertionError("a race has two parties")


def _conflict(first: int, second: int) -> bool:
    """Whether two kinds of access to a byte need an order."""
    return bool(first != second or first == Kind.WRITE)


def _party(row: Rows) -> tuple[int, int, int]:
    return int(row[Field.BLOCK]), int(row[Field.ITEM]), int(row[Field.INSTRUCTION])


def explain_race(
    race: Race,
    plan: Plan,
    item: Object | None,
    global_id: Callable[[int, int], tuple[int, int, int]],
    kernel: str,
    otherwise: Span,
) -> Diagnostic:
    """The diagnostic of a race. ``item`` is the array, ``global_id`` gives the id of a work-item
    of a thread block, ``otherwise`` the place where an instruction has none."""
    ids = [global_id(block, own) for block, own, _ in (race.first, race.second)]
    instructions = [plan.function.instructions[p[2]] for p in (race.first, race.second)]
    verbs = [_VERBS[kind_and_size(i)[0]] for i in instructions]
    spans = [_span(i, otherwise) for i in instructions]
    place = f"address 0x{race.address:x}"
    if item is not None:
        place = f"'{item.name}' at byte offset {race.address - item.address}"
    apart = race.first[0] != race.second[0]
    why = "different work-groups are not ordered" if apart else "no barrier orders them"
    message = (
        f"data race: {verbs[0]} of {place} by global id {ids[0]} and {verbs[1]} by {ids[1]}; "
        f"{why} (kernel '{kernel}')"
    )
    return Diagnostic("K721", message, spans[0], (Note(f"the {verbs[1]} is here", spans[1]),))


_VERBS = {Kind.READ: "read", Kind.WRITE: "write", Kind.ATOMIC: "atomic access"}


def _span(instruction: AnyInstruction, otherwise: Span) -> Span:
    place = instruction.location
    return Span(place.file, place.line, place.column) if place is not None else otherwise
