"""Catches what LLVM writes on the standard error stream, its only channel for some warnings."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager
from tempfile import TemporaryFile

_STDERR = 2


@contextmanager
def diverted_stderr() -> Generator[list[str]]:
    """Within the block, the process's error stream goes to the list that is given, line by line
    and complete when the block is left. Without such a stream nothing is caught."""
    lines = list[str]()
    try:
        saved = os.dup(_STDERR)
    except OSError:
        yield lines
        return
    try:
        with TemporaryFile() as file:
            os.dup2(file.fileno(), _STDERR)
            try:
                yield lines
            finally:
                os.dup2(saved, _STDERR)
                file.seek(0)
                lines += file.read().decode(errors="replace").splitlines()
    finally:
        os.close(saved)
