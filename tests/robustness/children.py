"""Cases in forked children: what kills or hangs one costs that case alone."""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.robustness.journal import Entry

Work = Callable[[str], Entry]

POLL_SECONDS = 2.0
PER_CHILD = 50
"""Cases of one child, so that what it leaks goes with it."""


def in_children(cases: list[str], work: Work, limit_seconds: float) -> Iterator[Entry]:
    """What ``work`` says of each case. A case that ends its process, raises, or takes more than
    ``limit_seconds`` of CPU time is an entry too: ``died``, ``traceback``, ``hang``."""
    waiting = list(cases)
    while waiting:
        done = 0
        for entry in _one_child(waiting[:PER_CHILD], work, limit_seconds):
            done += 1
            yield entry
        del waiting[:done]


def _one_child(cases: list[str], work: Work, limit_seconds: float) -> Iterator[Entry]:
    """Entries until the child ends; the last may say how it did."""
    reading, writing = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _answer(cases, work, writing)
    os.close(writing)
    left = list(cases)
    with os.fdopen(reading, "rb", buffering=0) as stream:
        try:
            for line in _lines(stream.fileno(), child, limit_seconds):
                yield Entry(*json.loads(line))
                left.pop(0)
        except TimeoutError:
            yield Entry(left.pop(0), "hang", f"more than {limit_seconds:.0f} s")
            left.clear()
        finally:
            os.kill(child, signal.SIGKILL)
            _, status = os.waitpid(child, 0)
    if left:
        yield Entry(left[0], "died", f"status {os.waitstatus_to_exitcode(status)}")


def _lines(descriptor: int, child: int, limit_seconds: float) -> Iterator[bytes]:
    """Whole lines as they come; raises TimeoutError when the child has calculated for so long, or
    waited for ten times as long, since the last one."""
    rest, begun = b"", (_cpu_seconds(child), time.monotonic())
    while True:
        if not select.select([descriptor], [], [], POLL_SECONDS)[0]:
            waited = time.monotonic() - begun[1]
            if _cpu_seconds(child) - begun[0] > limit_seconds or waited > 10 * limit_seconds:
                raise TimeoutError
            continue
        data = os.read(descriptor, 65536)
        if not data:
            return
        *whole, rest = (rest + data).split(b"\n")
        if whole:
            begun = _cpu_seconds(child), time.monotonic()
        yield from whole


def _cpu_seconds(child: int) -> float:
    """Of a process so far, as the kernel counts (proc(5): fields 14 and 15 of stat)."""
    fields = Path(f"/proc/{child}/stat").read_text("ascii").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _answer(cases: list[str], work: Work, writing: int) -> None:
    """In the child: an entry a line, then the end, past all handlers of the parent."""
    silent = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(silent, descriptor)
    for case in cases:
        try:
            entry = work(case)
        except BaseException:  # noqa: BLE001 -- whatever it is, it is what we look for
            entry = Entry(case, "traceback", traceback.format_exc()[-1500:])
        line = json.dumps([entry.case, entry.outcome, entry.detail])
        os.write(writing, line.encode() + b"\n")
    os._exit(0)
