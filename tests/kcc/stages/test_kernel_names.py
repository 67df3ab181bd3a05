"""Kernels are found by what people call their templates."""

from __future__ import annotations

import pytest

from kcc.base.diagnostics import DiagnosticError
from kcc.frontend import compile_source
from kcc.frontend.options import BuildOptions, SourceText
from kcc.stages.analyze import choose_kernels

TEXT = """
#include <cuda_fp16.h>
template <unsigned N> __global__ void scale(float* p) { p[threadIdx.x] *= N; }
template <typename T, int N> __global__ void add(T* p) { p[threadIdx.x] += N; }
template <typename T> __global__ void half_of(T* p) { p[threadIdx.x] = p[0]; }
__global__ void plain(float* p) { p[threadIdx.x] = 1; }
"""


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("scale<4>", "scale<4U>"),
        ("scale<4u>", "scale<4U>"),
        ("scale", "scale<4U>"),
        ("add<float,2>", "add<float, 2>"),
        ("plain", "plain"),
        ("half_of<half>", "half_of<__half>"),
        ("add", None),
        ("scale<5>", None),
    ],
)
def test_names(asked: str, found: str | None):
    made = ("scale<4>", "add<float, 2>", "add<int, 3>", "half_of<half>")
    unit = compile_source(SourceText("k.cu", TEXT, "."), BuildOptions(instantiate=made), "clang")
    if found is None:
        with pytest.raises(DiagnosticError):
            choose_kernels(unit, [asked])
    else:
        assert [kernel.name for kernel in choose_kernels(unit, [asked])] == [found]
