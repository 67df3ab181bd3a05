"""Ctrl-C while a kernel runs, in the calling thread and in others: its warps stop (the fault K718),
and the interrupt is raised."""

from __future__ import annotations

import os
import signal
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from kcc.base.diagnostics import DiagnosticError
from kcc.frontend import compile_source
from kcc.frontend.kernel import CompiledUnit
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.tracegen import workers as workers_module
from kcc.tracegen.execute import ExecutionOptions, NDRange, execute
from kcc.tracegen.interrupts import is_watchable

SOURCE = """
__kernel void spin(__global volatile int *x, int n) {
    for (int i = 0; i != n; i += 2) x[get_global_id(0)] += i;
}
"""
"""Ends for an even n only."""

pytestmark = pytest.mark.usefixtures("ctrl_c")

UNIT = compile_source(SourceText("spin.cl", SOURCE, "."), BuildOptions(opt_level=OptLevel.O2))


def spin(n: int, workers: int, budget: int = 1 << 34, unit: CompiledUnit = UNIT) -> None:
    options = ExecutionOptions(workers=workers, budget=budget)
    execute(unit, unit.kernels[0], NDRange((64,), (32,)), [np.zeros(64, np.int32), n], options)


@pytest.mark.parametrize("workers", [1, 2])
def test_interrupt(workers: int):
    spin(2, workers)
    before = signal.set_wakeup_fd(-1)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    start = time.monotonic()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        spin(1, workers)
    timer.join()
    assert time.monotonic() - start < 20
    assert signal.set_wakeup_fd(before) == before
    spin(2, workers)


def test_other_handlers_are_left_alone():
    """Where Ctrl-C means something else, launches run in threads of their own."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        assert not is_watchable()
        spin(2, 1)
    finally:
        signal.signal(signal.SIGINT, before)
    assert is_watchable()


def test_other_threads():
    """Another thread than the main one cannot be interrupted: it hands launches on."""
    found = list[str]()

    def work() -> None:
        assert not is_watchable()
        try:
            spin(1, 1, budget=10_000)
        except DiagnosticError as error:
            found.append(error.diagnostics[0].code)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == ["K717"]


def test_a_signal_while_workers_start_waits_for_those_that_run(monkeypatch: pytest.MonkeyPatch):
    """They were left in native code whose memory and callbacks were then freed."""
    started = list[Future[None]]()

    class Interrupted:
        def submit(self, *call: Any) -> Future[None]:
            if started:
                time.sleep(0.05)
                raise KeyboardInterrupt
            started.append(threads.submit(*call))
            return started[0]

    # One whose pace is not known yet: a launch that is known to be short has one worker.
    unit = compile_source(SourceText("new.cl", SOURCE, "."), BuildOptions(opt_level=OptLevel.O2))
    threads = ThreadPoolExecutor(1)
    monkeypatch.setattr(workers_module, "_threads", Interrupted)
    with pytest.raises(KeyboardInterrupt):
        spin(1, 2, 1 << 30, unit)
    started[0].result(0.2)  # its thread has only to return
