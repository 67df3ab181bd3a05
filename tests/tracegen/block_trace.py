"""Reads the engine's block trace back, apart from the engine's own reader."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kcc.tracegen.simt.plan import Plan
from kcc.tracegen.simt.tracing import HEADER_MARK, SAME_MASK
from tests.tracegen.reference import Step


class BlockTrace:
    """Collects the words; pass :meth:`add` as ``on_trace``."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.pieces = list[NDArray[np.uint32]]()

    def add(self, _first_block: int, words: NDArray[np.uint32]) -> None:
        self.pieces.append(words)

    def steps(self, plan: Plan) -> dict[tuple[int, int], list[Step]]:
        """The blocks with their active lanes, by thread block and warp."""
        words: list[int] = np.concatenate([np.zeros(0, np.uint32), *self.pieces]).tolist()
        found = dict[tuple[int, int], list[Step]]()
        blocks = {segment: block for block, segment in enumerate(plan.first_segment)}
        current, place, mask = list[Step](), 0, 0
        while place < len(words):
            if words[place] == HEADER_MARK:
                key = (words[place + 1] | words[place + 2] << 32, words[place + 3])
                current = found.setdefault(key, [])
                place += 4
                continue
            segment = words[place] & ~SAME_MASK
            place += 1
            if not words[place - 1] & SAME_MASK:
                count = self.width // 32
                mask = sum(w << 32 * i for i, w in enumerate(words[place : place + count]))
                place += count
            if segment in blocks:
                current.append(
                    (blocks[segment], tuple(i for i in range(self.width) if mask >> i & 1))
                )
        return found
