/* What the bindings of kernels to PyTorch use of its C++ library, never run but for accessors, which
   kernels read: the types of what kernels are launched with are told by it, and with them which
   instances of templates there are. */
#ifndef KCC_CUDA_TORCH_H
#define KCC_CUDA_TORCH_H
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <memory>
#include <string>
#include <vector>

namespace c10 {
typedef __half Half;
typedef __nv_bfloat16 BFloat16;
enum class ScalarType { Byte, Char, Short, Int, Long, Half, Float, Double, Bool, BFloat16, Float8_e4m3fn, Float8_e5m2 };
enum class DeviceType { CPU, CUDA };
struct Device {
    template <class... A> __host__ Device(A&&...);
    __host__ bool is_cuda() const;
    __host__ int index() const;
    __host__ DeviceType type() const;
};
struct IntArrayRef {
    template <class... A> __host__ IntArrayRef(A&&...);
    __host__ IntArrayRef(std::initializer_list<long>);
    __host__ long operator[](size_t) const;
    __host__ size_t size() const;
    __host__ const long* data() const;
};
struct TensorOptions {
    template <class... A> __host__ TensorOptions(A&&...);
    template <class... A> __host__ TensorOptions dtype(A&&...) const;
    __host__ ScalarType dtype() const;
    template <class... A> __host__ TensorOptions device(A&&...) const;
    template <class... A> __host__ TensorOptions layout(A&&...) const;
    template <class... A> __host__ TensorOptions requires_grad(A&&...) const;
};
template <class T> struct optional {
    template <class... A> __host__ optional(A&&...);
    __host__ bool has_value() const;
    __host__ T& value() const;
    __host__ T& operator*() const;
    __host__ T* operator->() const;
    __host__ explicit operator bool() const;
};
extern const int nullopt;
__host__ size_t elementSize(ScalarType);
namespace cuda {
struct CUDAStream { __host__ operator cudaStream_t() const; __host__ cudaStream_t stream() const; };
struct CUDAGuard { template <class... A> __host__ explicit CUDAGuard(A&&...); };
typedef CUDAGuard OptionalCUDAGuard;
template <class... A> __host__ CUDAStream getCurrentCUDAStream(A...);
template <class... A> __host__ CUDAStream getDefaultCUDAStream(A...);
}
}

