"""PTX of kernels: what must be in it, and what must not."""

from __future__ import annotations

import re

import pytest

from kcc.base.diagnostics import DiagnosticError
from kcc.frontend import compile_source
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.frontend.ptx.emit import PtxOptions, emit_ptx
from tests.passes.workloads import NAMES, compiled, sampled


def ptx_of(text: str, options: PtxOptions = PtxOptions()) -> str:  # noqa: B008 - frozen
    unit = compile_source(SourceText("k.cl", text, "."), BuildOptions(opt_level=OptLevel.O2))
    return emit_ptx(unit.ir, options)


@pytest.mark.parametrize("name", sampled(NAMES))
def test_workloads_become_kernels_without_calls(name: str):
    """A call would make the register count that of the calling convention."""
    unit = compiled(name, OptLevel.O2)
    if name == "particlefilter":  # double mathematics has no approximation
        with pytest.raises(DiagnosticError, match="cospi, exp, log"):
            emit_ptx(unit.ir, PtxOptions())
        return
    ptx = emit_ptx(unit.ir, PtxOptions())
    entries = re.findall(r"\.visible \.entry (\w+)\(", ptx)
    assert sorted(entries) == sorted(kernel.symbol for kernel in unit.kernels)
    assert "call" not in ptx
    assert ".extern" not in ptx


def test_address_spaces_ids_and_barriers():
    ptx = ptx_of(
        """kernel void k(global float *a, constant float *c, local float *t) {
             int l = get_local_id(0);
             t[l] = a[get_global_id(0)] * c[3];
             barrier(CLK_LOCAL_MEM_FENCE);
             a[get_group_id(1)] = t[l ^ 1];
           }"""
    )
    for word in ("ld.global", "ld.const", "st.shared", "%tid.x", "%ctaid.x", "%ntid.x", "%ctaid.y"):
        assert word in ptx
    assert re.search(r"bar(rier)?\.sync", ptx)


def test_the_target_is_the_one_asked_for():
    assert ".target sm_90" in ptx_of(
        "kernel void k(global int *a) { a[0] = 1; }", PtxOptions("sm_90")
    )


@pytest.mark.parametrize(
    ("exact", "division", "root"),
    [(False, "div.full.f32", "sqrt.approx.f32"), (True, "div.rn.f32", "sqrt.rn.f32")],
)
def test_division_and_root_are_those_of_the_language(exact: bool, division: str, root: str):
    text = "kernel void k(global float *a) { a[0] = a[1] / a[2]; a[3] = sqrt(a[4]); }"
    ptx = ptx_of(text, PtxOptions(exact_division=exact))
    assert division in ptx
    assert root in ptx


def test_mathematics_without_libdevice_is_approximate():
    ptx = ptx_of("kernel void k(global float *a) { a[0] = sin(a[1]) + exp2(a[2]); }")
    assert "sin.approx.f32" in ptx
    assert "ex2.approx" in ptx


def test_exchanges_between_lanes():
    ptx = ptx_of("kernel void k(global int *a) { a[0] = sub_group_shuffle_xor(a[1], 4); }")
    assert "shfl.sync.bfly.b32" in ptx


def test_what_has_no_counterpart_is_named():
    with pytest.raises(DiagnosticError, match="no PTX is known here for lgamma") as caught:
        ptx_of("kernel void k(global float *a) { a[0] = lgamma(a[1]); }")
    assert caught.value.diagnostics[0].code == "K811"


def test_images_of_integers_give_integers():
    ptx = ptx_of(
        """constant sampler_t s = CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
           kernel void k(read_only image2d_t a, read_only image2d_t b, read_only image2d_t c,
                         global int *o) {
             int2 p = (int2)(get_global_id(0), get_global_id(1));
             o[p.x] = read_imagei(a, s, p).y + (int)read_imageui(b, s, p).z
                    + (int)read_imagef(c, s, p).w;
           }"""
    )
    assert re.findall(r"tex\.2d\.v4\.(\w+)\.s32", ptx) == ["s32", "u32", "f32"]


CUDA = """#include <cooperative_groups.h>
template <class T> __global__ void k(T *a, int *n, double *d, long long *l) {
    __shared__ T held[32];
    held[threadIdx.x] = a[threadIdx.x];
    BODY
    a[1] = held[threadIdx.x ^ 1];
}
template __global__ void k<float>(float *, int *, double *, long long *);
"""


@pytest.mark.parametrize(
    ("body", "words", "count"),
    [
        ("d[0] = __shfl_xor_sync(~0u, d[1], 3);", "shfl.sync.bfly.b32", 2),
        ("l[0] = __shfl_up_sync(~0u, l[1], 3);", "shfl.sync.up.b32", 2),
        ("a[0] = __shfl_down_sync(~0u, a[1], 3);", "shfl.sync.down.b32", 1),
        ("n[0] = __ballot_sync(~0u, n[1]);", "vote.sync.ballot.b32", 1),
        ("n[0] = __syncthreads_count(n[1]);", "barrier.red.popc.u32", 1),
        ("n[0] = 1; __threadfence(); n[1] = 2;", "fence.acq_rel", 1),
        ("n[0] = 1; __threadfence_block(); n[1] = 2;", "fence.acq_rel", 1),
        ('if (n[0] > 3) printf("%d", n[1]);', "vprintf", 1),
        ("assert(n[0] < 3);", "vprintf", 1),
    ],
)
def test_what_warps_of_cuda_do_together(body: str, words: str, count: int):
    """In an instance of a template, whose shared array has a name that PTX cannot have."""
    text = "#include <assert.h>\n#include <stdio.h>\n" + CUDA.replace("BODY", body)
    unit = compile_source(SourceText("k.cu", text, "."), BuildOptions(opt_level=OptLevel.O2))
    ptx = emit_ptx(unit.ir, PtxOptions(target="sm_80"))
    code = re.sub(r"^.*\.extern[^;]*;", "", ptx, flags=re.MULTILINE)
    assert code.count(words) >= count, ptx
    assert re.search(r"shared \.align 4 \.b8 k_float__held\$\d", ptx)
