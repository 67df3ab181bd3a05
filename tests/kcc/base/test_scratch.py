"""Temporary folders: gone afterwards and when a signal ends the process, swept if it was killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from kcc import cli
from kcc.base.scratch import Terminated, remove_abandoned, scratch_folder, tidy

ROOT = Path(__file__).resolve().parents[3]

WORK = """
import ctypes, signal, sys, time
from kcc.base.scratch import Terminated, scratch_folder, tidy
try:
    with tidy(), scratch_folder() as folder:
        (folder / "file").touch()
        print(flush=True)
        {wait}
except Terminated as ended:
    sys.exit(ended.exit_code)
"""
IN_PYTHON = "time.sleep(60)"
IN_NATIVE_CODE = (
    "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM]); ctypes.CDLL(None).sleep(60)"
)
"""The main thread is not interrupted, as by a loop of compiled code; another takes the signal."""


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for temporary folders, which is looked through anew."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    remove_abandoned.cache_clear()
    return tmp_path


def test_a_folder_is_gone_afterwards(temporary: Path):
    with scratch_folder("purpose-") as folder:
        (folder / "inner").mkdir()
        assert folder.name.startswith("kcc-scratch-purpose-")
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize("wait", [IN_PYTHON, IN_NATIVE_CODE], ids=["python", "native"])
def test_a_signal_leaves_no_folder(wait: str, temporary: Path):
    environment = {"PYTHONPATH": str(ROOT), "TMPDIR": str(temporary)}
    command = [sys.executable, "-P", "-c", WORK.format(wait=wait)]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(0.1)
        assert len(list(temporary.iterdir())) == 1
        process.terminate()
        assert process.wait(30) == 128 + signal.SIGTERM
    assert list(temporary.iterdir()) == []


def test_what_a_killed_process_left_behind_is_removed(temporary: Path):
    (left, young, other) = (temporary / n for n in ("kcc-scratch-a", "kcc-scratch-b", "kcc-x"))
    with scratch_folder() as used:
        for folder in (left, young, other):
            folder.mkdir()
            (folder / "file").touch()
        for folder in (left, other, used):
            os.utime(folder, (0, 0))
        remove_abandoned.cache_clear()
        with scratch_folder():
            assert not left.exists()
            assert used.exists()
    assert sorted(temporary.iterdir()) == [young, other]


def test_a_command_that_is_ended_says_so_by_its_exit_code(monkeypatch: pytest.MonkeyPatch):
    def ended(*_: object) -> None:
        os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr(cli, "_run", ended)
    assert cli.main([]) == 128 + signal.SIGTERM
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_signals_that_mean_something_else_are_left_alone():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with tidy():
            os.kill(os.getpid(), signal.SIGHUP)
        with pytest.raises(Terminated), tidy():
            os.kill(os.getpid(), signal.SIGTERM)
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_copy_of_the_process_ends_by_a_signal_alone():
    reading, writing = os.pipe()
    with scratch_folder() as folder, tidy():
        child = os.fork()
        if child == 0:
            os.write(writing, b"\n")
            time.sleep(60)
            os._exit(0)
        os.read(reading, 1)
        os.kill(child, signal.SIGTERM)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGTERM
        assert folder.exists()
    os.close(reading)
    os.close(writing)
