"""Sums the launches of a kernel."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TypeVar

import numpy as np

from kcc.base.profile.model import (
    AccessCount,
    Counts,
    EdgeCount,
    Histogram,
    LaunchProfile,
    LoopCount,
    Node,
    PerBlock,
)

T = TypeVar("T")


def merge(launches: Sequence[LaunchProfile]) -> LaunchProfile:
    """The sum of launches of one kernel: counts and histograms are added, what is given by thread
    block follows on. Number, geometry and memory are those of the first.

    A work-item of each launch counts as one of its own; new lines are new in their launch.
    """
    first = launches[0]
    assert all(launch.kernel == first.kernel for launch in launches)
    mix = Counter[str](), Counter[str]()
    for launch in launches:
        for name, (warp, thread) in launch.mix.items():
            mix[0][name] += warp
            mix[1][name] += thread
    return LaunchProfile(
        number=first.number,
        kernel=first.kernel,
        width=first.width,
        global_size=first.global_size,
        local_size=first.local_size,
        local_bytes=first.local_bytes,
        buffers=first.buffers,
        warp_instructions=sum(x.warp_instructions for x in launches),
        thread_instructions=sum(x.thread_instructions for x in launches),
        mix={name: (mix[0][name], mix[1][name]) for name in sorted(mix[0])},
        nodes=tuple(_node(rows) for rows in _rows(x.nodes for x in launches)),
        edges=tuple(_edge(rows) for rows in _rows(x.edges for x in launches)),
        loops=tuple(_loop(rows) for rows in _rows(x.loops for x in launches)),
        accesses=tuple(_access(rows) for rows in _rows(x.accesses for x in launches)),
        per_block=_per_block([x.per_block for x in launches]),
        reuse_sampled=min(x.reuse_sampled for x in launches),
    )


def _rows(columns: Iterable[Sequence[T]]) -> Iterable[tuple[T, ...]]:
    return zip(*columns, strict=True)


def _node(rows: Sequence[Node]) -> Node:
    return Node(
        block=rows[0].block,
        ecount=sum(r.ecount for r in rows),
        lcount=sum(r.lcount for r in rows),
        scount=sum(r.scount for r in rows),
        threads=sum(r.threads for r in rows),
        warps=sum(r.warps for r in rows),
    )


def _edge(rows: Sequence[EdgeCount]) -> EdgeCount:
    return EdgeCount(
        source=rows[0].source,
        target=rows[0].target,
        oecount=sum(r.oecount for r in rows),
        iecount=sum(r.iecount for r in rows),
        tcount=sum(r.tcount for r in rows),
        warps=sum(r.warps for r in rows),
    )


def _loop(rows: Sequence[LoopCount]) -> LoopCount:
    return LoopCount(
        loop=rows[0].loop,
        entries=sum(r.entries for r in rows),
        trips=sum(r.trips for r in rows),
        least=min((r.least for r in rows if r.entries), default=0),
        most=max(r.most for r in rows),
        histogram=_histogram(r.histogram for r in rows),
    )


def _access(rows: Sequence[AccessCount]) -> AccessCount:
    return AccessCount(
        access=rows[0].access,
        executions=sum(r.executions for r in rows),
        full=sum(r.full for r in rows),
        lanes=sum(r.lanes for r in rows),
        sectors=_histogram(r.sectors for r in rows),
        lines=_histogram(r.lines for r in rows),
        bank_passes=_histogram(r.bank_passes for r in rows),
        half_warp_bank_passes=_histogram(r.half_warp_bank_passes for r in rows),
        reuse=_histogram(r.reuse for r in rows),
        new_lines=sum(r.new_lines for r in rows),
    )


def _histogram(histograms: Iterable[Histogram]) -> Histogram:
    total = Counter[int]()
    for histogram in histograms:
        total.update(histogram)
    return dict(sorted(total.items()))


def _per_block(parts: Sequence[PerBlock]) -> PerBlock:
    def joined(columns: Iterable[Counts]) -> Counts:
        return np.concatenate(list(columns))

    return PerBlock(
        warp_instructions=joined(p.warp_instructions for p in parts),
        thread_instructions=joined(p.thread_instructions for p in parts),
        memory_instructions=joined(p.memory_instructions for p in parts),
        memory_requests=joined(p.memory_requests for p in parts),
        sectors=joined(p.sectors for p in parts),
    )
