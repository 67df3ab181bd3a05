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
    command = ["estimate", source, "--size", "tiny", "--gpu", "mi210", "--code", "compiler"]
    assert main([*command, "--json", "-"]) == 0
    rows = json.loads(capsys.readouterr().out)["estimates"]
    assert rows
    assert all(row["time_us"] > 0 for row in rows)