namespace at {
using namespace c10;
template <class T> struct DefaultPtrTraits { typedef T* PtrType; };
template <class T> struct RestrictPtrTraits { typedef T* __restrict__ PtrType; };

/* An accessor, which a kernel gets by value: a pointer with the sizes and strides of a tensor, or
   where they are. */
template <class T, size_t N, template <class> class P, class I, class S> struct __accessor {
    T* __data;
    S __sizes, __strides;
    __KCC_MHD I size(I i) const { return __sizes[i]; }
    __KCC_MHD I stride(I i) const { return __strides[i]; }
    __KCC_MHD T* data() const { return __data; }
    __KCC_MHD decltype(auto) operator[](I i) const {
        if constexpr (N == 1) return (__data[__strides[0] * i]);
        else return __accessor<T, N - 1, P, I, const I*>{__data + __strides[0] * i, __sizes + 1, __strides + 1};
    }
};
template <class T, size_t N, template <class> class P = DefaultPtrTraits, class I = long>
using TensorAccessor = __accessor<T, N, P, I, const I*>;
template <class T, size_t N, template <class> class P = DefaultPtrTraits, class I = long>
using PackedTensorAccessor = __accessor<T, N, P, I, I[N]>;
template <class T, size_t N, template <class> class P = DefaultPtrTraits>
using PackedTensorAccessor32 = PackedTensorAccessor<T, N, P, int>;
template <class T, size_t N, template <class> class P = DefaultPtrTraits>
using PackedTensorAccessor64 = PackedTensorAccessor<T, N, P, long>;
template <class T, size_t N, template <class> class P = DefaultPtrTraits>
using GenericPackedTensorAccessor = PackedTensorAccessor<T, N, P, long>;

struct Tensor {
    __host__ Tensor();
    __host__ void* data_ptr() const;
    template <class T> __host__ T* data_ptr() const;
    template <class T> __host__ T* data() const;
    template <class T> __host__ T* mutable_data_ptr() const;
    template <class T> __host__ const T* const_data_ptr() const;
    __host__ long size(long) const;
    __host__ long stride(long) const;
    __host__ IntArrayRef sizes() const;
    __host__ IntArrayRef strides() const;
    __host__ long dim() const;
    __host__ long ndimension() const;
    __host__ long numel() const;
    __host__ long nbytes() const;
    __host__ long element_size() const;
    __host__ long itemsize() const;
    __host__ TensorOptions options() const;
    __host__ ScalarType dtype() const;
    __host__ ScalarType scalar_type() const;
    __host__ ScalarType type() const;
    __host__ Device device() const;
    __host__ int get_device() const;
    __host__ bool is_cuda() const;
    __host__ bool is_contiguous() const;
    __host__ bool defined() const;
    __host__ Tensor contiguous() const;
    template <class T> __host__ T item() const;
    template <class T, size_t N, template <class> class P = DefaultPtrTraits>
    __host__ PackedTensorAccessor<T, N, P, int> packed_accessor32() const;
    template <class T, size_t N, template <class> class P = DefaultPtrTraits>
    __host__ PackedTensorAccessor<T, N, P, long> packed_accessor64() const;
    template <class T, size_t N, template <class> class P = DefaultPtrTraits, class I = long>
    __host__ PackedTensorAccessor<T, N, P, I> packed_accessor() const;
    template <class T, size_t N> __host__ TensorAccessor<T, N> accessor() const;
    __host__ Tensor operator[](long) const;
#define __KCC_TENSOR(name) template <class... A> __host__ Tensor name(A&&...) const;
    __KCC_TENSOR(to) __KCC_TENSOR(view) __KCC_TENSOR(reshape) __KCC_TENSOR(transpose) __KCC_TENSOR(permute)
    __KCC_TENSOR(squeeze) __KCC_TENSOR(unsqueeze) __KCC_TENSOR(expand) __KCC_TENSOR(slice) __KCC_TENSOR(select)
    __KCC_TENSOR(clone) __KCC_TENSOR(detach) __KCC_TENSOR(zero_) __KCC_TENSOR(fill_) __KCC_TENSOR(copy_)
    __KCC_TENSOR(sum) __KCC_TENSOR(mean) __KCC_TENSOR(max) __KCC_TENSOR(min) __KCC_TENSOR(flatten) __KCC_TENSOR(t)
    __KCC_TENSOR(cuda) __KCC_TENSOR(cpu) __KCC_TENSOR(narrow) __KCC_TENSOR(new_empty) __KCC_TENSOR(new_zeros)
#undef __KCC_TENSOR
};
typedef std::vector<Tensor> TensorList;
#define __KCC_MAKES(name) template <class... A> __host__ Tensor name(A&&...); __host__ Tensor name(std::initializer_list<long>, const TensorOptions& = TensorOptions());
__KCC_MAKES(empty) __KCC_MAKES(zeros) __KCC_MAKES(ones) __KCC_MAKES(full) __KCC_MAKES(rand) __KCC_MAKES(randn)
__KCC_MAKES(empty_like) __KCC_MAKES(zeros_like) __KCC_MAKES(ones_like) __KCC_MAKES(arange) __KCC_MAKES(tensor)
__KCC_MAKES(cat) __KCC_MAKES(matmul) __KCC_MAKES(from_blob)
#undef __KCC_MAKES
__host__ optional<Device> device_of(const Tensor&);
constexpr ScalarType kByte = ScalarType::Byte, kUInt8 = ScalarType::Byte, kChar = ScalarType::Char, kInt8 = ScalarType::Char,
    kShort = ScalarType::Short, kInt16 = ScalarType::Short, kInt = ScalarType::Int, kInt32 = ScalarType::Int,
    kLong = ScalarType::Long, kInt64 = ScalarType::Long, kHalf = ScalarType::Half, kFloat16 = ScalarType::Half,
    kFloat = ScalarType::Float, kFloat32 = ScalarType::Float, kDouble = ScalarType::Double, kFloat64 = ScalarType::Double,
    kBool = ScalarType::Bool, kBFloat16 = ScalarType::BFloat16, kFloat8_e4m3fn = ScalarType::Float8_e4m3fn,
    kFloat8_e5m2 = ScalarType::Float8_e5m2;
constexpr DeviceType kCPU = DeviceType::CPU, kCUDA = DeviceType::CUDA;
namespace cuda {
using namespace c10::cuda;
struct __properties : cudaDeviceProp {};
__host__ __properties* getCurrentDeviceProperties();
template <class... A> __host__ void* getCurrentCUDABlasHandle(A...);
}
}

