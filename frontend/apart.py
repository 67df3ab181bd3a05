"""Work that may end the process, done in another one: LLVM aborts where an assertion fails.

A copy of this process is made when it first asks, and does work after work: copying it for each
took twenty times as long as the work, most of it for pages that both then wrote anew.
"""

from __future__ import annotations

import atexit
import faulthandler
import os
import pickle
import signal
import socket
import threading
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import NoReturn, TypeVar

import llvmlite.binding as llvm
from llvmlite.binding import ffi

from kcc.base.records import dataclass

T = TypeVar("T")

_STREAMS = 3
"""Of every process: standard input, output and error."""

_ERROR_STREAM = 2

_LENGTH_BYTES = 8

_MOST_WORK = 1000
"""Of one process: LLVM keeps 31 KB of each (4,000 small kernels, llvmlite 0.50)."""


class EndedError(Exception):
    """The work ended its process; the text says how."""


@dataclass(slots=True)
class _Worker:
    """A process that does work, the way to it, and how much it has done."""

    process: int
    channel: socket.socket
    done: int = 0

    def end(self) -> int:
        """End it, if it has not ended; its exit code."""
        self.channel.close()
        with suppress(OSError):  # someone else has seen to it
            os.kill(self.process, signal.SIGKILL)
            return os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])
        return 0


_lock = threading.Lock()
_workers: dict[tuple[str, ...], _Worker] = {}
"""By LLVM's options."""


def done_apart(work: Callable[[], T], options: tuple[str, ...] = ()) -> T:
    """What ``work`` gives, or raises, when done in a copy of this process as it was when the first
    work with these options of LLVM was asked for. Work and what it gives can be pickled.

    Its standard error is this process's. Work that ends its process has had one of its own.
    Where processes cannot be copied all is done in this one.

    :raises EndedError: when the process ended without an answer.
    """
    if not hasattr(os, "fork"):
        _set(options)
        return work()
    request = pickle.dumps(work)
    with _lock:
        answer = _answered(request, options)
    fine, result = pickle.loads(answer)
    if not fine:
        raise result
    return result


def be_ready(options: tuple[str, ...] = ()) -> None:
    """Start the process that does work with these options, where it can be: a thread beside others
    must not, as locks that they hold would stay locked in the copy.

    :raises EndedError: when it cannot be started.
    """
    if hasattr(os, "fork"):
        with _lock:
            _worker(options)


def forget() -> None:
    """End all processes that do work; the next is done in one that knows what this one knows
    then."""
    while _workers:
        _workers.popitem()[1].end()


def _answered(request: bytes, options: tuple[str, ...]) -> bytes:
    while True:
        worker = _worker(options)
        try:
            answer = _exchanged(worker.channel, request)
        except OSError:
            del _workers[options]
            code = worker.end()
            if worker.done == 0:
                raise EndedError(f"ended with {code}") from None
        except BaseException:  # it would answer this to what is asked next
            del _workers[options]
            worker.end()
            raise
        else:
            worker.done += 1
            if worker.done == _MOST_WORK:
                _workers.pop(options).end()
            return answer


def _worker(options: tuple[str, ...]) -> _Worker:
    if options not in _workers:
        try:
            _workers[options] = _started(options)
        except OSError as error:
            raise EndedError(f"cannot be started: {error.strerror}") from None
    return _workers[options]


def _exchanged(channel: socket.socket, request: bytes) -> bytes:
    header = len(request).to_bytes(_LENGTH_BYTES, "little")
    socket.send_fds(channel, [header], [_ERROR_STREAM] if _is_open(_ERROR_STREAM) else [])
    channel.sendall(request)
    return _received(channel, int.from_bytes(_received(channel, _LENGTH_BYTES), "little"))


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


def _received(channel: socket.socket, length: int) -> bytes:
    """So many bytes.

    :raises OSError: when the other end is closed before.
    """
    found = bytearray()
    while len(found) < length:
        piece = channel.recv(min(length - len(found), 1 << 20))
        if not piece:
            raise ConnectionResetError("its process has ended")
        found += piece
    return bytes(found)


def _started(options: tuple[str, ...]) -> _Worker:
    """A copy of this process that waits for work."""
    ours, its = socket.socketpair()
    # The copy has one thread: it must not wait for a lock that another held when it was made.
    with its, warnings.catch_warnings(), ffi.lib._lock:  # noqa: SLF001 -- there is no other way
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            process = os.fork()
        except OSError:
            ours.close()
            raise
        if process == 0:
            _serve(its, options)
    return _Worker(process, ours)


def _serve(channel: socket.socket, options: tuple[str, ...]) -> NoReturn:
    """Do work until nobody is left to ask; never returns."""
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # who asked ends this process
        faulthandler.disable()  # what ends it is told by who asked
        nowhere = _let_go(channel.fileno())
        _set(options)
        while True:
            header, streams, _, _ = socket.recv_fds(channel, _LENGTH_BYTES, 1)
            if not header:
                break
            for each in streams:
                os.dup2(each, _ERROR_STREAM)
                os.close(each)
            answer = _answer(_received(channel, int.from_bytes(header, "little")))
            os.dup2(nowhere, _ERROR_STREAM)
            channel.sendall(len(answer).to_bytes(_LENGTH_BYTES, "little") + answer)
    finally:
        os._exit(0)


def _answer(request: bytes) -> bytes:
    try:
        work: Callable[[], object] = pickle.loads(request)
        return pickle.dumps((True, work()))
    except Exception as error:  # noqa: BLE001 -- raised again in the process that asked
        return pickle.dumps((False, error))


def _let_go(kept: int) -> int:
    """Close what this process has inherited but for one descriptor, so that nobody waits for it;
    a descriptor to nowhere."""
    for stream in range(_STREAMS):
        with suppress(OSError):
            os.close(stream)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in range(_STREAMS):
        if stream != nowhere:
            os.dup2(nowhere, stream)
    os.closerange(_STREAMS, kept)
    os.closerange(kept + 1, os.sysconf("SC_OPEN_MAX"))
    return nowhere


def _set(options: tuple[str, ...]) -> None:
    for option in options:
        _set_option(option)


@cache
def _set_option(option: str) -> None:
    """LLVM takes most options once in a process, and ends it at the second time."""
    llvm.set_option("kcc", option)


def _start_anew() -> None:
    """In a copy of this process: what does work for the other one does none for it."""
    global _lock  # noqa: PLW0603 -- another thread may have held it
    _lock = threading.Lock()
    while _workers:
        _workers.popitem()[1].channel.close()


if hasattr(os, "fork"):
    os.register_at_fork(after_in_child=_start_anew)
    atexit.register(forget)
