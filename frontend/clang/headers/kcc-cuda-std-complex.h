/* <complex>: the names of kcc-cuda-complex.h in std, where sources without it may have their own. */
#ifndef KCC_CUDA_STD_COMPLEX_H
#define KCC_CUDA_STD_COMPLEX_H
#include "kcc-cuda-complex.h"

namespace std {
using thrust::complex;
using thrust::norm;
using thrust::arg;
using thrust::conj;
using thrust::polar;
}
namespace cuda { namespace std { using thrust::complex; using thrust::abs; using thrust::exp; using thrust::sqrt; } }

#endif
