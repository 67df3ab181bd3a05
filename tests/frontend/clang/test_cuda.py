"""CUDA: device code through our own header into the dialect."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from unittest.mock import Mock

import pytest

from kcc.base.diagnostics import DiagnosticError, InternalError
from kcc.frontend import compile_source
from kcc.frontend.clang import invoke
from kcc.frontend.clang.find import need_clang
from kcc.frontend.kernel import CompiledUnit, Language
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.frontend.source_file import read_source
from kcc.frontend.types import AddressSpace
from kcc.stages.analyze import choose_kernels
from tests.frontend.clang.sources import KERNELS, cuda, facts_of, shape_of, workload
from tests.passes.workloads import sampled

TWINS = sorted(path.stem for path in KERNELS.glob("*/*.cu"))


def codes(unit: CompiledUnit) -> list[tuple[str, int]]:
    """Code and line of each warning."""
    return [(w.code, w.span.line if w.span else 0) for w in unit.warnings]


def body(text: str, parameters: str = "int* p, float* f, int n") -> str:
    """The IR of a kernel with this body."""
    return cuda(f"__global__ void k({parameters}) {{ {text} }}").ir


@pytest.mark.parametrize("name", sampled(TWINS))
def test_twin(name: str):
    """An OpenCL kernel and its CUDA twin: names, loops, barriers, arguments, blocks."""
    folder = KERNELS / name
    opencl = facts_of(workload(folder / f"{name}.cl", "builtin"))
    twins = facts_of(workload(folder / f"{name}.cu", "auto"))
    assert list(opencl) == list(twins)
    for kernel, (one, facts) in opencl.items():
        other, other_facts = twins[kernel]
        assert shape_of(facts) == shape_of(other_facts)
        assert len(one.function.blocks) == len(other.function.blocks)
        passed = [a for a in one.arguments if a.address_space is not AddressSpace.LOCAL]
        assert [(a.name, a.type) for a in passed] == [(a.name, a.type) for a in other.arguments]
        assert "addrspace(4)" not in str(other.function)


def test_at_least_ten_twins():
    assert len(TWINS) >= 10


def test_arguments_are_described_as_in_opencl():
    unit = cuda(
        "struct S { float a; int b; };\n"
        "__global__ void k(const float* __restrict__ a, unsigned n, uchar4* c, S s, double d) {}"
    )
    (kernel,) = unit.kernels
    assert (unit.language, unit.frontend, kernel.name) == (Language.CUDA, "clang", "k")
    assert kernel.symbol == "_Z1kPKfjP6uchar41Sd"
    assert [(a.name, a.type, a.address_space.name) for a in kernel.arguments] == [
        ("a", "float*", "GLOBAL"),
        ("n", "uint", "PRIVATE"),
        ("c", "uchar4*", "GLOBAL"),
        ("s", "S", "PRIVATE"),
        ("d", "double", "PRIVATE"),
    ]
    assert kernel.arguments[0].qualifiers == ("restrict", "const")


def test_spaces():
    """Arguments are global, arrays where they were declared, pointers of memory generic."""
    unit = cuda(
        "__constant__ float table[4]; __device__ int counter;\n"
        "__global__ void k(float* a, float** b, int n) {\n"
        "  __shared__ float t[64]; extern __shared__ float dynamic[];\n"
        "  t[threadIdx.x] = table[n]; dynamic[n] = t[n + 1]; counter = n;\n"
        "  float* p = n > 3 ? a : a + 5;\n"
        "  while (n--) p += 2;\n"
        "  *p = t[n]; *b[0] = 1;\n"
        "}"
    )
    for name, space in (("table", 2), ("counter", 1), ("k.t", 3), ("dynamic", 3)):
        assert unit.module.globals[name].space == space
    stores = re.findall(r"store \S+ \S+, ptr addrspace\((\d)\)", unit.ir)
    assert stores == ["3", "3", "1", "1", "4"]


def test_a_shared_array_with_a_size_is_not_extern():
    """As nvcc has it; one without a size is what the launch gives."""
    unit = cuda(
        "__global__ void k(int* p) { extern __shared__ int sums[32 * 2]; // sums[]\n"
        "extern __shared__ __align__(16) int rest[/* as many */];\n"
        "sums[threadIdx.x] = *p; rest[threadIdx.x] = sums[1]; *p = rest[0]; }"
    )
    sizes = re.findall(r"@(\S+) = \w+ addrspace\(3\) global (\[\d+ x i32\])", unit.ir)
    assert sizes == [("k.sums", "[64 x i32]"), ("rest", "[0 x i32]")]


def test_a_pointer_into_either_of_two_spaces_stays_generic():
    ir = body("__shared__ int t[9]; int* q = n > 1 ? p : t; q[n] = 2;")
    assert "store i32 2, ptr addrspace(4)" in ir


def test_o0_keeps_generic_pointers():
    unit = cuda("__global__ void k(int* p) { *p = 1; }", OptLevel.O0)
    assert "addrspace(4)" in unit.ir


def test_ids_are_32_bits_wide():
    ir = body("p[threadIdx.x] = blockIdx.y + blockDim.z * gridDim.x;")
    for name, dimension in (
        ("get_local_id", 0), ("get_group_id", 1), ("get_local_size", 2), ("get_num_groups", 0),
    ):  # fmt: skip
        assert re.search(rf"call spir_func i64 @_Z\d+{name}j\(i32 noundef {dimension}\)", ir)
    assert len(re.findall(r"trunc i64 %\S+ to i32", ir)) == 4


@pytest.mark.sampled(12)
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("__syncthreads();", "@_Z7barrierj(i32 noundef 3)"),
        ("p[0] = __syncthreads_count(n);", "@_Z21work_group_reduce_addi"),
        ("p[0] = __syncthreads_and(n);", "@_Z14work_group_alli"),
        ("__syncwarp();", "@_Z17sub_group_barrierj"),
        ("p[0] = __shfl_sync(~0u, n, 3);", "@_Z17sub_group_shuffleij"),
        ("f[0] = __shfl_down_sync(~0u, f[1], 4);", "@_Z22sub_group_shuffle_downfj"),
        ("p[0] = __ballot_sync(~0u, n);", "@_Z16sub_group_balloti"),
        ("p[0] = __any_sync(~0u, n);", "@_Z13sub_group_anyi"),
        ("p[0] = __activemask();", "@_Z16sub_group_balloti"),
        ("f[0] = __expf(f[1]);", "@_Z10native_expf"),
        ("f[0] = expf(f[1]);", "@_Z3expf"),
        ("f[0] = exp((double)f[1]);", "@_Z3expd"),
        ("f[0] = sqrt(f[1]);", "@llvm.sqrt.f32"),
        ("f[0] = __fmaf_rn(f[1], f[2], f[3]);", "@llvm.fma.f32"),
        ("p[0] = __popc(n);", "@llvm.ctpop.i32"),
        ("p[0] = __clz(n);", "@llvm.ctlz.i32"),
        ("p[0] = max(n, 3);", "@llvm.smax.i32"),
        ("p[0] = min(3u, (unsigned)n);", "@llvm.umin.i32"),
        ("f[0] = fmaxf(f[1], f[2]);", "@llvm.maxnum.f32"),
        ("f[0] = f[1] * f[2] + f[3];", "@llvm.fmuladd.f32"),
        ("atomicAdd(p, n);", 'add ptr addrspace(1) %p, i32 %n syncscope("device") monotonic'),
        ("atomicAdd(f, 1.0f);", "atomicrmw fadd ptr addrspace(1) %f"),
        ("atomicInc((unsigned*)p, 7);", "atomicrmw uinc_wrap ptr addrspace(1) %p"),
        ("atomicCAS(p, 1, 2);", "cmpxchg ptr addrspace(1) %p, i32 1, i32 2"),
        ("p[0] = __float_as_int(f[0]);", "bitcast float"),
        ('printf("%d\\n", n);', "@printf(ptr addrspace(2) @.str"),
        ("__threadfence();", "fence"),
        ("f[0] = __ldg(f + n);", "load float, ptr addrspace(1)"),
        ("*(float4*)f = ((float4*)f)[n];", "load <4 x float>, ptr addrspace(1)"),
        ("f[0] = __half2float(__float2half(f[1]));", "fptrunc float"),
    ],
)  # fmt: skip
def test_function(text: str, expected: str):
    assert expected in body(text)


def test_fast_math():
    text = "__global__ void k(float* f) { f[0] = sinf(f[1]); }"
    options = BuildOptions(fast_relaxed_math=True)
    assert "native_sin" in compile_source(SourceText("k.cu", text, "."), options).ir


def test_unfused_product():
    assert "fmuladd" not in body("f[0] = __fadd_rn(__fmul_rn(f[1], f[2]), f[3]);")


def test_a_shuffle_of_a_whole_warp_is_one_call():
    ir = body("f[n] = __shfl_xor_sync(0xffffffff, f[n], 16);")
    assert "shuffle_xor" in ir
    assert "get_sub_group_local_id" not in ir


def test_host_code_does_not_disturb():
    unit = cuda(
        "#include <cuda_runtime.h>\n#include <iostream>\n#include <vector>\n#include \"own.h\"\n"
        "using namespace std;\n"
        "__global__ void k(int* p) { *p = 1; }\n"
        "class Timer { std::chrono::time_point<int> at; void go(); };\n"
        "static std::vector<float> make(int n) { return std::vector<float>(n); }\n"
        "int main(int argc, char** argv) {\n"
        "  std::vector<int> v; cout << v.size() << endl; int* d;\n"
        "  CHECK(cudaMalloc((void**)&d, 4)); k<<<1, 1>>>(d); Timer t; t.go(); return 0;\n"
        "}\n"
    )  # fmt: skip
    (kernel,) = unit.kernels
    assert (kernel.name, kernel.span.line) == ("k", 6)
    assert codes(unit) == [("K419", 4)]


def test_templates_are_instantiated_by_launches():
    unit = cuda(
        "template <typename T, int N> __global__ void k(T* p) { p[0] = N; }\n"
        "template <typename T> __global__ void never(T* p) {}\n"
        "int main() { float* d; unknown(d); k<float, 4><<<1, 1>>>(d); k<int, 2><<<1, 1>>>(0); }\n"
    )
    assert sorted(k.name for k in unit.kernels) == ["k<float, 4>", "k<int, 2>"]
    assert codes(unit) == [("K418", 2)]


def test_templates_are_instantiated_as_the_host_launches_them_by_macros():
    unit = cuda(
        "template <typename T, int N> __global__ void k(T* p) { p[0] = N; }\n"
        "template <typename T> __global__ void never(T* p) {}\n"
        "#define RUN(WIDTH) auto start = clocks::now(); k<element_t, WIDTH><<<1, 32>>>(p)\n"
        "#define CASE(WIDTH) case WIDTH: { RUN(WIDTH); break; }\n"
        "template <typename element_t> void run(element_t* p, int width) {\n"
        "  switch (width) { CASE(4) CASE(8) }\n"
        "}\n"
        "int main() { run<float>(0, 4); run<double>(0, 8); run<double>(0, 9); }\n"
    )
    assert sorted(k.name for k in unit.kernels) == [
        f"k<{element}, {width}>" for element in ("double", "float") for width in (4, 8)
    ]
    assert codes(unit) == [("K418", 2)]


def test_templates_in_namespaces_are_known_by_their_own_names():
    text = """
    namespace a { namespace b {
    struct Wide { static constexpr int size = 4; };
    template <typename Config> __global__ void k(float* p) { p[Config::size * threadIdx.x] = 1; }
    } }
    """
    for name in ("k<Wide>", "a::b::k<a::b::Wide>"):
        unit = cuda(text, instantiate=(name,))
        assert [kernel.name for kernel in choose_kernels(unit, [name])] == ["k<a::b::Wide>"]


def test_a_name_that_two_namespaces_have_has_to_say_which():
    text = """
    template <int N> __global__ void k(float* p) { p[N] = 1; }
    namespace a { template <int N> __global__ void k(float* p) { p[N] = 2; } }
    """
    assert [kernel.name for kernel in cuda(text, instantiate=("k<2>",)).kernels] == ["k<2>"]


def test_instantiate():
    text = "template <typename T, int N> __global__ void k(T* p) { p[0] = N; }"
    with pytest.raises(DiagnosticError) as caught:
        cuda(text)
    assert [d.code for d in caught.value.diagnostics] == ["K418", "K420"]
    unit = cuda(text, instantiate=("k<float,16>",))
    assert [k.name for k in unit.kernels] == ["k<float, 16>"]


def test_an_instantiation_that_does_not_exist():
    text = "template <typename T> __global__ void k(T* p) {}"
    with pytest.raises(DiagnosticError) as caught:
        cuda(text, instantiate=("k<nothing>",))
    assert caught.value.diagnostics[0].code == "K421"


def test_why_an_instantiation_does_not_exist():
    text = """namespace db {
    template <int N> __device__ void f(int* p) { p[0] = N; }
    }
    template <int N> __global__ void k(int* p) {
      const unsigned m = threadIdx.x / UNKNOWN;
      constexpr int q = N / UNKNOWN;
      db::f<q>(p);
    }"""
    source = SourceText("k.cu", text, ".")
    with pytest.raises(DiagnosticError) as caught:
        compile_source(source, BuildOptions(instantiate=("k<2>",)), "clang", partial=True)
    first, second, *_ = caught.value.diagnostics
    assert (first.code, second.code, second.span and second.span.line) == ("K421", "K240", 5)
    assert "UNKNOWN" in second.message


UNSUPPORTED = {
    "K410": """texture<float, 1> t;
