/* The host's side of a .cu file, as far as device compilation looks at it: launches instantiate
   templates, and types of the runtime stand in signatures. Nothing of it is ever run. */
#ifndef KCC_CUDA_HOST_H
#define KCC_CUDA_HOST_H

typedef struct __kcc_stream* cudaStream_t;
/* What a graph does next is the host's affair: the call costs nothing here. */
typedef unsigned long long cudaGraphConditionalHandle;
__KCC_D void cudaGraphSetConditional(cudaGraphConditionalHandle, unsigned int) {}
typedef struct __kcc_event* cudaEvent_t;
typedef struct __kcc_array* cudaArray_t;
typedef struct __kcc_array cudaArray;
enum cudaError {
    cudaSuccess, cudaErrorInvalidValue, cudaErrorMemoryAllocation, cudaErrorInitializationError,
    cudaErrorLaunchFailure, cudaErrorUnknown = 999
};
typedef cudaError cudaError_t;
enum cudaMemcpyKind {
    cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault
};
enum cudaFuncCache { cudaFuncCachePreferNone, cudaFuncCachePreferShared, cudaFuncCachePreferL1, cudaFuncCachePreferEqual };
struct cudaDeviceProp {
    char name[256];
    size_t totalGlobalMem, sharedMemPerBlock, totalConstMem, textureAlignment;
    int regsPerBlock, warpSize, maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate;
    int major, minor, multiProcessorCount, maxThreadsPerMultiProcessor, memoryClockRate, memoryBusWidth;
    int concurrentKernels, deviceOverlap, canMapHostMemory, integrated, l2CacheSize, computeMode;
};
#define cudaStreamDefault 0
#define cudaStreamNonBlocking 1
#define cudaHostAllocDefault 0
#define cudaHostAllocMapped 2
#define cudaMemAttachGlobal 1
#define cudaEventDisableTiming 2
struct cudaExtent { size_t width, height, depth; };
struct cudaPos { size_t x, y, z; };
struct cudaPitchedPtr { void* ptr; size_t pitch, xsize, ysize; };

#define __KCC_API(name) template <class... A> __host__ __device__ inline cudaError_t name(A...) { return cudaSuccess; }
#define __KCC_HOST_API(name) template <class... A> __host__ inline cudaError_t name(A&&...) { return cudaSuccess; }
__KCC_HOST_API(cudaMalloc)
__KCC_HOST_API(cudaMallocManaged)
__KCC_HOST_API(cudaMallocHost)
__KCC_HOST_API(cudaMallocPitch)
__KCC_HOST_API(cudaMallocArray)
__KCC_HOST_API(cudaHostAlloc)
__KCC_HOST_API(cudaFree)
__KCC_HOST_API(cudaFreeHost)
__KCC_HOST_API(cudaFreeArray)
__KCC_HOST_API(cudaMemcpy)
__KCC_HOST_API(cudaMemcpyAsync)
__KCC_HOST_API(cudaMemcpy2D)
__KCC_HOST_API(cudaMemcpyToArray)
__KCC_HOST_API(cudaMemcpyToSymbol)
__KCC_HOST_API(cudaMemcpyFromSymbol)
__KCC_HOST_API(cudaMemset)
__KCC_HOST_API(cudaMemsetAsync)
__KCC_HOST_API(cudaMemGetInfo)
__KCC_HOST_API(cudaGetSymbolAddress)
__KCC_HOST_API(cudaBindTexture)
__KCC_HOST_API(cudaBindTextureToArray)
__KCC_HOST_API(cudaUnbindTexture)
__KCC_HOST_API(cudaDeviceReset)
__KCC_HOST_API(cudaThreadSynchronize)
__KCC_HOST_API(cudaThreadExit)
__KCC_HOST_API(cudaSetDevice)
__KCC_HOST_API(cudaSetDeviceFlags)
__KCC_HOST_API(cudaGetDevice)
__KCC_HOST_API(cudaGetDeviceCount)
__KCC_HOST_API(cudaGetDeviceProperties)
__KCC_HOST_API(cudaDeviceSetCacheConfig)
__KCC_HOST_API(cudaThreadSetCacheConfig)
__KCC_HOST_API(cudaFuncSetCacheConfig)
__KCC_HOST_API(cudaFuncSetAttribute)
__KCC_HOST_API(cudaEventCreate)
__KCC_HOST_API(cudaEventRecord)
__KCC_HOST_API(cudaEventSynchronize)
__KCC_HOST_API(cudaEventElapsedTime)
__KCC_HOST_API(cudaEventDestroy)
__KCC_HOST_API(cudaStreamCreate)
__KCC_HOST_API(cudaStreamCreateWithFlags)
__KCC_HOST_API(cudaStreamWaitEvent)
__KCC_HOST_API(cudaEventCreateWithFlags)
__KCC_HOST_API(cudaMemcpyPeer)
__KCC_HOST_API(cudaMemPrefetchAsync)
__KCC_HOST_API(cudaMallocAsync)
__KCC_HOST_API(cudaFreeAsync)
__KCC_HOST_API(cudaDeviceGetAttribute)
__KCC_HOST_API(cudaStreamSynchronize)
__KCC_HOST_API(cudaStreamDestroy)
__KCC_HOST_API(cudaLaunchKernel)
__KCC_HOST_API(cudaLaunchCooperativeKernel)
__KCC_HOST_API(cudaOccupancyMaxActiveBlocksPerMultiprocessor)
__host__ inline cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
__device__ inline cudaError_t cudaDeviceSynchronize() { __kcc_refuse_dynamic_parallelism(); return cudaSuccess; }
__host__ inline cudaError_t cudaGetLastError() { return cudaSuccess; }
__host__ inline cudaError_t cudaPeekAtLastError() { return cudaSuccess; }
__host__ inline const char* cudaGetErrorString(cudaError_t) { return ""; }
__host__ inline const char* cudaGetErrorName(cudaError_t) { return ""; }
template <class T> __host__ inline cudaChannelFormatDesc cudaCreateChannelDesc() { return cudaChannelFormatDesc(); }
int cudaConfigureCall(dim3, dim3, size_t = 0, cudaStream_t = 0);
unsigned int __cudaPushCallConfiguration(dim3, dim3, size_t = 0, cudaStream_t = 0);

