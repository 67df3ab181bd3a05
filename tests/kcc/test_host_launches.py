"""`kcc estimate` of a CUDA source takes the launch that its own host code has."""

from __future__ import annotations

from pathlib import Path

from tests.kcc.command_line import Run

SAXPY = """
__global__ void saxpy(int n, float a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
int main(int argc, char **argv) {
  int n = atoi(argv[1]);
  saxpy<<<(n + 255) / 256, 256>>>(n, 2.0f, nullptr, nullptr);
}
"""


def test_estimate_takes_the_launch_of_the_host(run: Run, tmp_path: Path):
    path = tmp_path / "saxpy.cu"
    path.write_text(SAXPY)
    ended = run("estimate", str(path), "--gpu", "a100")
    assert ended.code == 1
    assert "'n' has no value" in ended.err
    assert "--size n=4096" in ended.err
    ended = run("estimate", str(path), "--gpu", "a100", "--size", "n=1048576")
    assert ended.code == 0
    assert "saxpy<<<4096, 256>>> in line 8" in ended.err
    given = run(
        "estimate", str(path), "--gpu", "a100", "--global", "1048576", "--local", "256",
        "--arg", "n=1048576", "--arg", "a=2.0",
    )  # fmt: skip
    assert given.out == ended.out
