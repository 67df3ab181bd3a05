"""Work in a process of its own: answers, errors, and what ends the process."""

from __future__ import annotations

import os
import signal

import pytest

from kcc.base.diagnostics import DiagnosticError, InternalError
from kcc.frontend import optimise as module
from kcc.frontend.apart import EndedError, done_apart
from kcc.frontend.options import OptLevel
from tests.tracegen.random_launches import compiled, sources


def test_answer_of_any_length_comes_back():
    assert done_apart(lambda: "x" * 5_000_000) == "x" * 5_000_000


def test_errors_are_raised_here():
    def fail() -> str:
        raise InternalError("IR text", "no module")

    with pytest.raises(InternalError, match="no module"):
        done_apart(fail)


def end() -> str:
    os.kill(os.getpid(), signal.SIGKILL)
    return ""


def test_end_of_the_process_is_an_error():
    with pytest.raises(EndedError, match="-9"):
        done_apart(end)


def test_llvm_that_ends_its_process_is_a_diagnostic(monkeypatch: pytest.MonkeyPatch):
    def crash(_module: object, costs: object) -> None:
        end()

    monkeypatch.setattr(module, "_run_pipeline", crash)
    with pytest.raises(DiagnosticError) as caught:
        module.optimise("define void @f() {\n  ret void\n}\n", OptLevel.O2)
    (found,) = caught.value.diagnostics
    assert found.code == "K503"
    assert "-O2" in found.message
    assert found.hint == "-O1 asks less of it"


def test_module_that_new_gvn_aborts_on():
    """Found by random programs: an assertion in updateProcessedCount of LLVM 22."""
    assert compiled(sources(232, 1), OptLevel.O1).kernels
