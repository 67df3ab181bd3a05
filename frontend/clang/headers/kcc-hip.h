/* HIP's mathematics where it is not CUDA's (hip_runtime.h, by clang's own header of it): a whole power
   is a row of products. With nvcc it is the C++ library's, that of two numbers of double precision. */
#pragma once
__device__ inline float pow(float x, int n) { return powif(x, n); }
__device__ inline double pow(double x, int n) { return powi(x, n); }
namespace std {
using ::pow;
}
