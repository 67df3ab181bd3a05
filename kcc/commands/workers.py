"""Processes that share a command's work. None of them outlives the command, however that ends."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import TypeVar

from kcc.base.diagnostics import Diagnostic, DiagnosticError

T = TypeVar("T")


@contextmanager
def workers(
    count: int,
    method: str,
    begin: Callable[..., None] | None = None,
    given: tuple[object, ...] = (),
) -> Generator[ProcessPoolExecutor]:
    """So many processes, started by ``method`` ("fork" or "spawn"), each of which calls ``begin``
    first. Where the work is given up they are ended at once.

    :raises DiagnosticError: K014 where one of them ended by itself, killed by whomever.
    """
    context = multiprocessing.get_context(method)
    pool = ProcessPoolExecutor(count, context, _begin, (begin, given))
    try:
        yield pool
    except BrokenProcessPool as error:
        message = "a process that shared the work was ended from outside"
        hint = "the system may have run out of memory: try a smaller --jobs"
        raise DiagnosticError([Diagnostic("K014", message, hint=hint)]) from error
    except BaseException:
        for process in multiprocessing.active_children():
            process.kill()
        _let_go(pool)
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _let_go(pool: ProcessPoolExecutor) -> None:
    """Tasks that are on their way to processes that are no more. While this process holds the end
    of the pipe that those read, a thread that writes to it when it is full never comes back, and
    the pool waits for that (seen after SIGTERM; CPython's gh-94777 is the same for a pool that
    notices by itself)."""
    tasks = getattr(pool, "_call_queue", None)
    if tasks is not None:
        tasks._reader.close()  # noqa: SLF001 -- there is no public way


def submit(
    pool: ProcessPoolExecutor, work: Callable[..., T], tasks: Iterable[tuple[object, ...]]
) -> list[Future[T]]:
    """Hand out the tasks. Processes that this starts do not hear an interrupt from the keyboard,
    which is for the first process alone."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        return [pool.submit(work, *task) for task in tasks]
    finally:
        signal.signal(signal.SIGINT, before)


def _begin(begin: Callable[..., None] | None, given: tuple[object, ...]) -> None:
    threading.Thread(target=_end_with_parent, daemon=True).start()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if begin is not None:
        begin(*given)


def _end_with_parent() -> None:
    """Where the first process was killed nobody says that there is nothing left to do."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