/* The C library, for hosts. */
typedef struct __kcc_file FILE;
extern FILE *stdin, *stdout, *stderr;
struct timeval { long tv_sec, tv_usec; };
struct timezone { int tz_minuteswest, tz_dsttime; };
struct timespec { long tv_sec, tv_nsec; };
extern "C" {
__host__ int fprintf(FILE*, const char*, ...);
__host__ int sprintf(char*, const char*, ...);
__host__ int snprintf(char*, size_t, const char*, ...);
__host__ int scanf(const char*, ...);
__host__ int fscanf(FILE*, const char*, ...);
__host__ int sscanf(const char*, const char*, ...);
__host__ FILE* fopen(const char*, const char*);
__host__ int fclose(FILE*);
__host__ int fflush(FILE*);
__host__ char* fgets(char*, int, FILE*);
__host__ int fputs(const char*, FILE*);
__host__ int puts(const char*);
__host__ size_t fread(void*, size_t, size_t, FILE*);
__host__ size_t fwrite(const void*, size_t, size_t, FILE*);
__host__ int feof(FILE*);
__host__ int fseek(FILE*, long, int);
__host__ long ftell(FILE*);
__host__ void rewind(FILE*);
__host__ void* calloc(size_t, size_t);
__host__ void* realloc(void*, size_t);
__host__ void exit(int);
__host__ void abort();
__host__ int atoi(const char*);
__host__ long atol(const char*);
__host__ double atof(const char*);
__host__ double strtod(const char*, char**);
__host__ long strtol(const char*, char**, int);
__host__ int rand();
__host__ long random();
__host__ void srandom(unsigned int);
__host__ double drand48();
__host__ void srand48(long);
__host__ long lrand48();
__host__ long long atoll(const char*);
__host__ float strtof(const char*, char**);
__host__ unsigned long strtoul(const char*, char**, int);
__host__ long long strtoll(const char*, char**, int);
__host__ unsigned long long strtoull(const char*, char**, int);
__host__ char* strrchr(const char*, int);
__host__ int strcasecmp(const char*, const char*);
__host__ void* memmove(void*, const void*, size_t);
__host__ void qsort(void*, size_t, size_t, int (*)(const void*, const void*));
__host__ int putchar(int);
__host__ int fputc(int, FILE*);
__host__ int getchar();
__host__ int fgetc(FILE*);
__host__ int remove(const char*);
__host__ void srand(unsigned int);
__host__ char* getenv(const char*);
__host__ int system(const char*);
__host__ int strcmp(const char*, const char*);
__host__ int strncmp(const char*, const char*, size_t);
__host__ size_t strlen(const char*);
__host__ char* strcpy(char*, const char*);
__host__ char* strncpy(char*, const char*, size_t);
__host__ char* strcat(char*, const char*);
__host__ char* strtok(char*, const char*);
__host__ char* strchr(const char*, int);
__host__ char* strstr(const char*, const char*);
__host__ char* strdup(const char*);
__host__ int memcmp(const void*, const void*, size_t);
__host__ time_t time(time_t*);
__host__ int gettimeofday(struct timeval*, struct timezone*);
__host__ void perror(const char*);
}
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX 2147483647
#define CLOCKS_PER_SEC 1000000
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#define EOF (-1)

