"""Half-empty warps are named by analyze, with the branch that parts them."""

from __future__ import annotations

from pathlib import Path

import pytest

import kcc.api

GUARDED = """
__kernel void guarded(__global float *a, __global const float *b, int n) {
  int i = get_global_id(0);
  if (CONDITION) {
    for (int k = 0; k < n; ++k)
      a[i] += b[i + k];
  }
}
"""


def findings(condition: str, tmp_path: Path, items: int) -> list[tuple[tuple[int, ...], str]]:
    path = tmp_path / "k.cl"
    path.write_text(GUARDED.replace("CONDITION", condition), encoding="utf-8")
    found = kcc.api.analyze(path, grid=items // 256, block=256, args={"n": 8})
    return [(f.lines, f.message) for f in found.kernel().findings if f.code == "inactive-lanes"]


# 4 lanes of each warp run what is behind the branch, in all warps; 16 million work-items are more
# than are looked at one by one.
@pytest.mark.parametrize("items", [1 << 12, 1 << 24])
@pytest.mark.parametrize("condition", ["(get_global_id(0) & 31) < 4", "get_local_id(0) % 8 == 0"])
def test_lanes_that_a_guard_leaves_out(condition: str, items: int, tmp_path: Path):
    ((lines, message),) = findings(condition, tmp_path, items)
    assert lines == (4,)
    assert message.startswith("4 of 32 lanes are active behind this branch")


@pytest.mark.parametrize("condition", ["(get_global_id(0) & 127) < 32", "i < 1000", "n > 3"])
def test_whole_warps_that_leave_are_not(condition: str, tmp_path: Path):
    assert findings(condition, tmp_path, 1 << 12) == []
