"""Work in a process of its own: answers, errors, and what ends the process."""

from __future__ import annotations

import errno
import os
import signal
import time
from functools import partial
from pathlib import Path

import llvmlite.binding as llvm
import pytest

from kcc.base.diagnostics import DiagnosticError, InternalError
from kcc.frontend import apart
from kcc.frontend import optimise as module
from kcc.frontend.apart import EndedError, done_apart, forget
from kcc.frontend.diversion import diverted_stderr
from kcc.frontend.options import OptLevel
from tests.tracegen.random_launches import compiled, sources


def test_what_is_asked_and_answered_has_any_length():
    text = "x" * 5_000_000
    assert done_apart(partial(str.upper, text)) == text.upper()


def fail() -> str:
    raise InternalError("IR text", "no module")


def test_errors_are_raised_here():
    with pytest.raises(InternalError, match="no module"):
        done_apart(fail)


def test_work_is_done_by_one_process_for_each_set_of_options():
    first, again, other = (
        done_apart(os.getpid),
        done_apart(os.getpid),
        done_apart(os.getpid, NO_LSR),
    )
    assert first == again != other
    assert os.getpid() not in (first, other)


def test_work_that_ends_a_process_which_has_done_some_has_its_own(tmp_path: Path):
    first = done_apart(os.getpid)
    with pytest.raises(EndedError, match="-9"):
        done_apart(partial(end_after, tmp_path / "who"))
    before, last = map(int, (tmp_path / "who").read_text().split())
    assert before == first != last


def test_work_that_a_process_which_has_done_some_cannot_do_is_done_by_another(tmp_path: Path):
    done_apart(os.getpid)
    assert done_apart(partial(end_after, tmp_path / "who", times=1)) == "done"


def test_error_stream_is_that_of_the_moment():
    with diverted_stderr() as lines:
        done_apart(partial(os.write, 2, b"said"))
    assert lines == ["said"]


def test_process_that_has_done_much_is_replaced(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(apart, "_MOST_WORK", 2)
    forget()
    numbers = [done_apart(os.getpid) for _ in range(4)]
    assert numbers[0] == numbers[1] != numbers[2] == numbers[3]


def test_process_that_cannot_be_made_is_an_error(monkeypatch: pytest.MonkeyPatch):
    def refuse() -> int:
        raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")

    forget()
    monkeypatch.setattr(os, "fork", refuse)
    with pytest.raises(EndedError, match="cannot be started: Resource temporarily"):
        done_apart(os.getpid)


def test_options_are_set_once_where_processes_cannot_be_copied(monkeypatch: pytest.MonkeyPatch):
    given = list[str]()

    def set_option(_: str, option: str) -> None:
        given.append(option)

    monkeypatch.delattr(os, "fork")
    monkeypatch.setattr(llvm, "set_option", set_option)
    for options in (("-a-new-one", "-another"), ("-a-new-one",)):
        assert done_apart(partial(max, 3, 4), options) == 4
    assert given == ["-a-new-one", "-another"]


def test_copy_of_this_process_asks_for_itself():
    mine = done_apart(os.getpid)
    child = os.fork()
    if child == 0:
        os._exit(4 if done_apart(os.getpid) != mine else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 4
    assert done_apart(os.getpid) == mine


def test_another_is_made_where_the_first_was_ended():
    os.kill(done_apart(os.getpid), signal.SIGKILL)
    assert done_apart(partial(max, 3, 4)) == 4


def test_interrupted_work_leaves_the_next_its_own_answer():
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    try:
        with pytest.raises(KeyboardInterrupt):
            done_apart(partial(time.sleep, 30))
    finally:
        signal.signal(signal.SIGALRM, before)
    assert done_apart(partial(max, 3, 4)) == 4


def test_nobody_waits_for_what_the_process_had_open():
    reading, writing = os.pipe()
    forget()
    done_apart(os.getpid)
    os.close(writing)
    assert os.read(reading, 1) == b""
    os.close(reading)


NO_LSR = ("-disable-lsr",)


def end() -> str:
    os.kill(os.getpid(), signal.SIGKILL)
    return ""


def test_end_of_the_process_is_an_error():
    with pytest.raises(EndedError, match="-9"):
        done_apart(end)


def end_after(path: Path, times: int = 2) -> str:
    """Write down which process does this, and end it so many times."""
    with path.open("a") as stream:
        stream.write(f"{os.getpid()} ")
    return end() if len(path.read_text().split()) <= times else "done"


def crash(_module: object, costs: object) -> None:
    end()


def test_llvm_that_ends_its_process_is_a_diagnostic(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "_run_pipeline", crash)
    forget()
    try:
        with pytest.raises(DiagnosticError) as caught:
            module.optimise("define void @f() {\n  ret void\n}\n", OptLevel.O2)
    finally:
        forget()  # what is asked next knows nothing of the crash
    (found,) = caught.value.diagnostics
    assert found.code == "K503"
    assert "-O2" in found.message
    assert found.hint == "-O1 asks less of it"


def test_module_that_new_gvn_aborts_on():
    """Found by random programs: an assertion in updateProcessedCount of LLVM 22."""
    assert compiled(sources(232, 1), OptLevel.O1).kernels
