"""Host code taken out of CUDA sources for NVRTC, by what NVRTC says of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from kcc.frontend import compile_source
from kcc.frontend.options import BuildOptions, SourceText
from kcc.frontend.ptx.doors import nvrtc
from kcc.frontend.ptx.doors.nvrtc_source import Cut, Error
from kcc.frontend.ptx.doors.parameter_names import with_source_names

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
    """What clang's way does not take: here an instruction that leaves the kernel."""
    text = """__global__ void lanes(int* p)
{
    p[threadIdx.x] = 1;
    asm volatile("exit;");
}
"""
    pytest.importorskip("ziglang")
    unit = compile_source(SourceText("k.cu", text, str(tmp_path)), BuildOptions())
    assert ([k.name for k in unit.kernels], unit.frontend) == (["lanes"], "nvrtc")
    plain = compile_source(
        SourceText("k.cu", text.replace("asm volatile(", "//"), str(tmp_path)), BuildOptions()
    )
    assert plain.frontend == "clang"


PTX = """.visible .entry _Z4axpyifPKfPf(
.param .u32 _Z4axpyifPKfPf_param_0, .param .f32 _Z4axpyifPKfPf_param_1,
.param .u64 .ptr .align 1 _Z4axpyifPKfPf_param_2, .param .u64 _Z4axpyifPKfPf_param_3[1]
) { ld.param.u32 %r1, [_Z4axpyifPKfPf_param_0]; ld.param.u64 %rd1, [_Z4axpyifPKfPf_param_3]; }"""


def test_parameters_have_the_names_of_the_source() -> None:
    source = """// __global__ void axpy(int wrong, int a, int b, int c);
__device__ void other(int n) { axpy(1, 2, 3, 4); }
__global__ void __launch_bounds__(128) axpy(int n, float a = 2.0f, const float (*x)[4],
                                            float *__restrict__ y) {}"""
    text = with_source_names(PTX, source)
    assert ".param .u32 n, .param .f32 a,\n.param .u64 .ptr .align 1 x, .param .u64 y[1]" in text
    assert "ld.param.u32 %r1, [n]; ld.param.u64 %rd1, [y];" in text
    other = PTX.replace("_Z4axpy", "_Z5other")
    both = with_source_names(PTX + other, source + source.replace("axpy", "other"))
    assert both.count("[n]") == 2


@pytest.mark.parametrize(
    "source",
    ["__global__ void axpy(int n, float a) {}",
     ("__global__ void axpy(int n, float a, float *x, float *y);"
     "__global__ void axpy(int m, float a, float *x, float *y) {}")],
)  # fmt: skip
def test_names_stay_where_definitions_do_not_fit(source: str) -> None:
    assert with_source_names(PTX, source) == PTX


def test_a_name_that_the_ptx_has_already_is_not_given() -> None:
    text = with_source_names(
        f".global .b32 n;\n{PTX}", "__global__ void axpy(int n, float a, float *x, float *y) {}"
    )
    assert "_Z4axpyifPKfPf_param_0" in text
    assert ".param .f32 a" in text


INNER = """template <class T, int N = 32> __global__ void axpy(T a, T *x) { x[threadIdx.x] *= a; }
template <class U, int M> void launch(U a) {
    axpy<U, M * 2><<<1, 32>>>(a, 0);
    const int size = 4;
    axpy<U, size><<<1, 32>>>(a, 0);
}
template <class V> void twice(V a) { launch<V, 1>(a); }
template void twice<double>(double);
int main() { launch<float, 8>(2); }
"""


def test_arguments_of_a_hosts_template_are_those_it_is_called_with(tmp_path: Path) -> None:
    found = Cut("k.cu", INNER, [str(tmp_path)])
    assert sorted(found.templates) == [
        "axpy<double, 1 * 2>", "axpy<double, size>", "axpy<float, 8 * 2>", "axpy<float, size>",
    ]  # fmt: skip


def test_names_that_nvrtc_does_not_know_go(tmp_path: Path) -> None:
    found = Cut("k.cu", INNER, [str(tmp_path)])
    log = '"size" is undefined\nInput name expression was: " axpy < float, size >"'
    assert found.repair([], log)
    assert "axpy<float, size>" not in found.templates
    assert "axpy<float, 8 * 2>" in found.templates


def test_headers_of_the_toolkit_that_are_not_for_devices_are_empty(tmp_path: Path) -> None:
    text = "#include <thrust/scan.h>\n#include <thrust/sort.h>\n__global__ void k() {}\n"
    found = Cut("k.cu", text, [str(tmp_path)])
    folder = "/x/nvidia/cuda_cccl/include/thrust/system/detail/copy.h"
    assert found.repair([Error(folder, 66, 1, "wrong")], "")
    assert found.headers["thrust/scan.h"] == found.headers["thrust/sort.h"] == ""
    interop = Error("/x/nvidia/cuda_runtime/include/cuda_vdpau_interop.h", 145, 1, "host")
    assert found.repair([interop], "")
    assert found.headers["cuda_vdpau_interop.h"] == ""


def test_random_numbers_and_transforms_have_headers(tmp_path: Path) -> None:
    found = Cut("k.cu", "__global__ void k() {}\n", [str(tmp_path)])
    assert "curand_init" in found.headers["curand_kernel.h"]
    assert "cufftComplex" in found.headers["cufft.h"]
