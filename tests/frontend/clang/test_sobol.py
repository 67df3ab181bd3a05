"""Quasi-random numbers of given direction vectors, run against NumPy."""

from __future__ import annotations

import numpy as np

from kcc.frontend import compile_source
from kcc.frontend.options import BuildOptions, SourceText
from kcc.tracegen.execute import NDRange, execute

SOURCE = """
#include <curand_kernel.h>
__global__ void k(curandDirectionVectors32_t* v, unsigned* o, float* f) {
  int i = threadIdx.x;
  curandStateSobol32 s;
  curand_init(v[0], (unsigned)(2 * i), &s);
  o[2 * i] = curand(&s);
  o[2 * i + 1] = curand(&s);
  f[i] = curand_uniform(&s);
}
"""


def test_sequences_begin_anywhere() -> None:
    vectors = np.random.default_rng(1).integers(0, 1 << 32, 32, dtype=np.uint32)
    unit = compile_source(SourceText("s.cu", SOURCE, "."), BuildOptions(), frontend="clang")
    (kernel,) = unit.kernels
    arrays = [vectors, np.zeros(64, np.uint32), np.zeros(32, np.float32)]
    done = execute(unit, kernel, NDRange((32,), (32,)), arrays)
    wanted = list[int]()
    for n in range(65):
        gray = n ^ n >> 1
        chosen = [int(vectors[bit]) for bit in range(32) if gray >> bit & 1]
        wanted.append(int(np.bitwise_xor.reduce(np.array([0, *chosen], np.uint32))))
    np.testing.assert_array_equal(done.buffers[1].view(np.uint32), wanted[:64])
    floats = np.array(wanted[2::2], np.float32) * np.float32(2.3283064e-10)
    np.testing.assert_allclose(done.buffers[2].view(np.float32), floats, rtol=1e-5)
