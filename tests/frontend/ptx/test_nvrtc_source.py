"""Host code taken out of CUDA sources for NVRTC, by what NVRTC says of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from kcc.frontend import compile_source
from kcc.frontend.options import BuildOptions, SourceText
from kcc.frontend.ptx.doors import nvrtc
from kcc.frontend.ptx.doors.nvrtc_source import Cut, Error

TEXT = """#include <stdio.h>
#include "own.h"
#include "helper_cuda.h"
template <class T> __global__ void axpy(T a, T *x) { x[threadIdx.x] *= a; }
std::vector<float> all;
void fill(int n) {
    all.resize(n);
}
int main() { axpy<float><<<1, 32>>>(2, 0); }
"""


@pytest.fixture
def cut(tmp_path: Path) -> Cut:
    (tmp_path / "own.h").write_text("void read(FILE *f) { fclose(f); }\n__device__ int one;\n")
    return Cut("k.cu", TEXT, [str(tmp_path)])


def test_instantiations_and_headers_are_known(cut: Cut) -> None:
    assert cut.templates == ["axpy<float>"]
    assert "FILE" in cut.headers["own.h"]
    assert cut.headers["helper_cuda.h"] == ""
    assert "kcc-nvrtc.h" in cut.headers["stdio.h"]


def test_what_is_the_hosts_goes_and_lines_stay(cut: Cut) -> None:
    errors = [
        Error("k.cu", 5, 1, "no vector"), Error("k.cu", 7, 5, "no all"), Error("own.h", 1, 11, "f"),
    ]  # fmt: skip
    assert cut.repair(errors, "")
    lines = cut.main.split("\n")
    assert len(lines) == len(TEXT.split("\n"))
    assert lines[4].strip() == ""
    assert (lines[5], lines[6].strip(), lines[7]) == ("void fill(int n) {", "", "}")
    assert "axpy<float><<<" in lines[8]
    assert cut.headers["own.h"].strip() == "__device__ int one;"


def test_an_error_in_device_code_is_not_mended(cut: Cut) -> None:
    assert not cut.repair([Error("k.cu", 4, 60, "wrong")], "")


def test_headers_that_are_not_there_are_empty(cut: Cut) -> None:
    assert cut.repair([Error("k.cu", 2, 1, 'cannot open source file "deep.h"')], "")
    assert cut.headers["deep.h"] == ""


@pytest.mark.skipif(nvrtc.find_nvrtc() is None, reason="NVRTC is not there")
def test_nvrtc_compiles_a_file_with_a_host(tmp_path: Path) -> None:
    (tmp_path / "own.h").write_text("void read(FILE *f) { fclose(f); }\n")
    unit = compile_source(SourceText("k.cu", TEXT, str(tmp_path)), BuildOptions(), "nvrtc")
    assert [k.name for k in unit.kernels] == ["axpy"]


@pytest.mark.skipif(nvrtc.find_nvrtc() is None, reason="NVRTC is not there")
def test_inline_ptx_goes_by_way_of_nvrtc(tmp_path: Path) -> None:
    text = """__global__ void lanes(int* p)
{
    int lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    p[threadIdx.x] = lane;
}
"""
    pytest.importorskip("ziglang")
    unit = compile_source(SourceText("k.cu", text, str(tmp_path)), BuildOptions())
    assert ([k.name for k in unit.kernels], unit.frontend) == (["lanes"], "nvrtc")
    plain = compile_source(
        SourceText("k.cu", text.replace("asm(", "lane = 0; //"), str(tmp_path)), BuildOptions()
    )
    assert plain.frontend == "clang"
