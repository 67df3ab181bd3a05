"""Makes the profile of a launch from its trace."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from kcc.base.profile.model import Buffer, Counts, LaunchProfile, PerBlock
from kcc.base.trace.launches import TraceLaunch
from kcc.base.trace.tables import TraceTables
from kcc.tracegen.profiling.flow import FlowCounter
from kcc.tracegen.profiling.layout import PER_BLOCK, THREAD_INSTRUCTIONS, WARP_INSTRUCTIONS
from kcc.tracegen.profiling.memory import MemoryCounter
from kcc.tracegen.profiling.shape import kernel_info

if TYPE_CHECKING:
    from kcc.base.trace.decode import TraceBatch


class LaunchCollector:
    """Collects the profile of one launch from its trace with addresses, batch by batch in order.
    Takes memory by thread block, but not by instruction."""

    def __init__(self, tables: TraceTables, launch: TraceLaunch) -> None:
        self.tables, self.launch, self.info = tables, launch, kernel_info(tables)
        items = math.prod(launch.local_size)
        self.flow = FlowCounter(self.info, -(-items // tables.width), tables.width)
        self.memory = MemoryCounter(tables)
        self.segments = np.zeros((len(tables.segments), 2), np.int64)
        self.by_block = np.zeros((launch.thread_blocks, PER_BLOCK), np.int64)
        self.counted = np.array([s.counted for s in tables.segments], np.int64)

    def add(self, batch: TraceBatch) -> None:
        """Account for a batch of the trace."""
        from kcc.tracegen.profiling.flow_native import popcounts

        lanes = popcounts(batch.mask)
        np.add.at(self.segments[:, 0], batch.segment, 1)
        np.add.at(self.segments[:, 1], batch.segment, lanes)
        counted = self.counted[batch.segment]
        np.add.at(self.by_block[:, WARP_INSTRUCTIONS], batch.thread_block, counted)
        np.add.at(self.by_block[:, THREAD_INSTRUCTIONS], batch.thread_block, counted * lanes)
        self.memory.add(batch, self.by_block)
        self.flow.add(batch)

    def finish(self, kernel: int) -> LaunchProfile:
        """The profile, once all has been added; ``kernel`` is the kernel's place in the profile of
        the run."""
        self.flow.finish()
        columns = (np.ascontiguousarray(self.by_block[:, i]) for i in range(PER_BLOCK))
        warp, thread = (int(n) for n in self.counted @ self.segments)
        return LaunchProfile(
            number=self.launch.number,
            kernel=kernel,
            width=self.tables.width,
            global_size=self.launch.global_size,
            local_size=self.launch.local_size,
            local_bytes=self.launch.local_bytes,
            buffers=tuple(
                Buffer(b.argument, b.name, b.space, b.size_bytes) for b in self.launch.buffers
            ),
            warp_instructions=warp,
            thread_instructions=thread,
            mix=self._mix(),
            nodes=self.flow.nodes(self._barriers()),
            edges=self.flow.edges(),
            loops=self.flow.loops(),
            accesses=self.memory.accesses(),
            per_block=PerBlock(*columns),
            reuse_sampled=self.memory.sampled,
        )

    def _mix(self) -> dict[str, tuple[int, int]]:
        """Instructions by class, executed by warps and by threads, without phis as elsewhere."""
        counts = dict[str, list[int]]()
        for instruction in self.tables.instructions:
            if instruction.opcode == "phi":
                continue
            warps, lanes = (int(n) for n in self.segments[instruction.segment])
            for name, times in instruction.classes:
                row = counts.setdefault(name, [0, 0])
                row[0] += warps * times
                row[1] += lanes * times
        return {name: (w, t) for name, (w, t) in sorted(counts.items()) if w}

    def _barriers(self) -> Counts:
        """Barriers that threads passed, by block."""
        passed = np.zeros(len(self.tables.blocks), np.int64)
        for number, segment in enumerate(self.tables.segments):
            if segment.barrier >= 0:
                passed[segment.block] += self.segments[number, 1]
        return passed
