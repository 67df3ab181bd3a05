from __future__ import annotations

import re

import pytest

from kcc.base.diagnostics import Diagnostic, DiagnosticError, InternalError
from kcc.commands.stages import StageRunner


def _raise(error: BaseException) -> None:
    raise error


def test_stages_are_timed_in_order_and_summed():
    stage = StageRunner()
    assert stage("first", lambda: 1) == 1
    assert stage("second", lambda: "x") == "x"
    assert stage("first", lambda: 2) == 2
    assert list(stage.cpu_seconds) == ["first", "second"]
    assert re.fullmatch(
        r"CPU seconds per stage\n  first    +\d\.\d{3}\n  second   +\d\.\d{3}\n", stage.table()
    )


def test_bad_input_passes_through():
    error = DiagnosticError([Diagnostic("K001", "message")])
    with pytest.raises(DiagnosticError) as caught:
        StageRunner()("frontend", lambda: _raise(error))
    assert caught.value is error


def test_an_unexpected_exception_names_the_stage():
    with pytest.raises(InternalError) as caught:
        StageRunner()("passes", lambda: _raise(KeyError("x")))
    assert caught.value.stage == "passes"
    assert isinstance(caught.value.__cause__, KeyError)


@pytest.mark.parametrize(("error", "code"), [(RecursionError(), "K006"), (MemoryError(), "K007")])
def test_exhaustion_is_bad_input(error: Exception, code: str):
    with pytest.raises(DiagnosticError) as caught:
        StageRunner()("frontend", lambda: _raise(error))
    assert [d.code for d in caught.value.diagnostics] == [code]


@pytest.mark.parametrize("error", [KeyboardInterrupt(), BrokenPipeError()])
def test_interruptions_pass_through(error: BaseException):
    with pytest.raises(type(error)):
        StageRunner()("frontend", lambda: _raise(error))
