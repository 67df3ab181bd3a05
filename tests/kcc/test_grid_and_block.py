"""CUDA's way to give a launch, and the kernel.toml of a source's twin."""

from __future__ import annotations

import pytest

from kcc.cli import main
from tests.kernels.harness import KERNELS

VECADD = str(KERNELS / "vecadd" / "vecadd.cl")


def report(capsys: pytest.CaptureFixture[str], *options: str) -> str:
    assert main(["analyze", VECADD, "--brief", "--kernel", "vecadd", *options]) == 0
    return capsys.readouterr().out


def test_grid_counts_blocks(capsys: pytest.CaptureFixture[str]):
    shown = report(capsys, "--grid", "64", "--block", "128")
    assert "global 8192, local 128 (from the command line)" in shown


def test_block_alone_keeps_the_file_s_size(capsys: pytest.CaptureFixture[str]):
    shown = report(capsys, "--block", "64")
    assert "global 262144, local 64 (from the command line and kernel.toml" in shown


def test_two_spellings_exclude_each_other(capsys: pytest.CaptureFixture[str]):
    assert main(["analyze", VECADD, "--grid", "64", "--global", "64"]) == 1
    assert "K035" in capsys.readouterr().err


def test_a_twin_has_the_same_kernel_toml(capsys: pytest.CaptureFixture[str]):
    twin = str(KERNELS / "hotspot" / "hotspot.cu")
    assert main(["analyze", twin, "--brief"]) == 0
    shown = capsys.readouterr().out
    assert "kernel.toml: -D BLOCK_SIZE=16, launches" in shown
    assert "threads 352 x 352, block 16 x 16" in shown
