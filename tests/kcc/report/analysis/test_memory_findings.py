"""Accumulators in memory and operands that a work-group loads many times."""

from __future__ import annotations

from pathlib import Path

import kcc.api

PRODUCT = """typedef __global const float *In;
__kernel void k(In A, In B, __global float *C, int N) {
  int i = get_global_id(1), j = get_global_id(0);
  float s = 0;
  for (int k = 0; k < N; k++)
    s += A[i * N + k] * B[k * N + j];
  C[i * N + j] = s;
}"""
TILED = """typedef __global const float *In;
__kernel void k(In A, In B, __global float *C, int N) {
  __local float a[16][16], b[16][16];
  int x = get_local_id(0), y = get_local_id(1), i = get_global_id(1), j = get_global_id(0);
  float s = 0;
  for (int t = 0; t < N; t += 16) {
    a[y][x] = A[i * N + t + x];
    b[y][x] = B[(t + y) * N + j];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 16; k++) s += a[y][k] * b[k][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  C[i * N + j] = s;
}"""
SUM = """__kernel void k(__global const float *A, __global float *y, int N) {
  int i = get_global_id(0);
  for (int j = 0; j < N; j++)
    y[i] += A[j * N + i];
}"""
MOVING = SUM.replace("y[i] +=", "y[i + j] +=")


def found(source: str, tmp_path: Path) -> list[tuple[str, tuple[int, ...], str]]:
    path = tmp_path / "k.cl"
    path.write_text(source, encoding="utf-8")
    report = kcc.api.analyze(path, grid=(16, 16), block=(16, 16), args={"N": 256})
    codes = ("accumulator", "data-reuse")
    return [(f.code, f.lines, f.message) for f in report.kernel().findings if f.code in codes]


def test_a_product_of_matrices_without_tiles(tmp_path: Path) -> None:
    ((code, lines, message),) = found(PRODUCT, tmp_path)
    assert (code, lines) == ("data-reuse", (6,))
    assert "0.25 floating-point operations per byte loaded" in message
    assert "A: 16 work-items along dimension 0 and B: 16 work-items along dimension 1" in message


def test_tiles_leave_nothing_to_say(tmp_path: Path) -> None:
    assert found(TILED, tmp_path) == []


def test_an_accumulator_in_memory(tmp_path: Path) -> None:
    ((code, lines, message),) = found(SUM, tmp_path)
    assert (code, lines) == ("accumulator", (4,))
    assert message.startswith("y is an accumulator in memory")


def test_an_element_that_moves_is_none(tmp_path: Path) -> None:
    assert found(MOVING, tmp_path) == []


VOLATILE = """__kernel void k(__global int *o, int n) {
  KIND int x[2];
  x[n & 1] = n; x[1 - (n & 1)] = 1;
  o[get_global_id(0)] = x[o[0] & 1];
  KIND int s = n;
  for (int i = 0; i < 10; i++) s += i;
  o[get_global_id(0)] += s;
}"""


def test_volatile_variables_are_in_memory_for_that_reason(tmp_path: Path) -> None:
    def messages(kind: str) -> list[str]:
        path = tmp_path / "k.cl"
        path.write_text(VOLATILE.replace("KIND", kind), encoding="utf-8")
        findings = kcc.api.analyze(path).kernel().findings
        return [f.message for f in findings if f.code == "private-memory"]

    where = "is in private memory, not in registers"
    assert messages("") == [f"x (8 bytes) {where}; -O2 may promote it"]
    assert messages("volatile") == [
        f"x (8 bytes) {where} because it is volatile",
        f"s (4 bytes) {where} because it is volatile",
    ]
