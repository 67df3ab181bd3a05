"""A report for a GPU with wavefronts of 64 and sectors of 64 bytes counts in these."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kcc.cli import main

SOURCE = """__kernel void k(__global const float *in, __global float *out, __local float *t) {
  const int x = get_global_id(0), l = get_local_id(0);
  float own[8];
  for (int i = 0; i < 8; ++i) own[i] = in[x + i * 4096];
  t[l] = in[2 * x];
  if (l / 32 % 2) out[x] = own[t[0] > 0 ? 1 : 2] + t[l];
}
"""


@pytest.fixture
def accesses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    file = tmp_path / "k.cl"
    file.write_text(SOURCE, encoding="utf-8")

    def run(gpu: str, local: int = 256) -> Any:
        size = ["--global", str(local * 16), "--local", str(local)]
        assert main(["analyze", str(file), *size, "--gpu", gpu, "--json", "-"]) == 0
        return json.loads(capsys.readouterr().out)["kernels"][0]

    return run


#                  lanes, bytes of a sector
GPUS = {"v100": (32, 32), "mi100": (64, 64)}


@pytest.mark.parametrize("gpu", GPUS)
def test_sectors_and_requests(accesses: Any, gpu: str):
    lanes, sector = GPUS[gpu]
    found = accesses(gpu)["accesses"]
    private, *_ = (a for a in found if a["address_space"] == "private" and a["op"] == "store")
    contiguous, strided = (a for a in found if a["array"] == "in")
    shared, *_ = (a for a in found if a["array"] == "t" and a["op"] == "store")
    warps = 16 * 256 // lanes
    assert (contiguous["sectors_per_warp"], contiguous["requests"]) == (
        lanes * 4 / sector, 8 * warps,
    )  # fmt: skip
    assert (strided["sectors_per_warp"], strided["requests"]) == (lanes * 8 / sector, warps)
    assert private["sectors_per_warp"] == lanes * 4 / sector
    assert shared["bank_conflict_degree"] == 1
    assert shared["bank_passes_per_warp"] == lanes // 32


def test_what_half_a_wavefront_does_is_divergent_on_it_alone(accesses: Any):
    by_gpu = {
        gpu: {b["divergence"] for b in accesses(gpu)["branches"] if "/ 32" in b["condition"]}
        for gpu in GPUS
    }
    assert by_gpu == {"v100": {"warp"}, "mi100": {"id"}}


def test_a_work_group_of_half_a_wavefront(accesses: Any):
    codes = {gpu: {f["code"] for f in accesses(gpu, 32)["findings"]} for gpu in GPUS}
    assert "partial-warps" in codes["mi100"]
    assert "partial-warps" not in codes["v100"]
