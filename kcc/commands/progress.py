"""A line on the terminal for long work: share done, rate, time left."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

from kcc.commands.console import is_terminal, say

REFRESH_SECONDS = 0.5

Show = Callable[[int, int, str], None]
"""Called with the part of the work that is done, the instructions so far, and words of one's
own."""


@contextmanager
def shown_progress(total: int) -> Generator[Show]:
    """Show work of ``total`` parts on a terminal; elsewhere nothing is written."""
    is_shown = is_terminal(sys.stderr)
    began = last = time.monotonic()

    def show(done: int, instructions: int, words: str) -> None:
        nonlocal last
        now = time.monotonic()
        if not is_shown or now - last < REFRESH_SECONDS:
            return
        last = now
        line = progress_line(done / max(total, 1), instructions, now - began, words)
        say(f"\r\x1b[K{line}")
        sys.stderr.flush()

    try:
        yield show
    finally:
        if is_shown:
            say("\r\x1b[K")


def progress_line(share: float, instructions: int, seconds: float, words: str) -> str:
    """``40 %, 3.1 M instructions/s, 12 s left, words``; without a rate where no instructions are
    counted."""
    rate = instructions / max(seconds, 1e-3) / 1e6
    parts = [f"{100 * share:.0f} %", *([f"{rate:,.2f} M instructions/s"] if instructions else [])]
    if 0 < share <= 1:
        parts.append(f"{(1 - share) / share * seconds:,.0f} s left")
    return ", ".join([*parts, words] if words else parts)
