"""How often the blocks of a launch that ran were executed: what a profile counted takes the place
of what an estimate from source works out or assumes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from kcc.base.profile.model import AccessCount, Histogram, LaunchProfile
from kcc.base.records import dataclass
from kcc.frontend.kernel import Kernel
from kcc.passes.facts import Facts
from kcc.passes.graph.loops import Loops
from kcc.passes.memory.memory_accesses import MemoryAccesses
from kcc.sim.caches.streams import Stream
from kcc.sim.flow.launch_flow import Flow


@dataclass(frozen=True, slots=True)
class Executed:
    """A launch that ran, of a kernel whose blocks are those of the profile. ``instructions[i]`` is
    the instruction of its access i."""

    profile: LaunchProfile
    instructions: Sequence[int]

    def agrees(self, computed: Flow) -> bool:
        """Whether the flow from source alone is what was counted."""
        executions = np.zeros(len(computed.executions))
        for node in self.profile.nodes:
            executions[node.block] = node.warps
        return not computed.assumed and np.allclose(computed.executions, executions)

    def flow(self, kernel: Kernel, facts: Facts, computed: Flow) -> Flow:
        """The flow that was counted; nothing of it is assumed. Counts do not say which warps of a
        thread block they are of: where the source alone leads to the same, its classes are."""
        agrees = self.agrees(computed)
        size, seen = len(kernel.function.blocks), self.profile
        executions, work = [0.0] * size, [0.0] * size
        for node in seen.nodes:
            executions[node.block], work[node.block] = float(node.warps), node.ecount / seen.width
        arrived = {(edge.source, edge.target): float(edge.warps) for edge in seen.edges}
        entries, trips = list[float](), list[float]()
        for loop in facts[Loops].loops:
            header = executions[loop.header]
            before = kernel.function.blocks[loop.header].predecessors
            ways = [(block, loop.header) for block in before if block not in loop.blocks]
            entries.append(min(sum(arrived.get(way, 0.0) for way in ways), header))
            trips.append(header / entries[-1] if entries[-1] else 0.0)
        return Flow(
            max(round(executions[0]), 1), tuple(executions), tuple(entries), tuple(trips),
            frozenset(),
            tuple(min(1.0, w / e) if e else 1.0 for w, e in zip(work, executions, strict=True)),
            tuple(access.block for access in facts[MemoryAccesses].accesses),
            computed.classes if agrees else (), computed.blocks if agrees else (),
        )  # fmt: skip

    @property
    def work_by_block(self) -> NDArray[np.float64]:
        """Instructions of warps of each thread block, in the order in which they start."""
        return self.profile.per_block.warp_instructions.astype(np.float64)

    def counted(self, streams: Sequence[Stream], facts: Facts) -> tuple[Stream, ...]:
        """Accesses whose addresses memory decides, with the sectors, lines and passes that were
        counted; the others as they are."""
        counts = {self.instructions[count.access]: count for count in self.profile.accesses}
        accesses = facts[MemoryAccesses].accesses
        found = list[Stream]()
        for stream in streams:
            count = counts.get(accesses[stream.access].instruction)
            if stream.rows is None and count is not None and count.executions:
                stream = _with_counts(stream, count)
            found.append(stream)
        return tuple(found)


def _with_counts(stream: Stream, count: AccessCount) -> Stream:
    if stream.is_local:
        return replace(stream, passes=_mean(count.bank_passes))
    sectors, lines = _mean(count.sectors), _mean(count.lines)
    return replace(stream, sectors=sectors, lines=lines, passes=lines)


def _mean(histogram: Histogram) -> float:
    total = sum(histogram.values())
    return max(sum(value * n for value, n in histogram.items()) / total, 1.0) if total else 1.0
