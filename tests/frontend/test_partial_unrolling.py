"""Loops too long to be fully unrolled: as often as nvcc unrolls them."""

from __future__ import annotations

import pytest

from kcc.frontend import compile_source
from kcc.frontend.options import BuildOptions, OptLevel, SourceText

SUMS = 96


def copies(trips: int, pragma: str = "#pragma unroll", step: int = 1) -> int:
    """How many bodies are left of a loop with 96 multiplications."""
    body = "".join(f"s{k} += sh[t + i * 8 + {k}] * c[i * {SUMS} + {k}];" for k in range(SUMS))
    text = f"""__constant__ float c[8192];
    __global__ void k(float* o, const float* in) {{
      __shared__ float sh[2048];
      int t = threadIdx.x; sh[t] = in[t]; __syncthreads();
      float {", ".join(f"s{k} = 1" for k in range(SUMS))};
      {pragma}
      for (int i = 0; i < {trips * step}; i += {step}) {{ {body} }}
      o[t] = {" - ".join(f"s{k}" for k in range(SUMS))};
    }}"""
    options = BuildOptions(opt_level=OptLevel.O2)
    ir = compile_source(SourceText("k.cu", text, "."), options, "clang").ir
    count, rest = divmod(ir.count("call float @llvm.fmuladd"), SUMS)
    assert rest == 0
    return count


@pytest.mark.parametrize(
    ("trips", "expected"), [(8, 8), (64, 32), (65, 4), (66, 2), (68, 4), (72, 8)]
)
def test_by_a_power_of_two_or_four(trips: int, expected: int) -> None:
    """65 = 5 * 13, 66 = 6 * 11 and 72 = 9 * 8 have greater divisors, which LLVM takes."""
    assert copies(trips) == expected


def test_whatever_the_counter_goes_by() -> None:
    assert copies(66, step=3) == 2


def test_a_count_of_the_source_stays() -> None:
    assert copies(66, "#pragma unroll 3") == 3
