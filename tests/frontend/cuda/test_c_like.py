"""C-like CUDA without clang: the same kernels as clang finds."""

from __future__ import annotations

import pytest

import kcc.frontend.clang.find
from kcc.base.diagnostics import DiagnosticError
from kcc.frontend import compile_source, needs_clang
from kcc.frontend.kernel import CompiledUnit, Language
from kcc.frontend.options import BuildOptions, SourceText
from tests.frontend.clang.sources import KERNELS, facts_of, shape_of, workload

C_LIKE = ("bfs", "convolution", "hotspot", "kmeans", "saxpy", "stencil3d", "transpose")
"""Twins of kernels/ that need nothing of C++."""


def compiled(text: str) -> CompiledUnit:
    return compile_source(SourceText("k.cu", text, "."), BuildOptions(), "builtin")


@pytest.mark.sampled(9)
@pytest.mark.parametrize("name", C_LIKE)
def test_twin(name: str):
    """The built-in front end and clang agree on names, arguments, loops and barriers."""
    path = KERNELS / name / f"{name}.cu"
    ours, clangs = facts_of(workload(path, "builtin")), facts_of(workload(path, "clang"))
    assert list(ours) == list(clangs)
    for kernel, (one, facts) in ours.items():
        other, other_facts = clangs[kernel]
        assert shape_of(facts) == shape_of(other_facts)
        assert [(a.name, a.type, a.address_space) for a in one.arguments] == [
            (a.name, a.type, a.address_space) for a in other.arguments
        ]


def test_words():
    unit = compiled(
        "#include <cuda_runtime.h>\n#include <stdio.h>\n"
        "__device__ __forceinline__ float f(float x) { return __expf(x) + sqrtf(x); }\n"
        'extern "C" __global__ void __launch_bounds__(128, 2) k(float *a, '
        "const int* __restrict__ b, int n)\n{\n  __shared__ int t[128];\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  t[threadIdx.x] = b[i]; __syncthreads();\n"
        "  if (i < n) a[i] = f(a[i]) + fmaxf(1.0f, t[0]);\n  atomicAdd(&t[1], 1);\n}\n"
        'int main() { float *d; cudaMalloc(&d, 4); k<<<1, 128>>>(d, 0, 1); printf("x"); }\n'
    )
    (kernel,) = unit.kernels
    assert (unit.frontend, unit.language, kernel.name) == ("builtin", Language.CUDA, "k")
    assert kernel.span.line == 4
    assert [a.address_space.name for a in kernel.arguments] == ["GLOBAL", "GLOBAL", "PRIVATE"]
    for part in ("@_Z7barrierj", "@_Z10native_expf", "@llvm.sqrt.f32", "atomicrmw add"):
        assert part in unit.ir
    assert "get_local_id" in unit.ir
    assert "extractelement" not in unit.ir


@pytest.mark.parametrize(
    "text",
    [
        "template <class T> __global__ void k(T* p) {}",
        "__global__ void k(float3* p) {}",
        "__global__ void k(float* p) {\n  extern __shared__ float t[];\n}",
    ],
)
def test_beyond_c(text: str):
    with pytest.raises(DiagnosticError) as caught:
        compiled(text)
    assert caught.value.diagnostics[0].code == "K422"


def test_auto_without_clang(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(kcc.frontend.clang.find, "find_clang", lambda: None)
    source = SourceText("k.cu", "__global__ void k(int* p) { *p = 1; }", ".")
    assert not needs_clang(source, BuildOptions(), "auto")
    assert compile_source(source, BuildOptions()).frontend == "builtin"
    template = SourceText("k.cu", "template <class T> __global__ void k(T* p) {}", ".")
    assert needs_clang(template, BuildOptions(), "auto")
    with pytest.raises(DiagnosticError) as caught:
        compile_source(source, BuildOptions(), "clang")
    assert caught.value.diagnostics[0].code == "K011"
