"""`kcc estimate` of a CUDA source takes the launch that its own host code has."""

from __future__ import annotations

from pathlib import Path

import pytest

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


TWO = """
__global__ void one(float *p) { p[blockIdx.x * 64 + threadIdx.x] = 1.0f; }
__global__ void two(float *p) { p[threadIdx.x] = 2.0f; }
void go(float *p, int blocks) { one<<<80, 64>>>(p); two<<<blocks, 64>>>(p); }
"""


@pytest.mark.parametrize(("blocks", "reason"), [("blocks", "K890:"), ("dim3(1, 1 << 16)", "K033:")])
def test_kernels_without_a_launch_have_a_reason_beside_the_others(
    blocks: str, reason: str, run: Run, tmp_path: Path
):
    path = tmp_path / "two.cu"
    path.write_text(TWO.replace("<<<blocks,", f"<<<{blocks},"))
    ended = run("estimate", str(path), "--gpu", "a100", "--width", "200")
    assert ended.code == 0
    rows = [line.split() for line in ended.out.splitlines()]
    assert any(row[:1] == ["one"] and "us" in row for row in rows)
    assert any(row[:1] == ["two"] and reason in row for row in rows)
    assert run("estimate", str(path), "--gpu", "a100", "--kernel", "two").code == 1


SUMS = """
__global__ void sum(const float *p, float *q, int n) { q[blockIdx.x] = p[n + threadIdx.x]; }
void go(float *p, float *q, int blocks) {
  sum<<<blocks, 256>>>(p, q, 1 << 20);
  sum<<<1, 256>>>(q, p, blocks);
}
"""


def test_other_launches_of_the_kernel_are_told(run: Run, tmp_path: Path):
    (tmp_path / "sums.cu").write_text(SUMS)
    ended = run("estimate", str(tmp_path / "sums.cu"), "--gpu", "v100")
    assert "sum<<<1, 256>>> in line 5" in ended.err
    assert "that of line 4 needs a value of blocks" in ended.err


def test_main_may_stand_in_a_source_beside(run: Run, tmp_path: Path):
    (tmp_path / "main.cpp").write_text(
        "void go(float *p, int n);\nint main(int argc, char **argv) { go(0, atoi(argv[1])); }"
    )
    path = tmp_path / "kernel.cu"
    path.write_text(
        "__global__ void one(float *p) { p[blockIdx.x * 64 + threadIdx.x] = 1.0f; }\n"
        "void go(float *p, int n) { one<<<n / 64, 64>>>(p); }\n"
    )
    ended = run("estimate", str(path), "--gpu", "a100", "--argv", "6400")
    assert ended.code == 0
    assert "one<<<100, 64>>> in line 2" in ended.err
    (tmp_path / "other.cpp").write_text("int main() { go(0, 64); }")
    assert run("estimate", str(path), "--gpu", "a100", "--argv", "6400").code == 1


def test_the_host_asks_the_gpu_and_headers_of_headers(run: Run, tmp_path: Path):
    (tmp_path / "a.h").write_text('#include "b.h"\n#define CHECK(x) do { x; } while (0)\n')
    (tmp_path / "b.h").write_text("template <class T> T up(T a, T b) { return (a + b - 1) / b; }\n")
    path = tmp_path / "own.cu"
    path.write_text(
        '#include "a.h"\n'
        "__global__ void one(float *p) { p[blockIdx.x * 64 + threadIdx.x] = 1.0f; }\n"
        "int main() { cudaDeviceProp of; CHECK(cudaGetDeviceProperties(&of, 0));\n"
        "one<<<up(of.multiProcessorCount * 65, 65), 64>>>(0); }\n"
    )
    ended = run("estimate", str(path), "--gpu", "v100")
    assert ended.code == 0
    assert "one<<<80, 64>>> in line 4" in ended.err


def test_arguments_of_the_program_may_begin_with_a_dash(run: Run, tmp_path: Path):
    path = tmp_path / "own.cu"
    path.write_text(SAXPY.replace("atoi(argv[1])", "atoi(argv[1] + 0)").replace(
        "int n =", 'int n = strcmp(argv[1], "-big") == 0 ? 65536 : 0; //'
    ))  # fmt: skip
    ended = run("estimate", str(path), "--gpu", "a100", "--argv", "-big")
    assert ended.code == 0
    assert "saxpy<<<256, 256>>>" in ended.err


@pytest.mark.parametrize(
    "words", [("run",), ("simulate", "--gpu", "v100"), ("memory", "--gpu", "v100"), ("profile",)]
)
def test_other_commands_take_the_launch_of_the_host(
    words: tuple[str, ...], run: Run, tmp_path: Path
):
    path = tmp_path / "saxpy.cu"
    path.write_text(SAXPY)
    buffers = ("--arg", "x=float[1024]", "--arg", "y=float[1024]")
    ended = run(words[0], str(path), *words[1:], *buffers, "--argv", "1024")
    assert ended.code == 0, ended.err
    assert "saxpy<<<4, 256>>> in line 8" in ended.out + ended.err
