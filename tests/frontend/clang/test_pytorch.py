"""Sources of extensions of PyTorch: the templates of which bindings, macros and dispatchers make
instances."""

from __future__ import annotations

from kcc.frontend.kernel import CompiledUnit
from kcc.frontend.options import OptLevel
from kcc.passes.memory.memory_accesses import MemoryAccesses
from tests.frontend.clang.sources import cuda, facts_of

HEADERS = """
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>
"""
ACCESSORS = (
    HEADERS
    + """
template <typename scalar_t>
__global__ void gate(
    const torch::PackedTensorAccessor32<scalar_t, 3, torch::RestrictPtrTraits> gates,
    torch::PackedTensorAccessor32<scalar_t, 2, torch::RestrictPtrTraits> h) {
    int n = blockIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c < gates.size(2)) h[n][c] = gates[n][0][c];
}
std::vector<torch::Tensor> forward(torch::Tensor input, torch::Tensor cell) {
    CHECK_OF_ANOTHER_FILE(input);
    TORCH_CHECK(input.is_cuda(), "input ", input.sizes(), " is on the host");
    const at::cuda::OptionalCUDAGuard guard(device_of(input));
    auto h = torch::zeros_like(cell);
    auto gates = torch::addmm(input, input, cell).reshape({cell.size(0), 3, cell.size(1)});
    dim3 blocks((cell.size(1) + 1023) / 1024, cell.size(0));
    AT_DISPATCH_FLOATING_TYPES(input.scalar_type(), "gate", ([&] {
        gate<scalar_t><<<blocks, 1024, 0, at::cuda::getCurrentCUDAStream()>>>(
            gates.packed_accessor32<scalar_t, 3, torch::RestrictPtrTraits>(),
            h.packed_accessor32<scalar_t, 2, torch::RestrictPtrTraits>());
    }));
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return {h};
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("forward", &forward, "gates (CUDA)"); }
"""
)
BY_MACROS = (
    HEADERS
    + """
template <const int N = 256> __global__ void copy(float *x, float *y) {
    y[blockIdx.x * N + threadIdx.x] = x[blockIdx.x * N + threadIdx.x];
}
template <typename T, int N = 4> __global__ void nobody(T *x) { x[threadIdx.x] = N; }
template <int N = 4> __global__ void by_default(float *x) { x[threadIdx.x] = N; }
#define LAUNCH(K) copy<(K)><<<grid, block>>>(x.data_ptr<float>(), (float *)y.data_ptr());
void run(torch::Tensor x, torch::Tensor y) {
    dim3 grid(x.size(0)), block(x.size(1));
    switch (x.size(1)) {
    case 64: LAUNCH(64) break;
    case 128: LAUNCH(128) break;
    default: throw std::runtime_error("64 or 128");
    }
}
"""
)


def names(unit: CompiledUnit) -> list[str]:
    return sorted(kernel.name for kernel in unit.kernels)


def test_a_dispatcher_makes_an_instance_for_each_of_its_types() -> None:
    unit = cuda(ACCESSORS)
    assert names(unit) == ["gate<double>", "gate<float>"]
    assert not unit.warnings
    _, facts = facts_of(unit)["gate<double>"]
    sizes = [each.element_bytes for each in facts[MemoryAccesses].accesses]
    assert sizes.count(8) >= 2


def test_macros_and_defaults_make_instances_but_not_of_what_has_none() -> None:
    unit = cuda(BY_MACROS)
    assert names(unit) == ["by_default<4>", "copy<128>", "copy<64>"]
    (warning,) = unit.warnings
    assert warning.code == "K418"
    assert "nobody" in warning.message


def test_what_is_asked_for_is_made_beside_the_instances_of_the_source() -> None:
    unit = cuda(BY_MACROS, instantiate=("nobody<double>",))
    assert names(unit) == ["by_default<4>", "copy<128>", "copy<64>", "nobody<double, 4>"]


NARROW = """
#include <torch/extension.h>
#include <cuda_fp8.h>
__global__ void k(const torch::PackedTensorAccessor32<c10::Half, 1> a, const __nv_bfloat16 *b,
                  const __nv_fp8_e4m3 *c, float *o) {
    int i = threadIdx.x;
    o[i] = (float)a[i] + (float)b[i] + (float)c[i] + __half2float(__half_raw{7});
}
"""


def test_what_headers_of_kcc_do_is_on_the_lines_that_use_it() -> None:
    (kernel,) = cuda(NARROW, OptLevel.O2).kernels
    places = [each.location for each in kernel.function.instructions if each.location]
    assert {place.file for place in places} == {"k.cu"}
    assert {place.line for place in places} <= {6, 7, 8}
