"""Local memory beyond 48 KB: which compilers take it."""

from __future__ import annotations

import pytest

from kcc.base.diagnostics import Span
from kcc.base.gpu.loading import load_gpu
from kcc.base.launch import LaunchRequest
from kcc.base.launch_language import parse_dimensions
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.stages.analyze import AnalysisRequest, LaunchInputs
from kcc.stages.estimate import estimate_source

OPENCL = """
__kernel void k(__global float *y) {
  __local float t[WORDS];
  int i = get_local_id(0);
  t[i] = y[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  y[get_global_id(0)] = t[255 - i];
}
"""
CUDA = """
__global__ void k(float *y) {
  __shared__ float t[WORDS];
  int i = threadIdx.x;
  t[i] = y[i];
  __syncthreads();
  y[blockIdx.x * 256 + i] = t[255 - i];
}
"""


def invalid(source: str, name: str, words: int, gpu: str) -> str:
    at = Span(name, 0)
    launch = LaunchRequest(parse_dimensions("65536", at), parse_dimensions("256", at))
    request = AnalysisRequest(
        source=SourceText(name, source.replace("WORDS", str(words)), "."),
        options=BuildOptions(opt_level=OptLevel.O2),
        other_launch=LaunchInputs(launch, {}, (), "test"),
    )
    (found,) = estimate_source(request, [load_gpu(gpu)])
    return found.estimate.invalid


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("source", "name"), [(OPENCL, "k.cl"), (CUDA, "k.cu")])
@pytest.mark.parametrize(("gpu", "words", "fits"), [
    ("rtx3090", 12288, True), ("rtx3090", 12289, False), ("v100", 12289, False),
    ("rx6900xt", 16384, True),
])  # fmt: skip
def test_arrays_of_more_than_48_kb_do_not_compile_for_nvidia(
    source: str, name: str, gpu: str, words: int, fits: bool
) -> None:
    assert ("shared memory" in invalid(source, name, words, gpu)) is not fits
