"""CUDA's ``extern __shared__`` arrays, whose size is the launch's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kcc.cli import main
from tests.kernels.harness import KERNELS

SOURCE = """extern __shared__ float tile[];
__global__ void k(float *a) {
  tile[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  a[threadIdx.x] = tile[255 - threadIdx.x];
}
"""


@pytest.fixture
def source(tmp_path: Path) -> str:
    path = tmp_path / "k.cu"
    path.write_text(SOURCE)
    return str(path)


def estimate(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["estimate", *words, "--gpu", "a100"]) == 0
    return capsys.readouterr().out


def test_the_size_bounds_occupancy(source: str, capsys: pytest.CaptureFixture[str]):
    shown = estimate(capsys, source, "--grid", "64", "--block", "256", "--arg", "tile=float[20000]")
    # 80,000 bytes and the 1 KB that CUDA keeps: two blocks of the A100's 164 KB
    assert "16 of 64 warps per SM, 2 blocks, limiter: shared memory" in shown


def test_without_a_size_it_is_a_guess_with_its_remedy(
    source: str, capsys: pytest.CaptureFixture[str]
):
    shown = estimate(capsys, source, "--grid", "64", "--block", "256", "--json", "-")
    (guess,) = json.loads(shown)["estimates"][0]["confidence"]["guesses"]
    assert (guess["what"], guess["value"]) == ("shared memory", 0)
    assert guess["remedy"] == "--arg tile=TYPE[COUNT]"


def test_analyze_names_it(source: str, capsys: pytest.CaptureFixture[str]):
    assert main(["analyze", source, "--grid", "64", "--block", "256"]) == 0
    assert "shared memory sized by the host in tile" in capsys.readouterr().out


def test_an_opencl_twin_s_local_arguments_are_the_array(capsys: pytest.CaptureFixture[str]):
    twin = str(KERNELS / "pathfinder" / "pathfinder.cu")
    size = ("--size", "local_size=1024", "--block", "1024")
    assert main(["analyze", twin, *size, "--gpu", "a100", "--json", "-"]) == 0
    (kernel,) = json.loads(capsys.readouterr().out)["kernels"]
    assert kernel["work_group_local_bytes"] == 8 * 1024
