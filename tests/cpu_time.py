"""How much CPU time the tests of each file take, so that the short suite stays short.

Children of a test count, numba's compiler does not: whichever test comes first pays for it.
"""

from __future__ import annotations

import resource
from collections import defaultdict
from collections.abc import Generator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

LONG_SECONDS, MOST_SECONDS = 6.0, 40.0
"""A file of the short suite that takes longer is listed; one that takes as long as the latter fails
the run. A busy or an old processor takes several times what an idle new one does."""


def cpu_seconds() -> float:
    """Of this process and of its children that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


class CpuTime:
    """CPU seconds by file, and those of the compiler."""

    def __init__(self) -> None:
        self.files, self.compiler = defaultdict[str, float](float), 0.0
        self._listens = False

    @contextmanager
    def of(self, file: str) -> Generator[None]:
        """What runs meanwhile belongs to a file."""
        self._listen()
        begun, compiled = cpu_seconds(), self.compiler
        try:
            yield
        finally:
            self.files[file] += cpu_seconds() - begun - (self.compiler - compiled)

    def longest(self, seconds: float) -> list[tuple[str, float]]:
        """The files that take longer, the longest first."""
        found = [each for each in self.files.items() if each[1] > seconds]
        return sorted(found, key=lambda each: -each[1])

    def _listen(self) -> None:
        """To numba, which is imported here if nobody has: the first test that does would pay for
        what it compiles."""
        if self._listens:
            return
        event: Any = import_module("numba.core.event")
        begun = list[float]()

        def on_start(*_: Any) -> None:
            begun.append(cpu_seconds())

        def on_end(*_: Any) -> None:
            start = begun.pop()
            if not begun:
                self.compiler += cpu_seconds() - start

        listener = type("Listener", (event.Listener,), {"on_start": on_start, "on_end": on_end})
        event.register("numba:compile", listener())
        self._listens = True
