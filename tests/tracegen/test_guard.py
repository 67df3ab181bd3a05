"""A fault in compiled code is an internal error that names kernel and launch."""

from __future__ import annotations

import ctypes
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from kcc.base.diagnostics import InternalError
from kcc.frontend import compile_source
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.tracegen import execute as engine
from kcc.tracegen.simt.guard import SIGNALS
from kcc.tracegen.simt.plan import Plan
from kcc.tracegen.simt.program import ProgramOptions, write_program

SOURCE = "kernel void ones(global int *o) { o[get_global_id(0)] = 1; }"

WILD_STORE = "  store i32 1, ptr inttoptr (i64 64 to ptr)"
DEEP_FRAME = (
    "  %deep = alloca [268435456 x i8]",
    "  %deep.at = getelementptr i64, ptr %worker, i64 60",
    "  store volatile ptr %deep, ptr %deep.at",
    "  store volatile i8 1, ptr %deep",
)
FAULTS = {
    "store": (WILD_STORE, "SIGSEGV at address 0x40"),
    "jump": ("  call void inttoptr (i64 64 to ptr)()", "SIGSEGV at address 0x40"),
    "trap": ("  call void @llvm.trap()", "SIG(ILL|TRAP) at address 0x"),
    "deep": (
        "\n".join(DEEP_FRAME),
        "SIG(SEGV|BUS) at address 0x",
    ),
}


def run(workers: int = 1, **more: Any) -> list[int]:
    options = engine.ExecutionOptions(workers=workers, **more)
    unit = compile_source(SourceText("a.cl", SOURCE, "."), BuildOptions(opt_level=OptLevel.O2))
    launch = engine.NDRange((256,), (64,))
    done = engine.execute(unit, unit.kernels[0], launch, [np.zeros(256, np.int32)], options)
    return done.buffers[0].tolist()


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Puts instructions at the beginning of what runs a warp."""

    def put(code: str) -> None:
        def write(plan: Plan, options: ProgramOptions) -> str:
            text = write_program(plan, options)
            entry = text.index("\n", text.index("entry:", text.index("i32 @kcc.warp("))) + 1
            return text[:entry] + code + "\n" + text[entry:]

        monkeypatch.setattr(engine, "write_program", write)
        engine.forget_programs()

    return put


@pytest.fixture(autouse=True)
def _forget() -> object:
    yield None
    engine.forget_programs()


@pytest.mark.sampled(4)
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("workers", [1, 2])
def test_a_fault_names_kernel_and_launch(
    broken: Callable[[str], None], monkeypatch: pytest.MonkeyPatch, fault: str, workers: int
) -> None:
    code, found = FAULTS[fault]
    broken(code)
    text = rf"kernel 'ones' \(a.cl:1\) ended in {found}.*, launched over 256 in work-groups of 64"
    for _ in range(2):  # the handler stays
        with pytest.raises(InternalError, match=text):
            run(workers)
    monkeypatch.undo()
    engine.forget_programs()
    assert run(workers) == [1] * 256


def test_threads_of_the_caller_are_guarded(broken: Callable[[str], None]) -> None:
    broken(WILD_STORE)
    found = list[str]()

    def work() -> None:
        try:
            run()
        except InternalError as error:
            found.append(str(error))

    threads = [threading.Thread(target=work) for _ in range(3)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(found) == 3
    assert all("SIGSEGV" in each for each in found)


ELSEWHERE = """
import ctypes, faulthandler
import numpy as np
from tests.tracegen.test_guard import run, engine
run()
faulthandler.enable()
def fault(*_): ctypes.string_at(64)
if {inside}:
    run(trace=engine.TraceMode.BLOCKS, on_trace=fault)
    print("traced")
fault()
"""


@pytest.mark.slow
@pytest.mark.parametrize("inside", [False, True])
def test_faults_of_others_are_theirs(inside: bool) -> None:
    """They end the process as before, also where kcc's handler stands, and in functions of the
    Python side that compiled code calls."""
    text = ELSEWHERE.replace("{inside}", str(inside))
    ended = subprocess.run(
        [sys.executable, "-P", "-c", "import sys; sys.path.insert(0, '.')\n" + text],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ended.returncode < 0
    assert "Segmentation fault" in ended.stderr


def test_signals_have_handlers() -> None:
    run()
    libc = ctypes.CDLL(None)
    for name in SIGNALS:
        action = ctypes.create_string_buffer(256)
        assert libc.sigaction(int(getattr(signal, name)), None, action) == 0
        assert any(action.raw[:8])
