"""CPU seconds in which numba compiles functions, or loads compiled ones."""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import contextmanager

from kcc.base.records import dataclass

EVENT = "numba:compiler_lock"
"""Of numba's events the one that lasts while a function is compiled or read from its cache."""


@dataclass(slots=True)
class Preparation:
    """CPU seconds so far."""

    seconds: float = 0.0


@contextmanager
def preparation() -> Generator[Preparation]:
    """Count the CPU seconds of compiling and loading in here."""
    from numba.core.event import Event, Listener, register, unregister

    found = Preparation()

    class Clock(Listener):
        """Functions are compiled within others: the outermost counts."""

        depth, began = 0, 0.0

        def on_start(self, event: Event) -> None:  # noqa: ARG002 - numba's signature
            if not self.depth:
                self.began = time.process_time()
            self.depth += 1

        def on_end(self, event: Event) -> None:  # noqa: ARG002 - numba's signature
            self.depth -= 1
            if not self.depth:
                found.seconds += time.process_time() - self.began

    clock = Clock()
    register(EVENT, clock)
    try:
        yield found
    finally:
        unregister(EVENT, clock)
