"""Processes that share work: one that is killed, work that is given up, a parent that is killed."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import time
from pathlib import Path

import pytest

from kcc.base.diagnostics import DiagnosticError
from kcc.commands.workers import submit, workers


def die(_: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def linger(folder: str, number: int) -> None:
    Path(folder, f"{number}-{os.getpid()}").touch()
    time.sleep(60)


def begun(folder: Path) -> list[int]:
    """The two processes once both are at work."""
    while len(names := [path.name for path in folder.iterdir()]) < 2:
        time.sleep(0.01)
    return [int(name.split("-")[1]) for name in names]


def is_running(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text("ascii").rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def killed() -> None:
    with workers(2, "fork") as pool:
        for future in submit(pool, die, [(n,) for n in range(4)]):
            future.result()


def given_up(folder: Path) -> None:
    with workers(2, "fork") as pool:
        submit(pool, linger, [(str(folder), n) for n in range(2)])
        begun(folder)
        raise KeyboardInterrupt


def given_up_with_tasks_on_their_way(folder: Path) -> None:
    """More than the pipe to the processes has room for."""
    with workers(2, "fork") as pool:
        submit(pool, linger, [(str(folder), n) for n in range(2)])
        begun(folder)
        submit(pool, len, [(bytes(1 << 20),) for _ in range(4)])
        time.sleep(0.2)
        sys.setswitchinterval(5)  # the pool is told to end before it sees that its processes did
        raise KeyboardInterrupt


def test_a_process_that_is_killed_is_a_message():
    with pytest.raises(DiagnosticError) as raised:
        killed()
    assert raised.value.diagnostics[0].code == "K014"


def test_work_that_is_given_up_ends_at_once(tmp_path: Path):
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        given_up(tmp_path)
    assert time.monotonic() - start < 30
    assert not any(is_running(each) for each in begun(tmp_path))


def test_processes_end_when_the_first_is_killed(tmp_path: Path):
    child = os.fork()
    if child == 0:
        try:
            with workers(2, "fork") as pool:
                submit(pool, linger, [(str(tmp_path), n) for n in range(2)])
                begun(tmp_path)
                os.kill(os.getpid(), signal.SIGKILL)
        finally:
            os._exit(1)
    processes = begun(tmp_path)
    os.waitpid(child, 0)
    end = time.monotonic() + 30
    while any(is_running(each) for each in processes) and time.monotonic() < end:
        time.sleep(0.01)
    assert not any(is_running(each) for each in processes)


def test_work_that_is_given_up_ends_at_once_with_tasks_on_their_way(tmp_path: Path):
    context = multiprocessing.get_context("fork")
    process = context.Process(target=given_up_with_tasks_on_their_way, args=(tmp_path,))
    process.start()
    process.join(20)
    ended = process.exitcode
    process.kill()
    assert ended is not None