__global__ void bad(float* p) {
  *p = texCubemap(t, 3.f, 1.f, 2.f);
}""",
    "K410 object": """__global__ void bad(float* p, cudaTextureObject_t t) {

  *p = texCubemap<float>(t, 1.f, 2.f, 1.f);
}""",
    "K411": """namespace cg = cooperative_groups;
__global__ void bad(float* p) {
  cg::this_multi_grid().sync();
}""",
    "K413": """
__global__ void bad(int* p) {
  asm("mov.u32 %0, %laneid;" : "=r"(*p));
}""",
    "K413 volatile": """
__global__ void bad(int* p) {
  asm volatile("exit;");
}""",
    "K414": """__global__ void other() {}
__global__ void bad(int* p) {
  other<<<1, 1>>>();
}""",
    "K415": """__device__ int elsewhere(int);
__global__ void bad(int* p) {
  *p = elsewhere(1);
}""",
    "K416": """

__device__ int f(int n) { return n ? f(n - 1) * n : 1; }
__global__ void bad(int* p) { *p = f(*p); }""",
    "K417": """
__global__ void bad(int* p) {
  int* q = (int*)malloc(4); *p = *q;
}""",
}


@pytest.mark.sampled(5)
@pytest.mark.parametrize("case", UNSUPPORTED)
def test_unsupported(case: str):
    """The construct and its line are named; the file's other kernel is there."""
    unit = cuda(f"{UNSUPPORTED[case]}\n__global__ void good(int* p) {{ *p = 1; }}")
    assert "good" in [k.name for k in unit.kernels]
    assert "bad" not in [k.name for k in unit.kernels]
    assert codes(unit) == [(case.split(maxsplit=1)[0], 3)]


