"""What smaller thread blocks take is simulated: the same work, and the time of a program that has
such thread blocks."""

from __future__ import annotations

from pathlib import Path

import pytest

from kcc import cli
from kcc.base.gpu import load_gpu
from kcc.sim.cycle.smaller_blocks import can_be_cut, in_smaller_blocks
from kcc.sim.cycle.sources import simulate_trace

CODE = """
__kernel void heavy(__global float *a) {
  const int i = get_global_id(0);
  float x = a[i];
  for (int k = 0; k < 200; ++k) x = x * 0.99f + 1.0f;
  a[i] = x;
}
__kernel void seen(__global float *a) { a[get_global_id(0)] = get_local_id(0); }
__kernel void held(__global float *a) {
  __local float s[256];
  s[get_global_id(0) & 255] = a[get_global_id(0)];
  a[get_global_id(0)] = s[(get_global_id(0) + 1) & 255];
}
"""


def traced(kernel: str, block: int, folder: Path) -> str:
    """A trace of 1,024 work-items in thread blocks of a size."""
    source, path = folder / "k.cl", folder / f"{kernel}{block}.kct"
    source.write_text(CODE, encoding="utf-8")
    words = ["trace", str(source), "-o", str(path), "--kernel", kernel, "--global", "1024"]
    assert cli.main([*words, "--local", str(block), "--arg", "a=float[1024]"]) == 0
    return str(path)


def test_the_same_as_a_program_with_such_blocks(tmp_path: Path):
    gpu = load_gpu("v100", [])
    (cut,) = in_smaller_blocks(traced("heavy", 256, tmp_path), gpu, "heavy", 1)
    (small,) = simulate_trace(traced("heavy", 32, tmp_path), gpu)
    assert (cut.thread_blocks, cut.issued) == (small.thread_blocks, small.issued)
    assert cut.cycles == small.cycles


@pytest.mark.parametrize(("kernel", "can"), [("heavy", True), ("seen", False), ("held", False)])
def test_kernels_that_see_their_blocks_are_left_alone(kernel: str, can: bool, tmp_path: Path):
    assert can_be_cut(traced(kernel, 256, tmp_path), kernel) == can
