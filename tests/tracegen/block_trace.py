"""What each warp executed, from the engine's block trace."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kcc.tracegen.simt.plan import Plan
from kcc.tracegen.trace_stream import TraceReader
from tests.tracegen.reference import Step


class BlockTrace:
    """Collects the words; pass :meth:`add` as ``on_trace``."""

    def __init__(self) -> None:
        self.pieces = list[tuple[int, NDArray[np.uint32]]]()

    def add(self, first_block: int, words: NDArray[np.uint32]) -> None:
        self.pieces.append((first_block, words))

    def steps(self, plan: Plan) -> dict[tuple[int, int], list[Step]]:
        """The blocks with their active lanes, by thread block and warp."""
        found = dict[tuple[int, int], list[Step]]()
        reader = TraceReader(plan, addresses=False)
        for first_block, words in self.pieces:
            for part in reader.read(first_block, words):
                if not part.continued:
                    lanes = tuple(i for i in range(plan.width) if part.mask >> i & 1)
                    steps = found.setdefault((part.thread_block, part.warp), [])
                    steps.append((part.block, lanes))
        return found
