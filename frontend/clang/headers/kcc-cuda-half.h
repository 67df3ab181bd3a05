/* Half precision: what arithmetic on __half and __half2 needs (cuda_fp16.h of CUDA 12). */
#ifndef KCC_CUDA_HALF_H
#define KCC_CUDA_HALF_H

struct __half {
    _Float16 value;
    __half() = default;
    __host__ __device__ __forceinline__ __half(_Float16 v) : value(v) {}
    __host__ __device__ __forceinline__ __half(float v) : value((_Float16)v) {}
    __host__ __device__ __forceinline__ __half(double v) : value((_Float16)v) {}
    __host__ __device__ __forceinline__ __half(int v) : value((_Float16)v) {}
    __host__ __device__ __forceinline__ operator float() const { return (float)value; }
};
typedef __half half;
struct __align__(4) __half2 {
    __half x, y;
    __half2() = default;
    __host__ __device__ __forceinline__ __half2(__half a, __half b) : x(a), y(b) {}
};
typedef __half2 half2;

__KCC_HD half __float2half(float v) { return half(v); }
__KCC_HD half __float2half_rn(float v) { return half(v); }
__KCC_HD float __half2float(half v) { return (float)v.value; }
__KCC_HD half __int2half_rn(int v) { return half(v); }
__KCC_HD int __half2int_rn(half v) { return (int)rintf((float)v.value); }
__KCC_HD half2 make_half2(half a, half b) { return half2{a, b}; }
__KCC_HD half2 __halves2half2(half a, half b) { return half2{a, b}; }
__KCC_HD half2 __half2half2(half a) { return half2{a, a}; }
__KCC_HD half2 __float2half2_rn(float v) { return half2{half(v), half(v)}; }
__KCC_HD half2 __floats2half2_rn(float a, float b) { return half2{half(a), half(b)}; }
__KCC_HD float2 __half22float2(half2 v) { return make_float2(v.x, v.y); }
__KCC_HD half2 __float22half2_rn(float2 v) { return half2{half(v.x), half(v.y)}; }
__KCC_HD half __low2half(half2 v) { return v.x; }
__KCC_HD half __high2half(half2 v) { return v.y; }
__KCC_HD float __low2float(half2 v) { return v.x; }
__KCC_HD float __high2float(half2 v) { return v.y; }
#define __KCC_HALF(name, op)                                                                       \
    __KCC_HD half operator op(half a, half b) { return half((_Float16)(a.value op b.value)); }     \
    __KCC_HD half __h##name(half a, half b) { return a op b; }                                     \
    __KCC_HD half2 operator op(half2 a, half2 b) { return half2{a.x op b.x, a.y op b.y}; }         \
    __KCC_HD half2 __h##name##2(half2 a, half2 b) { return a op b; }
__KCC_HALF(add, +)
__KCC_HALF(sub, -)
__KCC_HALF(mul, *)
__KCC_HALF(div, /)
__KCC_HD half& operator+=(half& a, half b) { return a = a + b; }
__KCC_HD half& operator-=(half& a, half b) { return a = a - b; }
__KCC_HD half& operator*=(half& a, half b) { return a = a * b; }
__KCC_HD half operator-(half a) { return half((_Float16)-a.value); }
__KCC_HD half __hneg(half a) { return -a; }
__KCC_HD half __hfma(half a, half b, half c) { return half((_Float16)__builtin_fmaf16(a.value, b.value, c.value)); }
__KCC_HD half2 __hfma2(half2 a, half2 b, half2 c) { return half2{__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)}; }
#define __KCC_HALF_COMPARE(name, op)                                                    \
    __KCC_HD bool operator op(half a, half b) { return a.value op b.value; }            \
    __KCC_HD bool __h##name(half a, half b) { return a.value op b.value; }
__KCC_HALF_COMPARE(lt, <)
__KCC_HALF_COMPARE(le, <=)
__KCC_HALF_COMPARE(gt, >)
__KCC_HALF_COMPARE(ge, >=)
__KCC_HALF_COMPARE(eq, ==)
__KCC_HALF_COMPARE(ne, !=)
__KCC_HD half __hmax(half a, half b) { return a > b ? a : b; }
__KCC_HD half __hmin(half a, half b) { return a < b ? a : b; }
__KCC_HD half hexp(half a) { return half(expf(a)); }
__KCC_HD half hlog(half a) { return half(logf(a)); }
__KCC_HD half hsqrt(half a) { return half(sqrtf(a)); }
__KCC_HD half hrsqrt(half a) { return half(rsqrtf(a)); }
__KCC_HD half hrcp(half a) { return half(1.0f / (float)a); }

#endif
