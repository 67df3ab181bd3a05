"""Long work that is interrupted goes on with `--resume`, and gives the bytes of a run that nobody
disturbed; ended by a signal it leaves its journal and nothing else."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kcc.cli import main
from kcc.commands import simulate_journal
from kcc.sim.cycle.launch import CycleSimulator
from kcc.stages import proxy_search, tracing

ROOT = Path(__file__).parents[2]
SCRIPT = """import numpy as np
import kcc.opencl as cl
import sys
q = cl.CommandQueue(cl.create_some_context())
p = cl.Program(q.context, '''__kernel void a(__global float *x, float s, int n)
{ int i = get_global_id(0); if (i < n) x[i] = x[i] * s + 1.0f; }
__kernel void b(__global float *x, __global float *y, int n)
{ int i = get_global_id(0); if (i < n - 1) y[i] = x[i] + x[i + 1]; }''').build()
x, y = (cl.Buffer(q.context, cl.mem_flags.READ_WRITE, 4096) for _ in range(2))
a, b = cl.Kernel(p, "a"), cl.Kernel(p, "b")
for n in range(int(sys.argv[1])):
    a(q, (1024,), (128,), x, np.float32(n), np.int32(1000 + n % 20))
    b(q, (1024,), (128,), x, y, np.int32(1000))
"""
INTERRUPTED = 130
"""The exit code of Ctrl-C."""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of one's own, with the script."""
    monkeypatch.chdir(tmp_path)
    Path("s.py").write_text(SCRIPT)
    return tmp_path


class Counted:
    """A function that is interrupted when it is called for the ``last``-th time."""

    def __init__(self, function: Callable[..., Any], last: int) -> None:
        self.function, self.last, self.calls = function, last, 0

    def __call__(self, *given: Any, **named: Any) -> Any:
        self.calls += 1
        if self.calls == self.last:
            raise KeyboardInterrupt
        return self.function(*given, **named)


def counted(monkeypatch: pytest.MonkeyPatch, owner: object, name: str, last: int) -> Counted:
    found = Counted(getattr(owner, name), last)

    def call(*given: Any, **named: Any) -> Any:  # a function becomes a method where that is asked
        return found(*given, **named)

    monkeypatch.setattr(owner, name, call)
    return found


TRACE = ("trace", "s.py", "-o", "out.kct")


def test_a_trace_goes_on(monkeypatch: pytest.MonkeyPatch):
    words = ["--", "3"]
    assert main([*TRACE[:3], "whole.kct", *words]) == 0
    ended = counted(monkeypatch, tracing, "end_launch", 4)
    assert main([*TRACE, "--resume", *words]) == INTERRUPTED
    assert sorted(p.name for p in Path().glob("out*")) == ["out.kct.partial", "out.kct.records"]
    with Path("out.kct.records").open("ab") as file:  # a record that was not written to its end
        file.write(b"CHNK\0\0\0")
    assert main([*TRACE, "--resume", *words]) == 0
    assert ended.calls == 4 + 3
    assert Path("out.kct").read_bytes() == Path("whole.kct").read_bytes()
    assert [p.name for p in Path().glob("out*")] == ["out.kct"]


def test_a_trace_of_other_work_does_not_go_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    counted(monkeypatch, tracing, "end_launch", 4)
    assert main([*TRACE, "--resume", "--", "3"]) == INTERRUPTED
    assert main([*TRACE, "--resume", "--seed", "1", "--", "3"]) == 1
    assert "error[K893]" in capsys.readouterr().err
    text = Path("s.py").read_text()
    Path("other.py").write_text("N = 999\n")
    Path("s.py").write_text("from other import N\n" + text.replace("np.int32(1000)", "np.int32(N)"))
    Path("out.kct.partial").unlink()
    Path("out.kct.records").unlink()
    counted(monkeypatch, tracing, "end_launch", 4)
    assert main([*TRACE, "--resume", "--", "3"]) == INTERRUPTED
    # What the script reads is not part of the digest. Of another length: Python keeps what it has
    # compiled of a file that has the same length and second.
    Path("other.py").write_text("N = 1001\n")
    assert main([*TRACE, "--resume", "--", "3"]) == 1
    assert "launch 1 is another than in the run that is resumed" in capsys.readouterr().err


