"""Estimates on AMD's GPUs, of which the kernel that is timed is not the one that others share."""

from __future__ import annotations

import json

import pytest

from kcc.cli import main
from tests.kernels.harness import KERNELS


@pytest.mark.parametrize("name", ["vecadd", "matmul"])
def test_advice_and_code_are_those_of_the_kernel_that_is_timed(
    name: str, capsys: pytest.CaptureFixture[str]
):
    source = str(KERNELS / name / f"{name}.cl")
    command = [
        "estimate",
        source,
        "--size",
        "tiny",
        "--gpu",
        "mi210",
        "--gpu",
        "v100",
        "--json",
        "-",
    ]
    assert main(command) == 0
    rows = json.loads(capsys.readouterr().out)["estimates"]
    assert {row["gpu"] for row in rows} == {"amd-mi210", "nvidia-tesla-v100-pcie-16gb"}
    assert all(row["time_us"] > 0 for row in rows)
    codes = [row["code"] for row in rows if row["gpu"] == "amd-mi210"]
    assert any(code.startswith("llvm amdgpu") for code in codes)
