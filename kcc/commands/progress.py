"""A line on the terminal for long work: share done, rate, time left."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

from kcc.commands.console import is_terminal

REFRESH_SECONDS = 0.5

Show = Callable[[int, str], None]
"""Called with how much is done, and words of one's own."""


@contextmanager
def shown_progress(unit: str, total: int) -> Generator[Show]:
    """Show work of ``total`` units on a terminal; elsewhere nothing is written."""
    is_shown = is_terminal(sys.stderr)
    began = last = time.monotonic()

    def show(done: int, words: str) -> None:
        nonlocal last
        now = time.monotonic()
        if not is_shown or now - last < REFRESH_SECONDS:
            return
        last = now
        sys.stderr.write(f"\r\x1b[K{progress_line(unit, total, done, now - began, words)}")
        sys.stderr.flush()

    try:
        yield show
    finally:
        if is_shown:
            sys.stderr.write("\r\x1b[K")


def progress_line(unit: str, total: int, done: int, seconds: float, words: str) -> str:
    """``40 %, 3.1 M instructions/s, 12 s left, words``."""
    rate = done / max(seconds, 1e-3)
    parts = [f"{100 * done / max(total, 1):.0f} %", f"{rate / 1e6:,.2f} M {unit}/s"]
    if 0 < done <= total:
        parts.append(f"{(total - done) / rate:,.0f} s left")
    return ", ".join([*parts, words] if words else parts)
