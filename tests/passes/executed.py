"""What an execution says of loops and blocks, work-item by work-item, from its block trace."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kcc.frontend.ir.types import FloatTy, IntTy, VecTy
from kcc.frontend.kernel import CompiledUnit, Kernel
from kcc.passes.graph.loops import Loops
from kcc.passes.symbolic.expr import NEVER
from kcc.passes.symbolic.ranges import ArgumentValue, Known
from kcc.tracegen.execute import ExecutionOptions, NDRange, execute
from kcc.tracegen.simt.program import TraceMode
from tests.tracegen.block_trace import BlockTrace

Counts = NDArray[np.int64]

MAX_INSTRUCTIONS = 1 << 22
"""Of one warp: an execution of more takes too long to count."""


@dataclass(frozen=True, slots=True)
class Executed:
    """Arrays over all work-items, group by group. ``blocks[b]``: executions of a block;
    ``edges[s, t]``: how often control went from block s to t (absent: never); ``totals[l]``,
    ``least[l]``, ``greatest[l]``: body executions of a loop in all entries together, in the entry
    with fewest (:data:`NEVER` if there was none) and with most (-1).
    """

    blocks: Counts
    edges: dict[tuple[int, int], Counts]
    totals: Counts
    least: Counts
    greatest: Counts


def run(
    unit: CompiledUnit, kernel: Kernel, loops: Loops, launch: NDRange, arguments: list[Any]
) -> Executed:
    """Executes a launch and counts."""
    collected = BlockTrace()
    options = ExecutionOptions(
        trace=TraceMode.BLOCKS, on_trace=collected.add, budget=MAX_INSTRUCTIONS
    )
    done = execute(unit, kernel, launch, arguments, options)
    group = math.prod(launch.local_size)
    items = math.prod(launch.global_size)
    counter = _Counter(len(kernel.function.blocks), loops, items)
    for (block, warp), steps in collected.steps(done.plan).items():
        first = block * group + warp * done.plan.width
        counter.count(steps, first, min(done.plan.width, group - warp * done.plan.width))
    return Executed(counter.blocks, counter.edges, counter.totals, counter.least, counter.greatest)


class _Counter:
    def __init__(self, blocks: int, loops: Loops, items: int) -> None:
        self._loops, count = loops.loops, len(loops.loops)
        self._inside = np.zeros((count, blocks + 1), np.bool_)
        self._around: list[set[int]] = [set() for _ in range(blocks + 1)]
        self._headed = {loop.header: loop.id for loop in loops.loops}
        for loop in loops.loops:
            self._inside[loop.id, list(loop.blocks)] = True
            for block in loop.blocks:
                self._around[block].add(loop.id)
        self.blocks = np.zeros((blocks, items), np.int64)
        self.edges: dict[tuple[int, int], Counts] = {}
        self.totals = np.zeros((count, items), np.int64)
        self.least = np.full((count, items), NEVER)
        self.greatest = np.full((count, items), -1)

    def count(self, steps: list[tuple[int, tuple[int, ...]]], first: int, size: int) -> None:
        previous = np.full(size, -1)
        current = np.zeros((len(self._loops), size), np.int64)
        for block, lanes in [*steps, (-1, tuple(range(size)))]:
            here = np.array(lanes)
            before = previous[here]
            previous[here] = block
            if block >= 0:
                self.blocks[block, first + here] += 1
            touched = {loop for header, loop in self._headed.items() if header == block}
            sources: list[int] = np.unique(before).tolist()
            for source in sources:
                if source >= 0 and block >= 0:
                    self._edge(source, block)[first + here[before == source]] += 1
                touched |= self._around[source] - self._around[block]
            for loop in touched:
                self._step(loop, block, here, before, current, first)

    def _edge(self, source: int, target: int) -> Counts:
        if (source, target) not in self.edges:
            self.edges[source, target] = np.zeros(self.blocks.shape[1], np.int64)
        return self.edges[source, target]

    def _step(
        self, loop: int, block: int, here: Counts, before: Counts, current: Counts, first: int
    ) -> None:
        header = self._loops[loop].header
        was_inside = self._inside[loop, before]
        if not self._inside[loop, block]:
            left = here[was_inside]
            runs = current[loop, left]
            if header not in self._loops[loop].latches:
                runs = runs - (before[was_inside] == header)
            places = first + left
            self.totals[loop, places] += runs
            self.least[loop, places] = np.minimum(self.least[loop, places], runs)
            self.greatest[loop, places] = np.maximum(self.greatest[loop, places], runs)
        elif block == header:
            current[loop, here[~was_inside]] = 0
            current[loop, here] += 1


def known_of(kernel: Kernel, launch: NDRange, arguments: list[Any]) -> Known:
    """What a launch says before it runs."""
    values = dict[int, ArgumentValue]()
    for index, (parameter, value) in enumerate(
        zip(kernel.function.arguments, arguments, strict=True)
    ):
        if isinstance(parameter.type, IntTy) and parameter.type.bits <= 64:
            values[index] = int(value)
        elif isinstance(parameter.type, FloatTy):
            values[index] = float(value)
        elif isinstance(parameter.type, VecTy) and isinstance(parameter.type.element, FloatTy):
            kind = {16: np.float16, 32: np.float32, 64: np.float64}[parameter.type.element.bits]
            parts = np.frombuffer(np.asarray(value).tobytes(), kind)[: parameter.type.lanes]
            values[index] = tuple(map(float, parts))
    return Known(tuple(launch.global_size), tuple(launch.local_size), values)