def test_a_simulation_goes_on(monkeypatch: pytest.MonkeyPatch):
    """Two configurations, interrupted in each: L2 and DRAM are as they were."""
    words = ["simulate", "x.kct", "--gpu", "v100,conf1", "--json"]
    assert main(["trace", "s.py", "-o", "x.kct", "--", "3"]) == 0
    assert main([*words, "whole.json"]) == 0
    monkeypatch.setattr(simulate_journal, "STATE_SECONDS", 0.0)
    begun = counted(monkeypatch, CycleSimulator, "begin", 5)
    assert main([*words, "out.json", "--resume"]) == INTERRUPTED
    assert Path("out.json.partial").is_file()
    begun.last = 5 + 4  # the second of the other configuration
    assert main([*words, "out.json", "--resume"]) == INTERRUPTED
    begun.last = 0
    before = begun.calls
    assert main([*words, "out.json", "--resume"]) == 0
    assert begun.calls - before >= 5  # and what advice tries
    assert Path("out.json").read_bytes() == Path("whole.json").read_bytes()
    assert [p.name for p in Path().glob("out*")] == ["out.json"]


def test_a_launch_without_a_state_is_simulated_again(monkeypatch: pytest.MonkeyPatch):
    words = ["simulate", "x.kct", "--gpu", "v100", "--json"]
    assert main(["trace", "s.py", "-o", "x.kct", "--", "3"]) == 0
    assert main([*words, "whole.json"]) == 0
    begun = counted(monkeypatch, CycleSimulator, "begin", 5)
    assert main([*words, "out.json", "--resume"]) == INTERRUPTED
    assert not Path("out.json.partial.state").exists()
    assert main([*words, "out.json", "--resume"]) == 0
    assert begun.calls >= 5 + 6
    assert Path("out.json").read_bytes() == Path("whole.json").read_bytes()


def test_a_search_for_a_miniature_goes_on(monkeypatch: pytest.MonkeyPatch):
    words = ["synth", "s.py", "--gpu", "conf1", "--reduction", "auto", "--error", "99"]
    assert main([*words, "-o", "whole", "--", "1"]) == 0
    settled = counted(monkeypatch, proxy_search, "settle", 2)
    assert main([*words, "-o", "out", "--resume", "--", "1"]) == INTERRUPTED
    assert [p.name for p in Path().glob("out*")] == ["out.partial"]
    assert main([*words, "-o", "out", "--resume", "--", "1"]) == 0
    assert settled.calls == 2 + 1  # not the one without reduction
    for path in Path("whole").iterdir():
        assert (Path("out") / path.name).read_bytes() == path.read_bytes()
    assert [p.name for p in Path().glob("out*")] == ["out"]


@pytest.mark.parametrize(
    "words",
    [
        ["synth", "s.py", "-o", "out", "--resume", "--", "1"],
        ["simulate", "s.py", "--gpu", "v100", "--resume", "--", "1"],
        ["simulate", "s.py", "--gpu", "v100", "--json", "o", "--jobs", "2", "--resume", "--", "1"],
        ["trace", "s.py", "-o", "out", "--format", "accelsim", "--resume", "--", "1"],
    ],
)
def test_what_cannot_be_resumed(words: list[str], capsys: pytest.CaptureFixture[str]):
    assert main(words) == 2
    assert "--resume" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        TRACE,
        (*TRACE, "--resume"),
        ("simulate", "s.py", "--gpu", "conf1", "--json", "out.json"),
        ("synth", "s.py", "--gpu", "conf1", "--reduction", "auto", "-o", "out"),
    ],
    ids=["trace", "resumed trace", "simulate", "synth"],
)
def test_a_signal_leaves_nothing_but_the_journal(words: tuple[str, ...], folder: Path):
    """At three times: SIGTERM ends it with 143, and nothing is left in the folder or in TMPDIR."""
    temporary = folder / "temporary"
    temporary.mkdir()
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(temporary)}
    for seconds in (1.5, 2.5, 4.0):
        command = [sys.executable, "-P", "-m", "kcc", *words, "--", "30000"]
        with subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL) as process:
            time.sleep(seconds)
            process.terminate()
            assert process.wait(60) == 128 + signal.SIGTERM
        left = {p.name for p in folder.iterdir()} - {"s.py", "temporary"}
        kept = {"out.kct.partial", "out.kct.records", "out.json.partial", "out.partial"}
        assert left <= {*kept, "out.json.partial.state"}
        assert "--resume" in words or not any(name.startswith("out.kct") for name in left)
        assert not [p for p in temporary.iterdir() if p.name.startswith("kcc-scratch")]
