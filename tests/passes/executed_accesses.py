"""What an execution says of memory accesses, and whether it agrees with their patterns."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kcc.base.profile.model import AccessCount, Histogram
from kcc.base.trace.decode import TraceBatch, TraceDecoder
from kcc.frontend.kernel import CompiledUnit, Kernel
from kcc.frontend.types import AddressSpace
from kcc.passes.access.activity import activity, split_blocks
from kcc.passes.control.trip_counts import TripCounts
from kcc.passes.facts import Facts
from kcc.passes.memory.access_facts import AccessKind, AccessPattern, AccessPatterns, Spread
from kcc.passes.memory.memory_accesses import MemoryAccess, MemoryAccesses
from kcc.passes.symbolic.build import SymbolicValues
from kcc.passes.symbolic.expr import Number
from kcc.tracegen.execute import ExecutionOptions, NDRange, PreparedLaunch, prepare
from kcc.tracegen.profiling.layout import PER_BLOCK
from kcc.tracegen.profiling.memory import MemoryCounter
from kcc.tracegen.simt.program import TraceMode
from kcc.tracegen.trace_tables import tables_of

LINE = 128

Parts = list[NDArray[np.int64]]


@dataclass(frozen=True, slots=True)
class ExecutedAccess:
    """One access in a launch. ``all`` counts every execution, ``full`` those in which all lanes of
    a full warp (of the only warp, in smaller thread blocks) took part; ``rows`` are the distinct
    addresses in the latter, ``touched`` all distinct addresses."""

    all: AccessCount
    full: AccessCount
    rows: NDArray[np.int64]
    touched: NDArray[np.int64]


class AccessCollector:
    """Collects what one launch does from its trace."""

    def __init__(self, unit: CompiledUnit, kernel: Kernel, ready: PreparedLaunch) -> None:
        assert ready.plan.function is kernel.function
        tables, launch = tables_of(ready.plan, kernel, unit), ready.launch
        self._accesses = ready.plan.accesses
        self._width = min(math.prod(launch.local_size), tables.width)
        groups = math.prod(launch.global_size) // math.prod(launch.local_size)
        self._everyone = MemoryCounter(tables), np.zeros((groups, PER_BLOCK), np.int64)
        self._complete = MemoryCounter(tables), np.zeros((groups, PER_BLOCK), np.int64)
        self._rows: list[Parts] = [[] for _ in tables.accesses]
        self._touched: list[Parts] = [[] for _ in tables.accesses]
        self._decoder = TraceDecoder(tables, addresses=True)

    def take(self, first: int, words: NDArray[np.uint32]) -> None:
        """A piece of the trace."""
        for batch in self._decoder.decode(first, words):
            self._everyone[0].add(batch, self._everyone[1])
            whole = batch.mask == np.uint64((1 << self._width) - 1)
            self._complete[0].add(_only(batch, whole), self._complete[1])
            _collect(batch, whole, self._width, self._rows, self._touched)

    def finish(self) -> dict[int, ExecutedAccess]:
        """By index of the instruction."""
        none = np.zeros(0, np.int64)
        counts = zip(self._everyone[0].accesses(), self._complete[0].accesses(), strict=True)
        return {
            self._accesses[number]: ExecutedAccess(
                own,
                full,
                _joined(self._rows[number], self._width),
                np.unique(np.concatenate([*self._touched[number], none])),
            )
            for number, (own, full) in enumerate(counts)
        }


def run_accesses(
    unit: CompiledUnit, kernel: Kernel, launch: NDRange, arguments: list[Any]
) -> dict[int, ExecutedAccess]:
    """Executes a launch; by index of the instruction."""
    pieces = list[tuple[int, NDArray[np.uint32]]]()

    def keep(first: int, words: NDArray[np.uint32]) -> None:
        pieces.append((first, words))

    options = ExecutionOptions(trace=TraceMode.ADDRESSES, on_trace=keep)
    ready = prepare(unit, kernel, launch, arguments, options)
    ready.run()
    collector = AccessCollector(unit, kernel, ready)
    for first, words in pieces:
        collector.take(first, words)
    return collector.finish()


def _only(batch: TraceBatch, chosen: NDArray[np.bool_]) -> TraceBatch:
    """Some segments of a batch."""
    sizes = np.diff(batch.access_start)
    kept = np.repeat(chosen, sizes)
    return replace(
        batch,
        thread_block=batch.thread_block[chosen], warp=batch.warp[chosen],
        segment=batch.segment[chosen], block=batch.block[chosen],
        continued=batch.continued[chosen], mask=batch.mask[chosen],
        access_start=np.concatenate([[0], np.cumsum(sizes[chosen])]).astype(np.int64),
        access=batch.access[kept], addresses=batch.addresses[kept],
    )  # fmt: skip


def _collect(
    batch: TraceBatch, whole: NDArray[np.bool_], width: int,
    rows: list[Parts], touched: list[Parts],
) -> None:  # fmt: skip
    sizes = np.diff(batch.access_start)
    masks, complete = np.repeat(batch.mask, sizes), np.repeat(whole, sizes)
    lanes = (masks[:, None] >> np.arange(width, dtype=np.uint64)) & np.uint64(1)
    for number in map(int, np.unique(batch.access)):
        own = batch.access == number
        addresses = batch.addresses[own, :width]
        rows[number].append(np.unique(addresses[complete[own]], axis=0))
        touched[number].append(np.unique(addresses[lanes[own] != 0]))


def _joined(parts: list[NDArray[np.int64]], width: int) -> NDArray[np.int64]:
    return np.unique(np.concatenate([*parts, np.zeros((0, width), np.int64)]), axis=0)


# comparison


def differences(kernel: Kernel, facts: Facts, executed: dict[int, ExecutedAccess]) -> list[str]:
    """What the patterns of a kernel say that its execution does not."""
    wrong = list[str]()
    patterns = facts[AccessPatterns].patterns
    for access, pattern in zip(facts[MemoryAccesses].accesses, patterns, strict=True):
        if access.instruction not in executed or access.space is AddressSpace.PRIVATE:
            continue
        own = executed[access.instruction]
        where = f"{kernel.name}, line {access.location and access.location.line}, {pattern.text}"
        found = [
            *_wrong_costs(facts, access, pattern, own),
            *_wrong_kind(access, pattern, own),
            *_wrong_launch(access, pattern, own),
        ]
        wrong += [f"{where}: {text}" for text in found]
    return wrong


def _wrong_costs(
    facts: Facts, access: MemoryAccess, pattern: AccessPattern, own: ExecutedAccess
) -> list[str]:
    if pattern.sampled or not own.full.executions:
        return []
    parted = access.block in split_blocks(facts[SymbolicValues].kernel, facts)
    always = _always(facts, access) and pattern.exact and not parted
    pairs = [
        ("sectors", pattern.sectors, own.full.sectors), ("lines", pattern.lines, own.full.lines),
        ("bank passes", pattern.bank_passes, own.full.bank_passes),
    ]  # fmt: skip
    return [
        text
        for name, said, seen in pairs
        for text in _wrong_spread(name, said, seen, exactly=always)
    ]


def _wrong_spread(name: str, said: Spread | None, seen: Histogram, *, exactly: bool) -> list[str]:
    if said is None:
        return []
    least, greatest = min(seen), max(seen)
    mean = sum(k * n for k, n in seen.items()) / sum(seen.values())
    inside = said.least <= least and greatest <= said.greatest
    if exactly:
        inside = (said.least, said.greatest) == (least, greatest)
        inside = inside and said.mean is not None and math.isclose(said.mean, mean)
    return [] if inside else [f"{name} are {least} to {greatest}, mean {mean}, not {said}"]


def _always(facts: Facts, access: MemoryAccess) -> bool:
    """Whether all warps execute an access in all iterations with all lanes."""
    values = facts[SymbolicValues]
    found = activity(values, facts[TripCounts], access.block)
    return found is not None and isinstance(found.condition, Number) and not found.never


def _wrong_kind(access: MemoryAccess, pattern: AccessPattern, own: ExecutedAccess) -> list[str]:
    rows = own.rows
    if not len(rows) or rows.shape[1] == 1 or pattern.sampled:
        return []
    steps = np.diff(rows, axis=1)
    size, stride = access.element_bytes, pattern.stride_bytes
    match pattern.kind:
        case AccessKind.UNIFORM:
            fine = (steps == 0).all()
        case AccessKind.CONTIGUOUS:
            fine = (steps == size).all()
        case AccessKind.STRIDED:
            fine = (steps == (steps[:, :1] if stride is None else stride)).all()
        case AccessKind.ROW_CHUNK:
            length = pattern.run_lanes
            assert length
            runs = np.diff(rows.reshape(len(rows), -1, length), axis=2)
            fine = (runs == (runs[:, :1, :1] if stride is None else stride)).all()
            jumps = np.diff(rows[:, ::length], axis=1)
            fine = fine and pattern.run_stride_bytes in (None, *np.unique(jumps).tolist())
            fine = fine and (pattern.run_stride_bytes is None or len(np.unique(jumps)) == 1)
        case _:
            fine = True
    return [] if fine else [f"is not {pattern.kind.value} by {stride}: {rows[0].tolist()}"]


def _wrong_launch(access: MemoryAccess, pattern: AccessPattern, own: ExecutedAccess) -> list[str]:
    wrong = list[str]()
    done, seen = pattern.executions, own.all
    if done is not None:
        is_local = access.space is AddressSpace.LOCAL
        said = (done.count, done.lanes, done.sectors, done.lines, done.bank_passes)
        real = (
            seen.executions, seen.lanes,
            *(_total(h) if is_local == banked else 0 for h, banked in
              ((seen.sectors, False), (seen.lines, False), (seen.bank_passes, True))),
        )  # fmt: skip
        if said != real:
            wrong.append(f"executions are {real}, not {said}")
    footprint = pattern.footprint
    assert isinstance(access.element_bytes, int)
    if footprint is not None and footprint.bytes is not None:
        size, lines = _footprint(own.touched, access.element_bytes)
        if footprint.exact:
            fine = footprint.bytes == size and footprint.lines in (None, lines)
        else:
            fine = footprint.bytes >= size and (footprint.lines is None or footprint.lines >= lines)
        if not fine:
            wrong.append(f"footprint is {size} bytes, {lines} lines, not {footprint}")
    return wrong


def _total(histogram: Histogram) -> int:
    return sum(k * n for k, n in histogram.items())


def _footprint(touched: NDArray[np.int64], size: int) -> tuple[int, int]:
    """Distinct bytes and lines, byte by byte."""
    each = np.unique(touched[:, None] + np.arange(size))
    return len(each), len(np.unique(each // LINE))
