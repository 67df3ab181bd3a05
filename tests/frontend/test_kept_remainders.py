"""Remainders by what doubles in a loop stay divisions, as for NVRTC; others become masks."""

from __future__ import annotations

import numpy as np
import pytest

from kcc.frontend import compile_source
from kcc.frontend.kernel import CompiledUnit
from kcc.frontend.options import BuildOptions, Costs, OptLevel, SourceText
from kcc.frontend.ptx.emit import PtxOptions, emit_ptx
from kcc.tracegen.execute import NDRange, execute

KERNEL = """
kernel void k(global uint* o, uint n, uint k) {
  local uint s[64];
  uint t = get_local_id(0);
  s[t] = t * t + 3;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint d = 1; d < n; d *= 2) {
    if (TEST) s[t] += s[t + d];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  o[t] = s[t];
}
"""


def unit_of(test: str, costs: Costs = Costs.NVIDIA, kernel: str = KERNEL) -> CompiledUnit:
    options = BuildOptions(opt_level=OptLevel.O2, costs=costs)
    text = kernel.replace("TEST", test)
    return compile_source(SourceText("k.cl", text, "."), options, "builtin")


@pytest.mark.parametrize(
    ("test", "divisions"),
    [
        ("t % (2 * d) == 0", 1),  # NVRTC 12.9: rem.u32
        ("(t & (2 * d - 1)) == 0", 0),
        ("t % (1u << k) == 0", 0),
        ("t % 8 == 0", 0),
        ("t % n == 0", 1),
    ],
)
def test_divisions_that_are_left(test: str, divisions: int):
    assert unit_of(test).ir.count(" urem ") == divisions


@pytest.mark.parametrize(("test", "divisions"), [("t % (2 * d) == 0", 1), ("t % n == 0", 1)])
def test_ptx_has_them_too(test: str, divisions: int):
    """LLVM's pipeline before its NVPTX back end would mask them again."""
    assert emit_ptx(unit_of(test).ir, PtxOptions("sm_80")).count("rem.u32") == divisions


@pytest.mark.parametrize(("test", "divisions"), [("i % (2 * e) == 0", 1), ("i % 8 == 0", 0)])
def test_signed_divisions_that_are_left(test: str, divisions: int):
    """LLVM masks a signed remainder where it is compared with zero: 690 us on an RTX 4060 Ti, where
    the same sums with a mask take 437 (benchmarks/data/profiled_rtx4060ti.csv)."""
    signed = KERNEL.replace("uint t =", "int i = get_local_id(0); uint t =")
    signed = signed.replace("for (uint d = 1; d < n; d *= 2) {",
                            "int e = 1; for (uint d = 1; d < n; d *= 2, e *= 2) {")  # fmt: skip
    assert unit_of(test, kernel=signed).ir.count(" srem ") == divisions


def test_values_are_the_same():
    found = [
        execute(unit_of("t % (2 * d) == 0", costs), unit_of("t % (2 * d) == 0", costs).kernels[0],
                NDRange((64,), (64,)), [np.zeros(64, np.uint32), np.uint32(64), np.uint32(0)])
        for costs in Costs
    ]  # fmt: skip
    np.testing.assert_array_equal(found[0].buffers[0], found[1].buffers[0])
    assert found[0].buffers[0][0] == sum(t * t + 3 for t in range(64))
