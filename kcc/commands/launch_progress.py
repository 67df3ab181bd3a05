"""How far a launch is that an observer sees: the share of its thread blocks, and the time left."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING

from kcc.base.records import dataclass

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kcc.opencl.session import HostLaunch, Observer
    from kcc.tracegen.execute import Execution
    from kcc.tracegen.simt.program import TraceMode
    from kcc.tracegen.workers import TraceCallback


@dataclass(slots=True)
class _Running:
    number: int
    kernel: str
    blocks: int
    began: float
    done: int = 0


class WatchedLaunch:
    """An observer that passes on to another one what it is told."""

    def __init__(self, observer: Observer) -> None:
        self._observer = observer
        self._running: _Running | None = None

    @property
    def trace(self) -> TraceMode:
        return self._observer.trace

    def before(self, launch: HostLaunch) -> TraceCallback | None:
        take = self._observer.before(launch)
        if take is None:
            return None
        blocks = math.prod(launch.prepared.launch.blocks)
        running = _Running(launch.number, launch.kernel.name, blocks, time.monotonic())
        self._running = running

        def seen(first_block: int, words: NDArray[np.uint32]) -> None:
            take(first_block, words)
            running.done = max(running.done, first_block)

        return seen

    def after(self, launch: HostLaunch, execution: Execution) -> None:
        self._running = None
        self._observer.after(launch, execution)

    def words(self) -> str:
        """``, launch 3 of BFS_1: 40 %, 12 s left``; nothing between launches."""
        at = self._running
        if at is None or not at.done:
            return ""
        share = at.done / max(at.blocks, 1)
        left = (1 - share) / share * (time.monotonic() - at.began)
        return f", launch {at.number} of {at.kernel}: {100 * share:.0f} %, {left:,.0f} s left"