/* Limits and constants. */
#define CHAR_BIT 8
#define SCHAR_MAX 127
#define UCHAR_MAX 255
#define SHRT_MAX 32767
#define USHRT_MAX 65535
#define INT_MAX 2147483647
#define INT_MIN (-INT_MAX - 1)
#define UINT_MAX 4294967295u
#define LONG_MAX 9223372036854775807l
#define LONG_MIN (-LONG_MAX - 1l)
#define ULONG_MAX 18446744073709551615ul
#define LLONG_MAX 9223372036854775807ll
#define LLONG_MIN (-LLONG_MAX - 1ll)
#define ULLONG_MAX 18446744073709551615ull
#define INT8_MAX 127
#define INT8_MIN (-128)
#define UINT8_MAX 255
#define INT16_MAX SHRT_MAX
#define INT16_MIN (-SHRT_MAX - 1)
#define UINT16_MAX USHRT_MAX
#define INT32_MAX INT_MAX
#define INT32_MIN INT_MIN
#define UINT32_MAX UINT_MAX
#define INT64_MAX LONG_MAX
#define INT64_MIN LONG_MIN
#define UINT64_MAX ULONG_MAX
#define SIZE_MAX ULONG_MAX
#define UINTPTR_MAX ULONG_MAX
#define INT8_C(c) c
#define INT16_C(c) c
#define INT32_C(c) c
#define INT64_C(c) c##L
#define UINT8_C(c) c
#define UINT16_C(c) c
#define UINT32_C(c) c##U
#define UINT64_C(c) c##UL
#define FLT_MAX __FLT_MAX__
#define FLT_MIN __FLT_MIN__
#define FLT_EPSILON __FLT_EPSILON__
#define FLT_DIG __FLT_DIG__
#define DBL_MAX __DBL_MAX__
#define DBL_MIN __DBL_MIN__
#define DBL_EPSILON __DBL_EPSILON__
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define HUGE_VAL __builtin_huge_val()
#define HUGE_VALF __builtin_huge_valf()
#define CUDART_INF_F __builtin_inff()
#define CUDART_NAN_F __builtin_nanf("")
#define CUDART_INF __builtin_inf()
#define CUDART_PI_F 3.141592654f
#define CUDART_PI 3.1415926535897931
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440

