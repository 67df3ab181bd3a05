"""Ctrl-C while the main thread is in native code, where Python's handlers do not run.

The interpreter's own signal handler, which runs at once, writes the signal's number to a pipe; a
thread that waits there does what stops the native code.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import cache

STOPPING = {
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
}


class _Watcher:
    """The pipe, its thread, and what is to be done."""

    def __init__(self) -> None:
        reader, self.writer = os.pipe()
        os.set_blocking(self.writer, False)
        self.stop: Callable[[], None] | None = None
        threading.Thread(target=self._watch, args=(reader,), daemon=True).start()

    def _watch(self, reader: int) -> None:
        while numbers := os.read(reader, 64):
            stop = self.stop
            if stop is not None and STOPPING.intersection(numbers):
                stop()


@cache
def _watcher() -> _Watcher:
    return _Watcher()


if hasattr(os, "register_at_fork"):  # a forked process has no such thread
    os.register_at_fork(after_in_child=_watcher.cache_clear)


def is_watchable() -> bool:
    """Whether the calling thread may go into native code without becoming deaf to Ctrl-C: it is
    the main thread with Python's usual handler."""
    usual = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    return usual and os.name == "posix" and threading.current_thread() is threading.main_thread()


@contextmanager
def watched(stop: Callable[[], None]) -> Generator[None, None, None]:
    """Call ``stop``, in another thread, when Ctrl-C comes; KeyboardInterrupt is raised as usual
    once the calling thread is back in Python. Only where :func:`is_watchable`."""
    watcher = _watcher()
    watcher.stop = stop
    before = signal.set_wakeup_fd(watcher.writer, warn_on_full_buffer=False)
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        watcher.stop = None