namespace torch {
using namespace at;
typedef c10::ScalarType Dtype;
namespace indexing { struct Slice { template <class... A> __host__ Slice(A&&...); }; extern const int None; }
struct NoGradGuard {};
struct Library { template <class... A> __host__ Library& def(A&&...); template <class... A> __host__ Library& impl(A&&...); };
}
namespace pybind11 {
struct arg { __host__ arg(const char*); template <class T> __host__ arg& operator=(T&&); };
struct module_ { template <class... A> __host__ module_& def(A&&...); __host__ module_& doc(); template <class... A> __host__ module_ def_submodule(A&&...); };
typedef module_ module;
struct object { template <class... A> __host__ object(A&&...); };
}
namespace py = pybind11;

#define TORCH_CHECK(condition, ...) ((void)(condition))
#define TORCH_CHECK_EQ(a, b) ((void)((a) == (b)))
#define TORCH_INTERNAL_ASSERT(condition, ...) ((void)(condition))
#define TORCH_WARN(...) ((void)0)
#define AT_ASSERTM(condition, ...) ((void)(condition))
#define AT_ASSERT(condition, ...) ((void)(condition))
#define AT_CHECK(condition, ...) ((void)(condition))
#define AT_ERROR(...) ((void)0)
#define AT_CUDA_CHECK(expression) ((void)(expression))
#define C10_CUDA_CHECK(expression) ((void)(expression))
#define C10_CUDA_KERNEL_LAUNCH_CHECK() ((void)0)
#define C10_HOST_DEVICE __host__ __device__
#define C10_DEVICE __device__
#define C10_HOST __host__
#define C10_LAUNCH_BOUNDS_1(most) __launch_bounds__(most)
#define C10_LAUNCH_BOUNDS_2(most, blocks) __launch_bounds__(most, blocks)

/* What is dispatched by type is there for each of its types. */
#define __KCC_TYPE(type, ...) { using scalar_t = type; (void)sizeof(scalar_t); (__VA_ARGS__)(); }
#define __KCC_FLOATS(...) __KCC_TYPE(float, __VA_ARGS__) __KCC_TYPE(double, __VA_ARGS__)
#define __KCC_INTEGERS(...)                                                                                   \
    __KCC_TYPE(unsigned char, __VA_ARGS__) __KCC_TYPE(signed char, __VA_ARGS__) __KCC_TYPE(short, __VA_ARGS__) \
    __KCC_TYPE(int, __VA_ARGS__) __KCC_TYPE(long, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES(type, name, ...) do { (void)(type); __KCC_FLOATS(__VA_ARGS__) } while (0)
#define AT_DISPATCH_FLOATING_TYPES_AND_HALF(type, name, ...) do { (void)(type); __KCC_FLOATS(__VA_ARGS__) __KCC_TYPE(c10::Half, __VA_ARGS__) } while (0)
#define AT_DISPATCH_FLOATING_TYPES_AND(more, type, name, ...) AT_DISPATCH_FLOATING_TYPES_AND_HALF(type, name, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND2(first, second, type, name, ...) \
    do { (void)(type); __KCC_FLOATS(__VA_ARGS__) __KCC_TYPE(c10::Half, __VA_ARGS__) __KCC_TYPE(c10::BFloat16, __VA_ARGS__) } while (0)
#define AT_DISPATCH_REDUCED_FLOATING_TYPES(type, name, ...) \
    do { (void)(type); __KCC_TYPE(c10::Half, __VA_ARGS__) __KCC_TYPE(c10::BFloat16, __VA_ARGS__) } while (0)
#define AT_DISPATCH_INTEGRAL_TYPES(type, name, ...) do { (void)(type); __KCC_INTEGERS(__VA_ARGS__) } while (0)
#define AT_DISPATCH_ALL_TYPES(type, name, ...) do { (void)(type); __KCC_FLOATS(__VA_ARGS__) __KCC_INTEGERS(__VA_ARGS__) } while (0)
#define AT_DISPATCH_ALL_TYPES_AND(more, type, name, ...) AT_DISPATCH_ALL_TYPES(type, name, __VA_ARGS__)

#define TORCH_EXTENSION_NAME __kcc_extension
#define PYBIND11_MODULE(name, variable) static void __kcc_module(pybind11::module_& variable)
#define TORCH_LIBRARY(name, variable) static void __kcc_library_##name(torch::Library& variable)
#define TORCH_LIBRARY_IMPL(name, key, variable) static void __kcc_library_##name##_##key(torch::Library& variable)
#define TORCH_LIBRARY_FRAGMENT(name, variable) static void __kcc_fragment_##name(torch::Library& variable)
#endif
