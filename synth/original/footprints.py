"""Which addresses accesses go to, and what stands for the contents of the buffers they read."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kcc.base.records import dataclass
from kcc.base.trace.launches import TracedBuffer, TraceLaunch
from kcc.synth.assembly.model import Fill
from kcc.synth.original.contents import Array, Coding, Use, described, rows_in
from kcc.synth.original.observed import KernelFacts

if TYPE_CHECKING:
    from kcc.base.trace.decode import TraceBatch


@dataclass(slots=True, eq=False)
class Footprint:
    """The lowest and highest address that accesses of ``size`` bytes touched, and the greatest
    common distance; ``reads`` says how often each element of the buffer at ``base`` is read, if it
    is one. What every thread finds by itself counts once, however often its loops come back; what
    is found by way of other data counts each time: the more lead to it, the more it decides."""

    low: int
    high: int
    step: int
    size: int
    base: int
    reads: NDArray[np.int64]
    by_data: bool

    def add(self, addresses: NDArray[np.int64]) -> None:
        low, high = int(addresses.min()), int(addresses.max())
        step = int(np.gcd.reduce(addresses - low))
        self.step = math.gcd(step, self.step, low - self.low)
        self.low, self.high = min(low, self.low), max(high, self.high)
        if not len(self.reads):
            return
        places = (addresses - self.base) // self.size
        if self.by_data:
            np.add.at(self.reads, places, 1)
        else:
            self.reads[places] = 1

    def join(self, other: Footprint) -> None:
        """With that of another access to the same elements."""
        self.low, self.high = min(self.low, other.low), max(self.high, other.high)
        self.reads = np.where(other.by_data, self.reads + other.reads, self.reads | other.reads)


class Footprints:
    """Those of the accesses that addresses or conditions are made of."""

    def __init__(self, facts: KernelFacts, buffers: Sequence[TracedBuffer]) -> None:
        self.found: dict[int, Footprint] = {}
        watched = {*facts.leaves_of, *facts.filled} & facts.access_of.keys()
        self._by_data = {facts.access_of[i]: i in facts.leaves_of for i in watched}
        self._sizes = {n: facts.info.accesses[n].bytes for n in self._by_data}
        self._buffers = buffers

    def add(self, batch: TraceBatch) -> None:
        """Account for a batch of the trace."""
        if not self._sizes or not len(batch.access):
            return
        masks = np.repeat(batch.mask, np.diff(batch.access_start))
        lanes = np.arange(batch.addresses.shape[1], dtype=np.uint64)
        for access in self._sizes.keys() & set(np.unique(batch.access).tolist()):
            rows = np.flatnonzero(batch.access == access)
            active = (masks[rows, None] >> lanes) & np.uint64(1)
            addresses = batch.addresses[rows][active.astype(np.bool_)]
            if access not in self.found:
                self.found[access] = self._new(access, int(addresses[0]))
            self.found[access].add(addresses)

    def _new(self, access: int, address: int) -> Footprint:
        size, by_data = self._sizes[access], self._by_data[access]
        base, elements = 0, 0
        for b in self._buffers:
            if b.address <= address < b.address + b.size_bytes:
                base, elements = b.address, b.size_bytes // size + 1
        reads = np.zeros(elements, np.int64)
        return Footprint(address, address, 0, size, base, reads, by_data)


def fills_of(
    facts: KernelFacts, footprints: Footprints, contents: Mapping[int, NDArray[np.uint8]],
    launch: TraceLaunch,
) -> dict[int, tuple[Fill, ...]]:  # fmt: skip
    """What stands for the contents of buffers, by argument: ``contents`` are their bytes before the
    launch."""
    codings = facts.codings(launch)
    arrays = [
        (argument, _array(own, contents[argument], use), use)
        for argument, own, use in _joined(facts, footprints, codings)
        if argument in contents
    ]
    starts = {a: rows for a, array, use in arrays if (rows := rows_in(array, use)) is not None}
    found = dict[int, list[Fill]]()
    for argument, array, use in arrays:
        found.setdefault(argument, []).extend(described(array, use, starts))
    return {argument: _in_order(fills) for argument, fills in found.items()}


def _joined(
    facts: KernelFacts, footprints: Footprints, codings: Mapping[int, Coding]
) -> Iterator[tuple[int, Footprint, Use]]:  # fmt: skip
    """The footprints of loads that are described, by argument; loads of the same elements, in a
    loop that is unrolled say, have one, and what is done with any of them is done with all."""
    found = dict[tuple[int, ...], tuple[Footprint, Use]]()
    uses = facts.use_of
    for leaf, argument in sorted(facts.filled.items()):
        own, use = footprints.found.get(facts.access_of[leaf]), uses[leaf]
        if own is None:
            continue
        step = max(own.step, own.size)
        key = argument, own.size, step, (own.low - own.base) % step, use.field_bytes
        if key not in found:
            found[key] = own, use
            continue
        other, its = found[key]
        other.join(own)
        decides, addresses = its.decides or use.decides, its.addresses or use.addresses
        marks = its.marks | use.marks
        found[key] = other, Use(decides, addresses, use.field_bytes, marks)
    for (argument, *_), (own, use) in found.items():
        yield argument, own, replace(use, coding=codings.get(argument))


def _array(own: Footprint, contents: NDArray[np.uint8], use: Use) -> Array:
    """The elements that a load reads; where it takes words apart, their parts."""
    low, high, size = own.low - own.base, own.high - own.base, own.size
    stride, reads = max(own.step, size), own.reads
    if use.field_bytes and stride == size:
        parts = size // use.field_bytes
        reads = np.repeat(reads[low // size : high // size + 1], parts)
        size = use.field_bytes
        return Array(contents, low, high + (parts - 1) * size, size, size, reads, parts)
    reads = reads[np.arange(low, high + 1, stride) // size]
    return Array(contents, low, high, stride, size, reads, coding=use.coding)


def _in_order(fills: Sequence[Fill]) -> tuple[Fill, ...]:
    """Without repetitions; what is about single fields of structs comes last and prevails."""
    return tuple(sorted(dict.fromkeys(fills), key=lambda f: f.stride_bytes))
