"""Reads the words of a trace back: which warp executed which block, and what it touched.

The words are described in :mod:`kcc.tracegen.simt.tracing`.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from kcc.base.records import dataclass
from kcc.frontend.ir.instructions import AtomicRmw, CompareExchange, Store
from kcc.tracegen.simt.plan import Plan
from kcc.tracegen.simt.tracing import (
    FAR_SHIFT,
    HEADER_MARK,
    REACH,
    SAME_MASK,
    TAG_FAR,
    TAG_PATTERN,
    TAG_SAME,
    TAG_SHIFT,
    TAG_UNIFORM,
)
from kcc.tracegen.simt.wide import access_bytes


@dataclass(frozen=True, slots=True)
class TracedAccess:
    """One memory instruction of one warp: ``addresses`` (virtual, one per lane of the warp) mean
    something for active lanes only."""

    instruction: int
    addresses: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class TracedBlock:
    """One basic block executed by one warp of one thread block; ``mask`` has a bit per lane.

    A block with barriers comes in parts: those after a barrier are ``continued``.
    """

    thread_block: int
    warp: int
    block: int
    continued: bool
    mask: int
    accesses: tuple[TracedAccess, ...]


class TraceReader:
    """Decodes the pieces of a trace in the order in which they come."""

    def __init__(self, plan: Plan, *, addresses: bool) -> None:
        self.plan, self.with_addresses = plan, addresses
        self.number_of = {index: n for n, index in enumerate(plan.accesses)}
        segments = max(plan.segment_of) + 1
        self.touching: list[list[int]] = [[] for _ in range(segments)]
        for index in plan.accesses:
            self.touching[plan.segment_of[index]].append(index)
        self.block_of = [0] * segments
        for instruction in plan.function.instructions:
            self.block_of[plan.segment_of[instruction.index]] = instruction.block
        self.chunk: int | None = None
        self.rest = np.zeros(0, np.uint32)

    def read(self, first_block: int, words: NDArray[np.uint32]) -> Iterator[TracedBlock]:
        """The blocks of one piece, as ``on_trace`` gets it. Pieces end where blocks end."""
        if first_block != self.chunk:
            self.chunk = first_block
            self.patterns = np.zeros((len(self.plan.accesses), self.plan.width), np.int64)
            self.bases = [0] * len(self.plan.accesses)
            self.thread_block = self.warp = self.mask = 0
        numbers: list[int] = words.tolist()
        place = 0
        while place < len(numbers):
            word = numbers[place]
            if word == HEADER_MARK:
                self.thread_block = numbers[place + 1] | numbers[place + 2] << 32
                self.warp, self.mask = numbers[place + 3], 0
                place += 4
                continue
            place = self._read_mask(numbers, place)
            segment = word & ~SAME_MASK
            accesses = list[TracedAccess]()
            for instruction in self.touching[segment] if self.with_addresses else ():
                place, found = self._read_access(numbers, place, instruction)
                accesses.append(found)
            block = self.block_of[segment]
            continued = segment != self.plan.first_segment[block]
            yield TracedBlock(
                self.thread_block, self.warp, block, continued, self.mask, tuple(accesses)
            )

    def _read_mask(self, numbers: list[int], place: int) -> int:
        if numbers[place] & SAME_MASK:
            return place + 1
        count = self.plan.width // 32
        self.mask = sum(numbers[place + 1 + i] << 32 * i for i in range(count))
        return place + 1 + count

    def _read_access(
        self, numbers: list[int], place: int, instruction: int
    ) -> tuple[int, TracedAccess]:
        number = self.number_of[instruction]
        word = numbers[place]
        tag = word >> TAG_SHIFT
        if tag == TAG_FAR:
            whole = numbers[place + 1] | numbers[place + 2] << 32
            tag, address = whole >> FAR_SHIFT, whole & ((1 << FAR_SHIFT) - 1)
            place += 3
        else:
            apart = word & (2 * REACH - 1)
            address = self.bases[number] + (apart - 2 * REACH if apart >= REACH else apart)
            place += 1
        self.bases[number] = address
        if tag == TAG_PATTERN:
            lanes = [i for i in range(self.plan.width) if self.mask >> i & 1]
            self.patterns[number] = 0
            deltas = np.array(numbers[place : place + len(lanes)], np.uint32).view(np.int32)
            self.patterns[number, lanes] = deltas
            place += len(lanes)
        return place, TracedAccess(instruction, self._addresses(number, tag, address))

    def _addresses(self, number: int, tag: int, address: int) -> NDArray[np.int64]:
        if tag in (TAG_SAME, TAG_PATTERN):
            return address + self.patterns[number]
        if tag == TAG_UNIFORM:
            return np.full(self.plan.width, address, np.int64)
        instruction = self.plan.function.instructions[self.plan.accesses[number]]
        type_ = instruction.type
        if isinstance(instruction, (Store, AtomicRmw)):
            type_ = instruction.value.type
        elif isinstance(instruction, CompareExchange):
            type_ = instruction.new.type
        return address + np.arange(self.plan.width) * access_bytes(type_)
