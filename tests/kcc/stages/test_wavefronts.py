"""Estimates in warps of the GPU's size: against the peaks of AMD's GPUs, bytes counted by hand, and
kernels in which only the size of a warp decides."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kcc.cli import main

ARITHMETIC = """kernel void f(global float *o, float a, float b) {
  int i = get_global_id(0); float x = i, y = i + 1, z = i + 2, w = i + 3;
  for (int k = 0; k < 4096; k++) {
    x = fma(x, a, b); y = fma(y, a, b); z = fma(z, a, b); w = fma(w, a, b);
  }
  o[i] = x + y + z + w;
}"""
ROWS = """kernel void rows(global float *o, global const float *a, int n) {
  int i = get_global_id(0), j = get_global_id(1); o[j * n + i] = a[(i * n + j) * 64];
}"""
HALVES = """kernel void halves(global float *o, float a) {
  int l = get_local_id(0); float x = l, y = l + 1;
  if (l / 32 % 2 == l / 64 % 2)
#pragma unroll 16
    for (int k = 0; k < 10000; k++) { x = x * a + 1.0f; y = y * a + 1.0f; }
  o[get_global_id(0)] = x + y;
}"""
INTEGERS = """kernel void both(global float *o, float a) {
  int i = get_global_id(0); float x = i, y = i + 1, z = i + 2, w = i + 3;
  uint p = i, q = i + 5, r = i + 7, s = i + 9;
  for (int k = 0; k < 4096; k++) {
    x = fma(x, a, x); y = fma(y, a, y); z = fma(z, a, z); w = fma(w, a, w);
    p = (p ^ q) + k; q = (q ^ r) + k; r = (r ^ s) + k; s = (s ^ p) + k;
  }
  o[i] = x + y + z + w + p + q + r + s;
}"""


def estimated(tmp_path: Path, text: str, *words: str) -> list[dict[str, Any]]:
    source, target = tmp_path / "k.cl", tmp_path / "k.json"
    source.write_text(text)
    assert main(["estimate", str(source), *words, "--json", str(target)]) == 0
    return json.loads(target.read_text())["estimates"]


@pytest.mark.parametrize("code", ["kcc", "auto"])
@pytest.mark.parametrize(
    ("gpu", "flops_per_us"),
    [
        ("mi100", 120 * 128 * 1502),
        ("mi250x-gcd", 110 * 128 * 1700 * 0.895),
        ("vega64", 64 * 128 * 1546),
    ],
)
def test_wavefronts_of_64_reach_the_peak_of_their_gpu(
    gpu: str, flops_per_us: float, code: str, tmp_path: Path
):
    (row,) = estimated(
        tmp_path, ARITHMETIC, "--global", "1048576", "--local", "256", "--gpu", gpu, "--code", code
    )
    peak_us = 2**20 * 4096 * 4 * 2 / flops_per_us
    assert row["limiter"] == "fma"
    assert 1.0 <= row["time_us"] / peak_us < 1.08
    assert row["counts"]["warp_size"] == 64


def test_a_list_of_gpus_is_as_each_alone(tmp_path: Path):
    launch = ("--global", "1024,1024", "--local", "64,4", "--arg", "n=1024")
    together = estimated(tmp_path, ROWS, *launch, "--gpu", "v100,mi100,w6600")
    alone = [
        estimated(tmp_path, ROWS, *launch, "--gpu", gpu)[0] for gpu in ("v100", "mi100", "w6600")
    ]
    assert [row["time_us"] for row in together] == [row["time_us"] for row in alone]
    assert [row["counts"] for row in together] == [row["counts"] for row in alone]


def test_l1_asks_for_what_its_sectors_hold(tmp_path: Path):
    rows = estimated(
        tmp_path, ROWS, "--global", "1024,1024", "--local", "64,4", "--arg", "n=1024",
        "--gpu", "v100,mi100,w6600",
    )  # fmt: skip
    bytes_read = [32 * row["counts"]["dram_read_sectors"] / 2**20 for row in rows]
    assert bytes_read == pytest.approx([32, 64, 128])  # a piece for each of 2**20 work-items


def test_lanes_of_half_a_wavefront_hold_up_the_other_half(tmp_path: Path):
    launch = ("--global", "1048576", "--local", "256", "--gpu", "w6600", "--code", "kcc")
    (narrow,) = estimated(tmp_path, HALVES, *launch)
    (wide,) = estimated(tmp_path, HALVES, *launch, "--set", "warp_size=64")
    assert wide["time_us"] / narrow["time_us"] == pytest.approx(2.0, rel=0.05)


def test_rdna_has_code_for_either_size(tmp_path: Path):
    launch = ("--global", "1048576", "--local", "256", "--gpu", "w6600", "--code", "compiler")
    (narrow,) = estimated(tmp_path, ARITHMETIC, *launch)
    (wide,) = estimated(tmp_path, ARITHMETIC, *launch, "--set", "warp_size=64")
    assert narrow["code"].endswith("(gfx1032)")
    assert wide["code"].endswith("(gfx1032, wave64)")
    counts = [row["counts"]["warp_instructions"] for row in (narrow, wide)]
    assert counts[0] / counts[1] == pytest.approx(2.0, rel=0.02)


def test_one_unit_does_all_arithmetic_of_a_cdna_simd(tmp_path: Path):
    rows = estimated(
        tmp_path, INTEGERS, "--global", "1048576", "--local", "256", "--gpu", "mi100,v100",
        "--code", "kcc",
    )  # fmt: skip
    amd, nvidia = (row["bounds_cycles"] for row in rows)
    assert amd["alu"] == 0
    assert nvidia["alu"] > 0
    assert amd["fma"] > 2.5 * amd["issue"]
