/* Half precision: what arithmetic on __half and __half2 needs (cuda_fp16.h of CUDA 12). */
#ifndef KCC_CUDA_HALF_H
#define KCC_CUDA_HALF_H

struct __half_raw { unsigned short x; };
struct __half2_raw { unsigned short x, y; };
struct __half {
    _Float16 value;
    __half() = default;
    __KCC_MHD __half(_Float16 v) : value(v) {}
    __KCC_MHD __half(float v) : value((_Float16)v) {}
    __KCC_MHD __half(double v) : value((_Float16)v) {}
    __KCC_MHD __half(int v) : value((_Float16)v) {}
    __KCC_MHD __half(const __half_raw& v) : value(__builtin_bit_cast(_Float16, v.x)) {}
    __KCC_MHD operator float() const { return (float)value; }
    __KCC_MHD operator __half_raw() const { return __half_raw{__builtin_bit_cast(unsigned short, value)}; }
};
typedef __half half;
struct __align__(4) __half2 {
    __half x, y;
    __half2() = default;
    __KCC_MHD __half2(__half a, __half b) : x(a), y(b) {}
    __KCC_MHD __half2(const __half2_raw& v) : x(__half_raw{v.x}), y(__half_raw{v.y}) {}
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
/* What one instruction does with both halves is done with them as a vector. */
typedef _Float16 __kcc_halves __attribute__((ext_vector_type(2)));
__KCC_HD __kcc_halves __kcc_both(half2 a) { return __kcc_halves{a.x.value, a.y.value}; }
__KCC_HD half2 __kcc_pair(__kcc_halves v) { return half2{half((_Float16)v.x), half((_Float16)v.y)}; }
#define __KCC_HALF(name, op)                                                                       \
    __KCC_HD half operator op(const half& a, const half& b) { return half((_Float16)(a.value op b.value)); }     \
    __KCC_HD half __h##name(half a, half b) { return a op b; }                                     \
    __KCC_HD half2 operator op(const half2& a, const half2& b) { return __kcc_pair(__kcc_both(a) op __kcc_both(b)); } \
    __KCC_HD half2 __h##name##2(half2 a, half2 b) { return a op b; }
__KCC_HALF(add, +)
__KCC_HALF(sub, -)
__KCC_HALF(mul, *)
__KCC_HALF(div, /)
__KCC_HD half& operator+=(half& a, const half& b) { return a = a + b; }
__KCC_HD half& operator-=(half& a, const half& b) { return a = a - b; }
__KCC_HD half& operator*=(half& a, const half& b) { return a = a * b; }
__KCC_HD half operator-(const half& a) { return half((_Float16)-a.value); }
__KCC_HD half __hneg(half a) { return -a; }
__KCC_HD half __hfma(half a, half b, half c) { return half((_Float16)__builtin_fmaf16(a.value, b.value, c.value)); }
__KCC_HD half2 __hfma2(half2 a, half2 b, half2 c) { return __kcc_pair(__builtin_elementwise_fma(__kcc_both(a), __kcc_both(b), __kcc_both(c))); }
#define __KCC_HALF_COMPARE(name, op)                                                    \
    __KCC_HD bool operator op(const half& a, const half& b) { return a.value op b.value; }            \
    __KCC_HD bool __h##name(half a, half b) { return a.value op b.value; }
__KCC_HALF_COMPARE(lt, <)
__KCC_HALF_COMPARE(le, <=)
__KCC_HALF_COMPARE(gt, >)
__KCC_HALF_COMPARE(ge, >=)
__KCC_HALF_COMPARE(eq, ==)
__KCC_HALF_COMPARE(ne, !=)
__KCC_HD half __hmax(half a, half b) { return half((_Float16)__builtin_fmaxf16(a.value, b.value)); }
__KCC_HD half __hmin(half a, half b) { return half((_Float16)__builtin_fminf16(a.value, b.value)); }
__KCC_HD half hexp(half a) { return half(expf(a)); }
__KCC_HD half hlog(half a) { return half(logf(a)); }
__KCC_HD half hsqrt(half a) { return half(sqrtf(a)); }
__KCC_HD half hrsqrt(half a) { return half(rsqrtf(a)); }
__KCC_HD half hrcp(half a) { return half(1.0f / (float)a); }
#define __KCC_HALF_MATH(name, f) __KCC_HD half h##name(half a) { return half(f((float)a)); }
__KCC_HALF_MATH(exp2, exp2f)
__KCC_HALF_MATH(exp10, exp10f)
__KCC_HALF_MATH(log2, log2f)
__KCC_HALF_MATH(log10, log10f)
__KCC_HALF_MATH(sin, sinf)
__KCC_HALF_MATH(cos, cosf)
__KCC_HALF_MATH(tanh, tanhf)
__KCC_HALF_MATH(floor, floorf)
__KCC_HALF_MATH(ceil, ceilf)
__KCC_HALF_MATH(trunc, truncf)
__KCC_HALF_MATH(rint, rintf)
#define __KCC_HALF_PAIR(name, f) __KCC_HD half2 name(half2 a) { return half2{f(a.x), f(a.y)}; }
__KCC_HALF_PAIR(h2exp, hexp)
__KCC_HALF_PAIR(h2exp2, hexp2)
__KCC_HALF_PAIR(h2exp10, hexp10)
__KCC_HALF_PAIR(h2log, hlog)
__KCC_HALF_PAIR(h2log2, hlog2)
__KCC_HALF_PAIR(h2log10, hlog10)
__KCC_HALF_PAIR(h2sqrt, hsqrt)
__KCC_HALF_PAIR(h2rsqrt, hrsqrt)
__KCC_HALF_PAIR(h2rcp, hrcp)
__KCC_HALF_PAIR(h2sin, hsin)
__KCC_HALF_PAIR(h2cos, hcos)
__KCC_HALF_PAIR(h2tanh, htanh)
__KCC_HD __half htanh_approx(__half a) { return htanh(a); }
__KCC_HALF_PAIR(h2tanh_approx, htanh_approx)
__KCC_HALF_PAIR(h2floor, hfloor)
__KCC_HALF_PAIR(h2ceil, hceil)
__KCC_HALF_PAIR(h2trunc, htrunc)
__KCC_HALF_PAIR(h2rint, hrint)
__KCC_HD half __habs(half a) { return half((_Float16)__builtin_fabsf16(a.value)); }
__KCC_HALF_PAIR(__habs2, __habs)
__KCC_HALF_PAIR(__hneg2, __hneg)
__KCC_HALF_PAIR(operator-, __hneg)
__KCC_HD bool __hisnan(half a) { return a.value != a.value; }
__KCC_HD int __hisinf(half a) { return __builtin_isinf((float)a) ? (a.value < 0 ? -1 : 1) : 0; }
__KCC_HD half __hadd_rn(half a, half b) { return a + b; }
__KCC_HD half __hmul_rn(half a, half b) { return a * b; }
__KCC_HD half __hsat(half a) { return half(__saturatef((float)a)); }
__KCC_HD half __hadd_sat(half a, half b) { return __hsat(a + b); }
__KCC_HD half __hsub_sat(half a, half b) { return __hsat(a - b); }
__KCC_HD half __hmul_sat(half a, half b) { return __hsat(a * b); }
__KCC_HD half __hfma_sat(half a, half b, half c) { return __hsat(__hfma(a, b, c)); }
__KCC_HD half __hfma_relu(half a, half b, half c) { return __hmax(__hfma(a, b, c), half(0.0f)); }
__KCC_HD half2 __hmax2(half2 a, half2 b) { return __kcc_pair(__builtin_elementwise_max(__kcc_both(a), __kcc_both(b))); }
__KCC_HD half2 __hmin2(half2 a, half2 b) { return __kcc_pair(__builtin_elementwise_min(__kcc_both(a), __kcc_both(b))); }
__KCC_HD half2 __h2div(half2 a, half2 b) { return a / b; }
__KCC_HD half2 __hcmadd(half2 a, half2 b, half2 c) {
    return half2{a.x * b.x - a.y * b.y + c.x, a.x * b.y + a.y * b.x + c.y};
}
__KCC_HD half2& operator+=(half2& a, const half2& b) { return a = a + b; }
__KCC_HD half2& operator-=(half2& a, const half2& b) { return a = a - b; }
__KCC_HD half2& operator*=(half2& a, const half2& b) { return a = a * b; }
__KCC_HD half2& operator/=(half2& a, const half2& b) { return a = a / b; }
__KCC_HD half& operator/=(half& a, const half& b) { return a = a / b; }
#define __KCC_HALF2_COMPARE(name)                                                                   \
    __KCC_HD half2 __h##name##2(half2 a, half2 b) { return half2{half(__h##name(a.x, b.x) ? 1.0f : 0.0f), half(__h##name(a.y, b.y) ? 1.0f : 0.0f)}; } \
    __KCC_HD bool __hb##name##2(half2 a, half2 b) { return __h##name(a.x, b.x) && __h##name(a.y, b.y); } \
    __KCC_HD unsigned int __h##name##2_mask(half2 a, half2 b) { return (__h##name(a.x, b.x) ? 0xffffu : 0) | (__h##name(a.y, b.y) ? 0xffff0000u : 0); }
__KCC_HALF2_COMPARE(lt)
__KCC_HALF2_COMPARE(le)
__KCC_HALF2_COMPARE(gt)
__KCC_HALF2_COMPARE(ge)
__KCC_HALF2_COMPARE(eq)
__KCC_HALF2_COMPARE(ne)
#define __KCC_HALF_INTEGER(name, type)                                                              \
    __KCC_HD half __##name##2half_rn(type v) { return half((float)v); }                             \
    __KCC_HD half __##name##2half_rz(type v) { return half((float)v); }                             \
    __KCC_HD type __half2##name##_rz(half v) { return (type)truncf((float)v); }                     \
    __KCC_HD type __half2##name##_rd(half v) { return (type)floorf((float)v); }                     \
    __KCC_HD type __half2##name##_ru(half v) { return (type)ceilf((float)v); }
__KCC_HALF_INTEGER(uint, unsigned int)
__KCC_HALF_INTEGER(short, short)
__KCC_HALF_INTEGER(ushort, unsigned short)
__KCC_HALF_INTEGER(ll, long long)
__KCC_HALF_INTEGER(ull, unsigned long long)
__KCC_HD int __half2int_rz(half v) { return (int)(float)v; }
__KCC_HD int __half2int_rd(half v) { return (int)floorf((float)v); }
__KCC_HD int __half2int_ru(half v) { return (int)ceilf((float)v); }
__KCC_HD unsigned int __half2uint_rn(half v) { return (unsigned int)rintf((float)v); }
__KCC_HD short __half2short_rn(half v) { return (short)rintf((float)v); }
__KCC_HD unsigned short __half2ushort_rn(half v) { return (unsigned short)rintf((float)v); }
__KCC_HD half __double2half(double v) { return half(v); }
__KCC_HD half __float2half_rz(float v) { return half(v); }
__KCC_HD half __float2half_ru(float v) { return half(v); }
__KCC_HD half __float2half_rd(float v) { return half(v); }
__KCC_HD short __half_as_short(half a) { return __builtin_bit_cast(short, a); }
__KCC_HD unsigned short __half_as_ushort(half a) { return __builtin_bit_cast(unsigned short, a); }
__KCC_HD half __short_as_half(short a) { return __builtin_bit_cast(half, a); }
__KCC_HD half __ushort_as_half(unsigned short a) { return __builtin_bit_cast(half, a); }
__KCC_HD half2 __lowhigh2highlow(half2 a) { return half2{a.y, a.x}; }
__KCC_HD half2 __lows2half2(half2 a, half2 b) { return half2{a.x, b.x}; }
__KCC_HD half2 __highs2half2(half2 a, half2 b) { return half2{a.y, b.y}; }
__KCC_HD half2 __low2half2(half2 a) { return half2{a.x, a.x}; }
__KCC_HD half2 __high2half2(half2 a) { return half2{a.y, a.y}; }

#endif
