"""What the console at the other end can show: colours, width, characters."""

from __future__ import annotations

import os
import re
import sys
from typing import TextIO

from kcc.report.shared.style import Style

PLAIN_WIDTH = 100
"""Columns of a report that goes to a file or a pipe."""

MAX_WIDTH = 160
"""Wider terminals only move the columns apart."""


def choose_style(color: str, width: int | None, target: str) -> Style:
    """How a report for ``target`` (a file name, or ``-``) looks.

    ``color`` is auto, always or never (``NO_COLOR``, see no-color.org, counts for auto); ``width``
    None means the terminal's, or :data:`PLAIN_WIDTH` where there is none.
    """
    to_terminal = target == "-" and is_terminal(sys.stdout)
    if width is None:
        width = PLAIN_WIDTH
        if to_terminal:
            import shutil

            width = max(40, min(shutil.get_terminal_size().columns, MAX_WIDTH))
    colored = color == "always" or (color == "auto" and to_terminal and wants_color())
    return Style(width, colored, target != "-" or _has_unicode(sys.stdout))


def is_terminal(stream: TextIO) -> bool:
    """Whether a person is looking."""
    return bool(getattr(stream, "isatty", lambda: False)())


def wants_color() -> bool:
    """Whether the environment has nothing against colours."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _has_unicode(stream: TextIO) -> bool:
    return (stream.encoding or "utf-8").lower().replace("-", "").startswith("utf")


def say(text: str) -> None:
    """Write to standard error what it takes: who does not read it has the exit code. Bytes of file
    names that are no UTF-8 are written in hexadecimal."""
    plain = text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    try:
        sys.stderr.write(plain)
        sys.stderr.flush()
    except (OSError, ValueError):
        pass


def paint_messages(text: str, stream: TextIO) -> str:
    """Messages with their severities in colour, where a person looks who likes colours."""
    if not (is_terminal(stream) and wants_color()):
        return text
    return _SEVERITY.sub(lambda found: f"{_COLORS[found[1]]}{found[0]}\x1b[0m", text)


_SEVERITY = re.compile(r"^(?! )(?:.*: )??\b(error|warning|note)(?:\[K\d{3}\])?(?=: )", re.MULTILINE)

_COLORS = {"error": "\x1b[1;31m", "warning": "\x1b[1;33m", "note": "\x1b[1;36m"}
