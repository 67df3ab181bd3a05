"""A compiler that works beside the analysis gives what it gives when it is asked."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from kcc.base.diagnostics import DiagnosticError, Span
from kcc.base.gpu.loading import load_gpu
from kcc.base.launch import LaunchRequest
from kcc.base.launch_language import parse_dimensions
from kcc.commands.machine_code import code_request
from kcc.frontend.machine_code.nvidia import NvidiaTools
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.stages.analyze import AnalysisRequest, LaunchInputs
from kcc.stages.estimate import KernelEstimate, Question, Workshop
from kcc.stages.machine_code import CodeRequest, begun
from tests.passes.workloads import compiled

GPU = "a100"
TEXT = "__kernel void k(__global float* a) { int i = get_global_id(0); a[i] = a[i] * 2.0f; }"


def estimated(code: CodeRequest, *, ahead: bool, needed: bool = False) -> KernelEstimate:
    at = Span("", 0)
    launch = LaunchRequest(parse_dimensions("4096", at), parse_dimensions("256", at))
    request = AnalysisRequest(
        SourceText("k.cl", TEXT, ""), BuildOptions(opt_level=OptLevel.O2),
        other_launch=LaunchInputs(launch, {}, ()),
    )  # fmt: skip
    gpu = load_gpu(GPU)
    workshop = Workshop(ahead=(code,) if ahead else ())
    (prepared,) = workshop.prepare(request)
    question = Question(codes={gpu.stem: code}, code_needed=needed)
    return workshop.estimate(prepared, gpu, question)


def test_llvm_for_amd_is_not_begun():
    assert begun(compiled("saxpy", OptLevel.O2), [CodeRequest(amd_target="gfx90a")]) == {}


def test_it_works_in_another_thread(monkeypatch: pytest.MonkeyPatch):
    def named(*_: object) -> str:
        return threading.current_thread().name

    monkeypatch.setattr("kcc.stages.machine_code.machine_code", named)
    code = CodeRequest(NvidiaTools("sm_80", Path("ptxas"), None, None))
    (found,) = begun(compiled("saxpy", OptLevel.O2), [code, code]).values()
    assert found.result() != threading.current_thread().name


def test_a_tool_that_fails_is_told_of_when_its_code_is_asked_for():
    broken = CodeRequest(NvidiaTools("sm_80", Path("/there/is/no/ptxas"), None, None))
    reasons = [estimated(broken, ahead=each).estimate.code_reason for each in (True, False)]
    assert "ptxas' cannot be run" in reasons[0]
    assert reasons[0] == reasons[1]
    with pytest.raises(DiagnosticError, match="K810"):
        estimated(broken, ahead=True, needed=True)


@pytest.mark.nvidia
def test_the_estimate_is_the_same():
    code = code_request("auto", load_gpu(GPU))
    assert code is not None
    assert code.tools is not None
    code = replace(code, tools=replace(code.tools, cache=None))
    one, other = (estimated(code, ahead=each).estimate for each in (True, False))
    assert one.code.startswith("ptxas")
    assert (one.time_us, one.counts) == (other.time_us, other.counts)
