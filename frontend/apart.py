"""Work that may end the process, done in another one: LLVM aborts where an assertion fails."""

from __future__ import annotations

import faulthandler
import os
import pickle
import warnings
from collections.abc import Callable
from typing import TypeVar

from llvmlite.binding import ffi

T = TypeVar("T")


class EndedError(Exception):
    """The work ended its process; the text says how."""


def done_apart(work: Callable[[], T]) -> T:
    """What ``work`` gives, or raises, when done in a copy of this process: something that can be
    pickled.

    Nothing it changes here is seen, nothing it writes to standard error but what has been
    diverted. Where processes cannot be copied it is done in this one.

    :raises EndedError: when the copy ended without an answer.
    """
    if not hasattr(os, "fork"):
        return work()
    reading, writing = os.pipe()
    # The copy has one thread: it must not wait for a lock that another held when it was made.
    with warnings.catch_warnings(), ffi.lib._lock:  # noqa: SLF001 -- there is no other way
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
        if child == 0:
            _answer(work, writing)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        answer = pipe.read()
    _, status = os.waitpid(child, 0)
    if not answer:
        raise EndedError(f"ended with {os.waitstatus_to_exitcode(status)}")
    fine, result = pickle.loads(answer)
    if not fine:
        raise result
    return result


def _answer(work: Callable[[], object], pipe: int) -> None:
    """Do the work and send its answer; never returns."""
    faulthandler.disable()  # what ends here is told by the process that asked
    try:
        try:
            answer = pickle.dumps((True, work()))
        except Exception as error:  # noqa: BLE001 -- raised again in the process that asked
            answer = pickle.dumps((False, error))
        with os.fdopen(pipe, "wb") as stream:
            stream.write(answer)
    finally:
        os._exit(0)
