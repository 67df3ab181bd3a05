"""The divergence flow statistics graph of a launch, from its trace."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kcc.base.profile.model import Counts, EdgeCount, KernelInfo, LoopCount, Node
from kcc.tracegen.profiling.layout import EXACT_TRIPS, TRIP_BUCKETS

if TYPE_CHECKING:
    from kcc.base.trace.decode import TraceBatch

_NONE = np.iinfo(np.int64).max


class FlowCounter:
    """Follows every lane from block to block (see :mod:`kcc.tracegen.profiling.flow_native`)."""

    def __init__(self, info: KernelInfo, warps: int, width: int) -> None:
        self.info = info
        blocks, edges, loops = len(info.blocks), len(info.edges), len(info.loops)
        self.order = sorted(range(edges), key=lambda e: info.edges[e][::-1])
        """The edges by target, as the compiled loop wants them."""
        targets = [info.edges[e][1] for e in self.order]
        self.pred_start = np.searchsorted(targets, np.arange(blocks + 1)).astype(np.int64)
        self.pred_block = np.array([info.edges[e][0] for e in self.order], np.int64)
        header = {loop.header: loop for loop in info.loops}
        self.header_of = np.full(blocks, -1, np.int64)
        for loop in info.loops:
            self.header_of[loop.header] = loop.id
        self.edge_inside = np.array(
            [t in header and s in header[t].blocks for s, t in (info.edges[e] for e in self.order)],
            np.bool_,
        )
        self.last = np.zeros((warps, blocks), np.uint64)
        self.visited = np.zeros((warps, blocks), np.uint64)
        self.crossed = np.zeros((warps, edges), np.uint64)
        self.inside = np.zeros((warps, loops), np.uint64)
        self.trips = np.zeros((warps, loops, width), np.int64)
        self.counts = np.zeros((blocks, 2), np.int64)
        self.threads = np.zeros(blocks, np.int64)
        self.taken = np.zeros((edges, 2), np.int64)
        self.crossing = np.zeros(edges, np.int64)
        self.totals = np.zeros((loops, 4), np.int64)
        self.totals[:, 2] = _NONE
        self.histogram = np.zeros((loops, TRIP_BUCKETS), np.int64)
        self.current = -1

    def add(self, batch: TraceBatch) -> None:
        """Follow the lanes through a batch."""
        from kcc.tracegen.profiling.flow_native import follow

        self.current = follow(
            batch.thread_block, batch.warp, batch.block, batch.continued, batch.mask, self.current,
            self.pred_start, self.pred_block, self.header_of, self.edge_inside,
            self.last, self.visited, self.crossed, self.inside, self.trips,
            self.counts, self.threads, self.taken, self.crossing, self.totals, self.histogram,
        )  # fmt: skip

    def finish(self) -> None:
        """Account for the last thread block."""
        from kcc.tracegen.profiling.flow_native import finish_block

        finish_block(
            self.last, self.visited, self.crossed, self.inside, self.trips,
            self.threads, self.crossing, self.totals, self.histogram,
        )  # fmt: skip

    def nodes(self, barriers: Counts) -> tuple[Node, ...]:
        """By block; ``barriers`` are those passed by threads."""
        return tuple(
            Node(
                block=block.id,
                ecount=int(self.counts[block.id, 1]),
                lcount=int(self.counts[block.id, 1]) if block.loop is not None else 0,
                scount=int(barriers[block.id]),
                threads=int(self.threads[block.id]),
                warps=int(self.counts[block.id, 0]),
            )
            for block in self.info.blocks
        )

    def edges(self) -> tuple[EdgeCount, ...]:
        """In the order of :attr:`KernelInfo.edges`."""
        place = {edge: row for row, edge in enumerate(self.order)}
        rows = [place[number] for number in range(len(self.info.edges))]
        return tuple(
            EdgeCount(
                source=source,
                target=target,
                oecount=int(self.taken[row, 1]),
                iecount=int(self.taken[row, 1]),
                tcount=int(self.crossing[row]),
                warps=int(self.taken[row, 0]),
            )
            for (source, target), row in zip(self.info.edges, rows, strict=True)
        )

    def loops(self) -> tuple[LoopCount, ...]:
        """In the order of :attr:`KernelInfo.loops`."""
        found = list[LoopCount]()
        for loop in self.info.loops:
            entries, trips, least, most = (int(n) for n in self.totals[loop.id])
            buckets = np.flatnonzero(self.histogram[loop.id])
            histogram = {_trips(int(b)): int(self.histogram[loop.id, b]) for b in buckets}
            found.append(
                LoopCount(loop.id, entries, trips, least if entries else 0, most, histogram)
            )
        return tuple(found)


def _trips(bucket: int) -> int:
    """The least trip count of a bucket."""
    return bucket if bucket < EXACT_TRIPS else EXACT_TRIPS << (bucket - EXACT_TRIPS)
