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
PTX = """.version 8.5
.target sm_80
.address_size 64
.visible .entry k(.param .u64 y) {
.reg .b32 %i, %s; .reg .b64 %p; .reg .f32 %f; .shared .align 16 .b8 t[BYTES];
ld.param.u64 %p, [y]; mov.u32 %i, %tid.x; cvt.rn.f32.u32 %f, %i; mov.u32 %s, t;
mad.lo.u32 %s, %i, 4, %s; mad.wide.u32 %p, %i, 4, %p;
st.shared.f32 [%s], %f; bar.sync 0; ld.shared.f32 %f, [%s+4]; st.global.f32 [%p], %f; ret; }
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


def test_sizes_in_ptx_are_those_of_dynamic_memory_too() -> None:
    assert not invalid(PTX.replace("BYTES", "98304"), "k.ptx", 0, "a100")
    assert "shared memory" in invalid(PTX.replace("BYTES", "200000"), "k.ptx", 0, "a100")
