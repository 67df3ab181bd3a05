"""Temporary folders that do not outlive the process that made them: removed where they are no
longer needed, and when a signal ends the process (:func:`tidy`).

Each is locked (flock of the folder) while its process lives. One that was left behind by a process
which was killed outright can be locked by others: the next that makes such a folder removes it.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import tempfile
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Never

PREFIX = "kcc-scratch-"

YOUNG_SECONDS = 60.0
"""A folder is not yet locked when it has just been made: younger ones are left alone."""

GRACE_SECONDS = 2.0
"""Within which native code returns to the interpreter, or is ended where it stands."""

ENDING = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))

_live, _caught = set[Path](), set[int]()
"""The folders of this process, and the signals that :func:`tidy` waits for."""

_DONE = 0
"""No signal's number: what tells the thread that waits for them to end."""


class Terminated(KeyboardInterrupt):
    """A signal wants the process to end: as Ctrl-C, but for the exit code."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.exit_code = 128 + number


@contextmanager
def scratch_folder(purpose: str = "") -> Generator[Path]:
    """A new empty folder that is gone afterwards. ``purpose`` is part of its name."""
    remove_abandoned()
    folder = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{purpose}"))
    lock = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    with suppress(OSError):  # a file system without locks
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    _live.add(folder)
    try:
        yield folder
    finally:
        _live.discard(folder)
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


@cache
def remove_abandoned() -> None:
    """Once in a process: the folders of this user whose process is gone."""
    oldest = time.time() - YOUNG_SECONDS
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError):
            found = folder.lstat()
            if found.st_uid == os.geteuid() and found.st_mtime < oldest:
                _remove_unless_locked(folder)


def _remove_unless_locked(folder: Path) -> None:
    lock = os.open(folder, os.O_RDONLY | os.O_CLOEXEC | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(lock)


@contextmanager
def tidy() -> Generator[None]:
    """Meanwhile SIGTERM and SIGHUP raise :class:`Terminated` in the main thread. Where that is in
    native code which does not return, a thread removes the folders and ends the process. A second
    signal ends it at once. Nothing changes off the main thread, nor for a signal that is handled or
    ignored already (nohup)."""
    numbers = [n for n in ENDING if signal.getsignal(n) is signal.SIG_DFL]
    if threading.current_thread() is not threading.main_thread() or not numbers:
        yield
        return
    reached = threading.Event()

    def end(number: int, _: FrameType | None) -> Never:
        reached.set()
        signal.signal(number, signal.SIG_DFL)
        raise Terminated(number)

    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    watcher = threading.Thread(target=_watch, args=(reader, reached), daemon=True)
    watcher.start()
    wakeup = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    _caught.update(numbers)
    for number in numbers:
        signal.signal(number, end)
    try:
        yield
    finally:
        _as_usual(wakeup)
        os.write(writer, bytes([_DONE]))
        watcher.join()
        os.close(writer)


def _as_usual(wakeup: int = -1) -> None:
    if _caught:
        signal.set_wakeup_fd(wakeup)
    while _caught:
        signal.signal(_caught.pop(), signal.SIG_DFL)


if hasattr(os, "register_at_fork"):  # the folders are its parent's, and no thread waits there
    os.register_at_fork(after_in_child=lambda: (_live.clear(), _as_usual()))


def _watch(reader: int, reached: threading.Event) -> None:
    with os.fdopen(reader, "rb", buffering=0) as stream:
        while _DONE not in (numbers := stream.read(64)):
            for number in set(numbers).intersection(ENDING):
                if not reached.wait(GRACE_SECONDS):
                    _end(number)


def _end(number: int) -> Never:
    """From a thread, since the main one does not come back."""
    for folder in list(_live):
        shutil.rmtree(folder, ignore_errors=True)
    os._exit(128 + number)
