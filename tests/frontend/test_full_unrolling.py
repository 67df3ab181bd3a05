"""Short loops are unrolled where NVRTC unrolls the same loops."""

from __future__ import annotations

import pytest

from kcc.frontend import compile_source
from kcc.frontend.options import BuildOptions, Costs, OptLevel, SourceText

OPERATIONS = "x = x * a + b; x = x * x;"


def ir_of(loops: str, costs: Costs = Costs.NVIDIA, name: str = "k.cl") -> str:
    """What becomes of a kernel with these loops."""
    text = f"""kernel void k(global float* o, global const float* in, float a, float b, int m) {{
      local float p[1024], q[4096];
      size_t t = get_global_id(0); float x = in[t];
      _Pragma("unroll 1") for (int r = 0; r < m; r++) {{ {loops} }}
      o[t] = x;
    }}"""
    options = BuildOptions(opt_level=OptLevel.O2, costs=costs)
    return compile_source(SourceText(name, text, "."), options, "builtin").ir


def products(ir: str) -> int:
    """Multiplications, those that are part of a sum too."""
    return ir.count(" fmul ") + ir.count("call float @llvm.fmuladd")


def private(trips: int, operations: int) -> str:
    """A loop over a private array, which other loops fill and add up."""
    body = OPERATIONS * (operations // 2)
    return f"""float f[{trips}];
      for (int i = 0; i < {trips}; i++) f[i] = in[t + i * m + r];
      for (int q = 0; q < m; q++)
        for (int i = 0; i < {trips}; i++) {{ float x = f[i]; {body} f[i] = x; }}
      for (int i = 0; i < {trips}; i++) o[t + i * m + r] = f[i];"""


@pytest.mark.parametrize(("trips", "most", "next_"), [(9, 176, 178), (19, 82, 84), (32, 48, 50)])
def test_over_private_arrays(trips: int, most: int, next_: int) -> None:
    whole, left = ir_of(private(trips, most)), ir_of(private(trips, next_))
    assert "alloca" not in whole
    assert products(whole) == trips * most
    assert "alloca" in left
    assert products(left) < trips * most


def test_of_two_turns() -> None:
    """LLVM has a truth in place of the counter of a loop that runs twice."""
    loops = """float f[32];
      for (int i = 0; i < 32; i++) f[i] = in[t + i * m + r];
      for (int i = 0; i < 2; i++) for (int j = 0; j < 16; j++)
        o[t + (i * 77 + j) * m + r] = a * f[i * 16 + j] + b * o[t + (i * 77 + j) * m + r];"""
    assert "alloca" not in ir_of(loops)


@pytest.mark.parametrize(("trips", "whole"), [(4, True), (8, True), (16, False)])
def test_the_outer_of_two_counts_what_the_inner_has_become(trips: int, whole: bool) -> None:
    body = OPERATIONS * 5
    loops = f"""float f[{trips * 16}];
      for (int i = 0; i < {trips * 16}; i++) f[i] = in[t + i * m + r];
      for (int q = 0; q < m; q++) for (int i = 0; i < {trips}; i++)
        for (int j = 0; j < 16; j++) {{ float x = f[i * 16 + j]; {body} f[i * 16 + j] = x; }}
      for (int i = 0; i < {trips * 16}; i++) o[t + i * m + r] = f[i];"""
    assert (products(ir_of(loops)) == trips * 16 * 10) == whole


@pytest.mark.parametrize(("trips", "most", "next_"), [(8, 48, 56), (16, 24, 28), (32, 12, 14)])
def test_of_arithmetic(trips: int, most: int, next_: int) -> None:
    for operations, whole in ((most, True), (next_, False)):
        body = OPERATIONS * (operations // 2)
        loops = f"for (int i = 0; i < {trips}; i++) {{ {body} }}"
        assert (products(ir_of(loops)) == trips * operations) == whole


def test_products_of_shared_arrays() -> None:
    for trips, whole in ((32, True), (64, False)):
        loops = f"""p[t & 1023] = x; q[t & 4095] = x; barrier(1);
          uint row = get_local_id(0) / 32, column = get_local_id(0) % 32;
          for (int d = 0; d < {trips}; d++) x += p[row * 32 + d] * q[d * 32 + column];
          barrier(1);"""
        assert (products(ir_of(loops)) == trips) == whole


def test_a_count_of_the_source_stays() -> None:
    assert products(ir_of("for (int i = 0; i < 8; i++) { x = x * a + b; x = x * x; }")) == 16
    kept = '_Pragma("unroll 1") for (int i = 0; i < 8; i++) { x = x * a + b; x = x * x; }'
    assert products(ir_of(kept)) == 2


def test_other_compilers_have_other_limits() -> None:
    body = OPERATIONS * 24
    loops = f"for (int i = 0; i < 8; i++) {{ {body} }}"
    assert products(ir_of(loops)) == 8 * 48
    assert products(ir_of(loops, Costs.AMD)) < 8 * 48