namespace std {
using ::size_t;
using ::ptrdiff_t;
using ::min;
using ::max;
using ::abs;
using ::acos;
using ::acosf;
using ::acosh;
using ::acoshf;
using ::asin;
using ::asinf;
using ::asinh;
using ::asinhf;
using ::atan;
using ::atan2;
using ::atan2f;
using ::atanf;
using ::atanh;
using ::atanhf;
using ::cbrt;
using ::cbrtf;
using ::ceil;
using ::ceilf;
using ::copysign;
using ::copysignf;
using ::cos;
using ::cosf;
using ::cosh;
using ::coshf;
using ::erf;
using ::erfc;
using ::erfcf;
using ::erff;
using ::exp;
using ::exp2;
using ::exp2f;
using ::expf;
using ::expm1;
using ::expm1f;
using ::fabs;
using ::fabsf;
using ::fdim;
using ::fdimf;
using ::floor;
using ::floorf;
using ::fma;
using ::fmaf;
using ::fmax;
using ::fmaxf;
using ::fmin;
using ::fminf;
using ::fmod;
using ::fmodf;
using ::frexp;
using ::frexpf;
using ::hypot;
using ::hypotf;
using ::ilogb;
using ::isfinite;
using ::isinf;
using ::isnan;
using ::isnormal;
using ::labs;
using ::ldexp;
using ::ldexpf;
using ::lgamma;
using ::lgammaf;
using ::llabs;
using ::llrint;
using ::llround;
using ::log;
using ::log10;
using ::log10f;
using ::log1p;
using ::log1pf;
using ::log2;
using ::log2f;
using ::logb;
using ::logf;
using ::lrint;
using ::lrintf;
using ::lround;
using ::lroundf;
using ::modf;
using ::modff;
using ::nan;
using ::nanf;
using ::nearbyint;
using ::nearbyintf;
using ::nextafter;
using ::nextafterf;
using ::pow;
using ::powf;
using ::remainder;
using ::remainderf;
using ::remquo;
using ::rint;
using ::rintf;
using ::round;
using ::roundf;
using ::scalbln;
using ::scalbn;
using ::signbit;
using ::sin;
using ::sinf;
using ::sinh;
using ::sinhf;
using ::sqrt;
using ::sqrtf;
using ::tan;
using ::tanf;
using ::tanh;
using ::tanhf;
using ::tgamma;
using ::tgammaf;
using ::trunc;
using ::truncf;
using ::int8_t;
using ::uint8_t;
using ::int16_t;
using ::uint16_t;
using ::int32_t;
using ::uint32_t;
using ::uintptr_t;
using ::int64_t;
using ::uint64_t;

template <class T> __host__ __device__ inline void swap(T& a, T& b) { T c = a; a = b; b = c; }
template <class T> __host__ __device__ constexpr T&& move(T& v) { return static_cast<T&&>(v); }
}

/* HIP (hip_runtime.h): its words for what CUDA has. */
#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define HIP_DYNAMIC_SHARED(type, name) extern __shared__ type name[];
#define hipLaunchKernelGGL(kernel, blocks, threads, bytes, stream, ...) kernel<<<blocks, threads, bytes, (cudaStream_t)(stream)>>>(__VA_ARGS__)
template <class T> __device__ inline T unsafeAtomicAdd(T* p, T v) { return atomicAdd(p, v); }
template <class T> __device__ inline T safeAtomicAdd(T* p, T v) { return atomicAdd(p, v); }
#define hipThreadIdx_x threadIdx.x
#define hipThreadIdx_y threadIdx.y
#define hipThreadIdx_z threadIdx.z
#define hipBlockIdx_x blockIdx.x
#define hipBlockIdx_y blockIdx.y
#define hipBlockIdx_z blockIdx.z
#define hipBlockDim_x blockDim.x
#define hipBlockDim_y blockDim.y
#define hipBlockDim_z blockDim.z
#define hipGridDim_x gridDim.x
#define hipGridDim_y gridDim.y
#define hipGridDim_z gridDim.z
typedef cudaError_t hipError_t;
typedef cudaStream_t hipStream_t;
typedef cudaEvent_t hipEvent_t;
typedef cudaDeviceProp hipDeviceProp_t;
#define hipSuccess cudaSuccess
__KCC_HOST_API(hipMalloc)
__KCC_HOST_API(hipFree)
__KCC_HOST_API(hipMemcpy)
__KCC_HOST_API(hipMemcpyAsync)
__KCC_HOST_API(hipMemset)
__KCC_HOST_API(hipDeviceSynchronize)
__KCC_HOST_API(hipGetLastError)
__KCC_HOST_API(hipGetDeviceProperties)
__KCC_HOST_API(hipSetDevice)
__KCC_HOST_API(hipEventCreate)
__KCC_HOST_API(hipEventRecord)
__KCC_HOST_API(hipEventSynchronize)
__KCC_HOST_API(hipEventElapsedTime)
__KCC_HOST_API(hipEventDestroy)
__KCC_HOST_API(hipStreamCreate)
__KCC_HOST_API(hipStreamSynchronize)
#define hipMemcpyHostToDevice cudaMemcpyHostToDevice
#define hipMemcpyDeviceToHost cudaMemcpyDeviceToHost
#define hipMemcpyDeviceToDevice cudaMemcpyDeviceToDevice

#endif
