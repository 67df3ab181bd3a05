"""kcc's command line in the same process, and what an end of it counts as."""

from __future__ import annotations

import contextlib
import io
import os
import re
import tempfile
from collections.abc import Generator
from pathlib import Path

from kcc import cli

FINE, REFUSED = "fine", "refused"
BAD = ("traceback", "hang", "died", "internal error", "not a message", "usage")
"""Outcomes that no input may have."""


def run_command(*arguments: str | Path) -> tuple[int, str]:
    """The exit code and what went to standard error, else to standard output."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = cli.main([str(argument) for argument in arguments])
    return code, err.getvalue() or out.getvalue()


def outcome_of(code: int, err: str) -> tuple[str, str]:
    """One of :data:`FINE`, :data:`REFUSED` and :data:`BAD`, with the code of a message or all."""
    if "Traceback" in err:
        return "traceback", err[-1500:]
    if code == 0:
        return FINE, ""
    found = re.search(r"error\[(K\d{3})\]", err) or re.search(r"\b(K\d{3}): ", err)
    if code == 1 and found is not None:
        return REFUSED, found[1]
    names = {2: "usage", 3: "internal error"}
    return names.get(code, "not a message"), err[-1500:]


@contextlib.contextmanager
def entered(folder: Path) -> Generator[None]:
    """The current folder is another meanwhile."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


@contextlib.contextmanager
def in_folder() -> Generator[Path]:
    """A folder for the files of a case, gone afterwards, and entered meanwhile."""
    with tempfile.TemporaryDirectory() as name, entered(Path(name)):
        yield Path(name)
