"""What the console at the other end can show: colours, width, characters."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TextIO

from kcc.report.style import Style

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
