"""Estimates on AMD's GPUs, of which the kernel that is timed is not the one that others share."""

from __future__ import annotations

import json

import pytest

from kcc.base.diagnostics import Span
from kcc.base.gpu.loading import load_gpu
from kcc.base.launch import LaunchRequest
from kcc.base.launch_language import parse_dimensions
from kcc.cli import main
from kcc.commands.machine_code import code_for
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.stages.analyze import AnalysisRequest, LaunchInputs
from kcc.stages.estimate import Question, Workshop
from tests.kernels.harness import KERNELS


@pytest.mark.parametrize("name", ["vecadd", "matmul"])
def test_advice_and_code_are_those_of_the_kernel_that_is_timed(
    name: str, capsys: pytest.CaptureFixture[str]
):
    source = str(KERNELS / name / f"{name}.cl")
    command = ["estimate", source, "--size", "tiny", "--gpu", "mi210", "--code", "compiler"]
    assert main([*command, "--json", "-"]) == 0
    rows = json.loads(capsys.readouterr().out)["estimates"]
    assert rows
    assert all(row["time_us"] > 0 for row in rows)


def test_shared_memory_that_a_launch_takes_limits_the_compilers_code_too():
    at = Span("test", 1, 1)
    launch = LaunchRequest(parse_dimensions("65536", at), parse_dimensions("64", at))
    text = "kernel void k(global float *a) { a[get_global_id(0)] *= 2.0f; }"
    request = AnalysisRequest(
        source=SourceText("k.cl", text, "."), options=BuildOptions(opt_level=OptLevel.O2),
        other_launch=LaunchInputs(launch, {}, (), "test"),
    )  # fmt: skip
    gpu, workshop = load_gpu("mi210"), Workshop()
    (prepared,) = workshop.prepare(request)
    prepared.subject.local_bytes = 30_000
    found = workshop.estimate(prepared, gpu, Question(codes={gpu.stem: code_for("gfx90a")}))
    assert found.estimate.code.startswith("llvm")
    assert found.estimate.occupancy.blocks == 2
