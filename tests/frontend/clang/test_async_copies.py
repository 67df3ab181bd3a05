"""cuda_pipeline.h: copies that go on by themselves, in groups."""

from __future__ import annotations

import re

import numpy as np
import pytest

from kcc.frontend import compile_source
from kcc.frontend.options import BuildOptions, SourceText
from kcc.tracegen.execute import NDRange, execute

pytest.importorskip("ziglang")

STAGES = """
#include <cuda_pipeline.h>
__global__ void sum(const T* in, T* out, int n) {
  __shared__ T stage[2][32];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&stage[0][t], &in[t], sizeof(T) MORE);
  __pipeline_commit();
  T sum = {};
  for (int i = 1; i <= n; i++) {
    if (i < n) __pipeline_memcpy_async(&stage[i & 1][t], &in[i * 32 + t], sizeof(T) MORE);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    ADD(sum, stage[(i - 1) & 1][31 - t]);
    __syncthreads();
  }
  out[t] = sum;
}
"""
WORDS = {1: "int", 2: "int2", 4: "int4"}


@pytest.mark.parametrize("zeros", [0, 4])
@pytest.mark.parametrize("words", [1, 2, 4])
def test_copies_bring_what_plain_ones_do(words: int, zeros: int) -> None:
    """The last argument leaves that many bytes zero. What is waited for are all groups but one."""
    if words == 1 and zeros:
        zeros = 2
    add = "".join(f" a.{x} += b.{x};" for x in "xyzw"[:words]) if words > 1 else " a += b;"
    more = f", {zeros}" if zeros else ""
    head = f"#define T {WORDS[words]}\n#define ADD(a, b) do {{{add} }} while (0)\n"
    text = f"{head}#define MORE {more}\n{STAGES}"
    unit = compile_source(SourceText("p.cu", text, "."), BuildOptions(), frontend="clang")
    (kernel,) = unit.kernels
    values = np.random.default_rng(2).integers(0, 1 << 20, (5, 32, words), np.int32)
    out = np.zeros((32, words), np.int32)
    done = execute(unit, kernel, NDRange((32,), (32,)), [values, out, np.int32(5)])
    kept = values.copy().view(np.uint8)
    kept[..., 4 * words - zeros :] = 0
    wanted = kept.view(np.int32).sum(axis=0, dtype=np.int32)[::-1]
    assert (done.buffers[1].view(np.int32).reshape(32, words) == wanted).all()
    assert set(re.findall(r'syncscope\("(copies[^"]*)"\)', unit.ir)) == {"copies.group", "copies.1"}