def test_errors_in_device_code():
    with pytest.raises(DiagnosticError) as caught:
        cuda("__global__ void k(int* p) {\n  *p = missing;\n}")
    (error,) = caught.value.diagnostics
    assert (error.code, error.span and (error.span.line, error.span.column)) == ("K240", (2, 8))


def test_no_kernel():
    with pytest.raises(DiagnosticError) as caught:
        cuda("int main() { return 0; }")
    assert caught.value.diagnostics[0].code == "K003"


def test_a_source_of_another_folder_has_its_own_name(tmp_path: Path):
    """Its lines are found by that name; clang calls it by what comes after the folder."""
    file = tmp_path / "mine.cu"
    file.write_text("__global__ void k(int *out) {\n  out[threadIdx.x] = 1;\n}\n")
    (kernel,) = compile_source(read_source(str(file)), BuildOptions()).kernels
    found = {each.location.file for each in kernel.function.instructions if each.location}
    assert found == {str(file)}


@pytest.mark.parametrize(
    "kernels", ["", "template <class T> __global__ void t(T* p) { *p = T(1); }"]
)
def test_a_brace_that_nothing_closes(kernels: str):
    """The end of the file is the source's, with and without instantiations after it."""
    launch = "t<float><<<1, 32>>>(0);" if kernels else ""
    with pytest.raises(DiagnosticError) as caught:
        cuda(f"{kernels}\nvoid run() {{ {launch}\n__global__ void k(int* p) {{ *p = missing; }}")
    (error,) = [d for d in caught.value.diagnostics if d.message == "expected '}'"]
    assert error.span
    assert error.span.file == "k.cu"
    assert [note.span and note.span.line for note in error.notes] == [2]


def test_an_error_without_a_place(monkeypatch: pytest.MonkeyPatch):
    """Clang says of some consequences of an error no more than that they are there; alone, such
    a message is a fault of clang's."""
    clang = need_clang("CUDA sources")
    said = ["k.cu:1:5: error: unknown type name 'a'", "error: templates must have C++ linkage"]
    for lines, is_fault in ((said, False), (said[1:], True)):
        run = subprocess.CompletedProcess[str]([], 1, "", "\n".join(lines))
        monkeypatch.setattr(invoke, "_run", Mock(return_value=run))
        source = SourceText("k.cu", "a b;", ".")
        if is_fault:
            with pytest.raises(InternalError):
                invoke.compile_text(clang, source, [])
        else:
            errors = invoke.compile_text(clang, source, []).errors
            assert [(m.line, m.text[:9]) for m in errors] == [(1, "unknown t"), (0, "templates")]
