/* Narrow floating types that no instruction of the dialect computes with: bfloat16 (cuda_bf16.h) and
   8-bit floats (cuda_fp8.h). Values are kept as bits and computed with as floats, rounded to nearest
   even, which is what cuda_bf16.h does before sm_80. */
#ifndef KCC_CUDA_BF16_H
#define KCC_CUDA_BF16_H

__KCC_HD unsigned short __kcc_to_bf16(float v) {
    unsigned int bits = __builtin_bit_cast(unsigned int, v);
    unsigned int rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
    return (unsigned short)((bits & 0x7fffffffu) > 0x7f800000u ? 0x7fffu : rounded);
}
__KCC_HD float __kcc_from_bf16(unsigned short v) { return __builtin_bit_cast(float, (unsigned int)v << 16); }

struct __align__(2) __nv_bfloat16 {
    unsigned short __x;
    __nv_bfloat16() = default;
    __KCC_MHD __nv_bfloat16(float v) : __x(__kcc_to_bf16(v)) {}
    __KCC_MHD __nv_bfloat16(double v) : __x(__kcc_to_bf16((float)v)) {}
    __KCC_MHD __nv_bfloat16(int v) : __x(__kcc_to_bf16((float)v)) {}
    __KCC_MHD __nv_bfloat16(unsigned int v) : __x(__kcc_to_bf16((float)v)) {}
    __KCC_MHD __nv_bfloat16(long v) : __x(__kcc_to_bf16((float)v)) {}
    __KCC_MHD __nv_bfloat16(unsigned long v) : __x(__kcc_to_bf16((float)v)) {}
    __KCC_MHD __nv_bfloat16(short v) : __x(__kcc_to_bf16((float)v)) {}
    __KCC_MHD operator float() const { return __kcc_from_bf16(__x); }
};
typedef __nv_bfloat16 nv_bfloat16;
struct __nv_bfloat16_raw { unsigned short x; };
struct __align__(4) __nv_bfloat162 {
    __nv_bfloat16 x, y;
    __nv_bfloat162() = default;
    __KCC_MHD constexpr __nv_bfloat162(const __nv_bfloat16& a, const __nv_bfloat16& b) : x(a), y(b) {}
};
typedef __nv_bfloat162 nv_bfloat162;

__KCC_HD __nv_bfloat16 __float2bfloat16(float v) { return __nv_bfloat16(v); }
__KCC_HD __nv_bfloat16 __float2bfloat16_rn(float v) { return __nv_bfloat16(v); }
__KCC_HD __nv_bfloat16 __double2bfloat16(double v) { return __nv_bfloat16(v); }
__KCC_HD __nv_bfloat16 __int2bfloat16_rn(int v) { return __nv_bfloat16(v); }
__KCC_HD int __bfloat162int_rn(__nv_bfloat16 v) { return (int)rintf((float)v); }
__KCC_HD float __bfloat162float(__nv_bfloat16 v) { return (float)v; }
__KCC_HD unsigned short __bfloat16_as_ushort(__nv_bfloat16 v) { return v.__x; }
__KCC_HD short __bfloat16_as_short(__nv_bfloat16 v) { return (short)v.__x; }
__KCC_HD __nv_bfloat16 __ushort_as_bfloat16(unsigned short v) { __nv_bfloat16 r; r.__x = v; return r; }
__KCC_HD __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162{a, b}; }
__KCC_HD __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162{a, b}; }
__KCC_HD __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return __nv_bfloat162{a, a}; }
__KCC_HD __nv_bfloat162 __float2bfloat162_rn(float v) { return __nv_bfloat162{v, v}; }
__KCC_HD __nv_bfloat162 __floats2bfloat162_rn(float a, float b) { return __nv_bfloat162{a, b}; }
__KCC_HD __nv_bfloat162 __float22bfloat162_rn(float2 v) { return __nv_bfloat162{v.x, v.y}; }
__KCC_HD float2 __bfloat1622float2(__nv_bfloat162 v) { return make_float2(v.x, v.y); }
__KCC_HD __nv_bfloat16 __low2bfloat16(__nv_bfloat162 v) { return v.x; }
__KCC_HD __nv_bfloat16 __high2bfloat16(__nv_bfloat162 v) { return v.y; }
__KCC_HD float __low2float(__nv_bfloat162 v) { return v.x; }
__KCC_HD float __high2float(__nv_bfloat162 v) { return v.y; }

#define __KCC_NARROW(type, name, op)                                                        \
    __KCC_HD type operator op(const type& a, const type& b) { return type((float)a op (float)b); }        \
    __KCC_HD type& operator op##=(type& a, const type& b) { return a = a op b; }                   \
    __KCC_HD type __h##name(type a, type b) { return a op b; }                              \
    __KCC_HD type##2 operator op(const type##2& a, const type##2& b) { return type##2{a.x op b.x, a.y op b.y}; } \
    __KCC_HD type##2 __h##name##2(type##2 a, type##2 b) { return a op b; }
__KCC_NARROW(__nv_bfloat16, add, +)
__KCC_NARROW(__nv_bfloat16, sub, -)
__KCC_NARROW(__nv_bfloat16, mul, *)
__KCC_NARROW(__nv_bfloat16, div, /)
#define __KCC_NARROW_COMPARE(type, name, op)                                                \
    __KCC_HD bool operator op(const type& a, const type& b) { return (float)a op (float)b; }              \
    __KCC_HD bool __h##name(type a, type b) { return a op b; }
__KCC_NARROW_COMPARE(__nv_bfloat16, lt, <)
__KCC_NARROW_COMPARE(__nv_bfloat16, le, <=)
__KCC_NARROW_COMPARE(__nv_bfloat16, gt, >)
__KCC_NARROW_COMPARE(__nv_bfloat16, ge, >=)
__KCC_NARROW_COMPARE(__nv_bfloat16, eq, ==)
__KCC_NARROW_COMPARE(__nv_bfloat16, ne, !=)
__KCC_HD __nv_bfloat16 operator-(const __nv_bfloat16& a) { return __nv_bfloat16(-(float)a); }
__KCC_HD __nv_bfloat16 __hneg(__nv_bfloat16 a) { return -a; }
__KCC_HD __nv_bfloat16 __habs(__nv_bfloat16 a) { return __nv_bfloat16(fabsf((float)a)); }
__KCC_HD __nv_bfloat16 __hmax(__nv_bfloat16 a, __nv_bfloat16 b) { return a > b ? a : b; }
__KCC_HD __nv_bfloat16 __hmin(__nv_bfloat16 a, __nv_bfloat16 b) { return a < b ? a : b; }
__KCC_HD __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) { return __nv_bfloat16(fmaf((float)a, (float)b, (float)c)); }
__KCC_HD __nv_bfloat162 __hfma2(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) { return __nv_bfloat162{__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)}; }
__KCC_HD __nv_bfloat16 hexp(__nv_bfloat16 a) { return __nv_bfloat16(expf((float)a)); }
__KCC_HD __nv_bfloat16 hlog(__nv_bfloat16 a) { return __nv_bfloat16(logf((float)a)); }
__KCC_HD __nv_bfloat16 hsqrt(__nv_bfloat16 a) { return __nv_bfloat16(sqrtf((float)a)); }
__KCC_HD __nv_bfloat16 hrsqrt(__nv_bfloat16 a) { return __nv_bfloat16(rsqrtf((float)a)); }
__KCC_HD __nv_bfloat16 htanh(__nv_bfloat16 a) { return __nv_bfloat16(tanhf((float)a)); }
#define __KCC_NARROW_MATH(type, name, f) __KCC_HD type h##name(type a) { return type(f((float)a)); }
__KCC_NARROW_MATH(__nv_bfloat16, exp2, exp2f)
__KCC_NARROW_MATH(__nv_bfloat16, log2, log2f)
__KCC_NARROW_MATH(__nv_bfloat16, sin, sinf)
__KCC_NARROW_MATH(__nv_bfloat16, cos, cosf)
__KCC_NARROW_MATH(__nv_bfloat16, rcp, 1.0f / )
__KCC_NARROW_MATH(__nv_bfloat16, floor, floorf)
__KCC_NARROW_MATH(__nv_bfloat16, ceil, ceilf)
#define __KCC_NARROW_PAIR(type, name, f) __KCC_HD type##2 name(type##2 a) { return type##2{f(a.x), f(a.y)}; }
__KCC_NARROW_PAIR(__nv_bfloat16, h2exp, hexp)
__KCC_NARROW_PAIR(__nv_bfloat16, h2exp2, hexp2)
__KCC_NARROW_PAIR(__nv_bfloat16, h2log, hlog)
__KCC_NARROW_PAIR(__nv_bfloat16, h2sqrt, hsqrt)
__KCC_NARROW_PAIR(__nv_bfloat16, h2rsqrt, hrsqrt)
__KCC_NARROW_PAIR(__nv_bfloat16, h2rcp, hrcp)
__KCC_NARROW_PAIR(__nv_bfloat16, h2tanh, htanh)
__KCC_NARROW_PAIR(__nv_bfloat16, __habs2, __habs)
__KCC_NARROW_PAIR(__nv_bfloat16, __hneg2, __hneg)
__KCC_HD __nv_bfloat162 __hmax2(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162{__hmax(a.x, b.x), __hmax(a.y, b.y)}; }
__KCC_HD __nv_bfloat162 __hmin2(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162{__hmin(a.x, b.x), __hmin(a.y, b.y)}; }
__KCC_HD __nv_bfloat162& operator+=(__nv_bfloat162& a, const __nv_bfloat162& b) { return a = a + b; }
__KCC_HD __nv_bfloat162& operator*=(__nv_bfloat162& a, const __nv_bfloat162& b) { return a = a * b; }
__KCC_HD __nv_bfloat162 __low2bfloat162(__nv_bfloat162 a) { return __nv_bfloat162{a.x, a.x}; }
__KCC_HD __nv_bfloat162 __high2bfloat162(__nv_bfloat162 a) { return __nv_bfloat162{a.y, a.y}; }
__KCC_HD __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 a) { return __nv_bfloat162{a.y, a.x}; }
__KCC_HD bool __hisnan(__nv_bfloat16 a) { return (a.__x & 0x7fffu) > 0x7f80u; }

/* Exchange of 16 bits and of pairs of them, as 32-bit words. */
#define __KCC_SHUFFLE_WORD(type, bits)                                                            \
    __KCC_D unsigned int __kcc_word(type v) { return __builtin_bit_cast(bits, v); }               \
    __KCC_D type __kcc_unword(unsigned int w, type) { return __builtin_bit_cast(type, (bits)w); } \
    __KCC_D type __shfl_sync(__kcc_lane_mask m, type v, int n, int width = warpSize) { return __kcc_unword(__shfl_sync(m, __kcc_word(v), n, width), v); } \
    __KCC_D type __shfl_xor_sync(__kcc_lane_mask m, type v, int n, int width = warpSize) { return __kcc_unword(__shfl_xor_sync(m, __kcc_word(v), n, width), v); } \
    __KCC_D type __shfl_up_sync(__kcc_lane_mask m, type v, unsigned int n, int width = warpSize) { return __kcc_unword(__shfl_up_sync(m, __kcc_word(v), n, width), v); } \
    __KCC_D type __shfl_down_sync(__kcc_lane_mask m, type v, unsigned int n, int width = warpSize) { return __kcc_unword(__shfl_down_sync(m, __kcc_word(v), n, width), v); }
__KCC_SHUFFLE_WORD(__nv_bfloat16, unsigned short)
__KCC_SHUFFLE_WORD(__nv_bfloat162, unsigned int)
__KCC_SHUFFLE_WORD(__half, unsigned short)
__KCC_SHUFFLE_WORD(__half2, unsigned int)

/* Atomic sums of narrow values: by compare-and-swap of the word they lie in. */
#define __KCC_ATOMIC_PAIR(type)                                                              \
    __KCC_D type atomicAdd(type* p, type v) {                                                \
        unsigned int* word = (unsigned int*)p;                                               \
        unsigned int seen = *word, old;                                                      \
        do {                                                                                 \
            old = seen;                                                                      \
            type sum = __builtin_bit_cast(type, old) + v;                                    \
            seen = atomicCAS(word, old, __builtin_bit_cast(unsigned int, sum));              \
        } while (seen != old);                                                               \
        return __builtin_bit_cast(type, old);                                                \
    }
__KCC_ATOMIC_PAIR(__nv_bfloat162)
__KCC_ATOMIC_PAIR(__half2)
#define __KCC_ATOMIC_NARROW(type)                                                            \
    __KCC_D type atomicAdd(type* p, type v) {                                                \
        unsigned short* word = (unsigned short*)p;                                           \
        unsigned short seen = *word, old;                                                    \
        do {                                                                                 \
            old = seen;                                                                      \
            type sum = __builtin_bit_cast(type, old) + v;                                    \
            seen = atomicCAS(word, old, __builtin_bit_cast(unsigned short, sum));            \
        } while (seen != old);                                                               \
        return __builtin_bit_cast(type, old);                                                \
    }
__KCC_ATOMIC_NARROW(__nv_bfloat16)
__KCC_ATOMIC_NARROW(__half)

/* 8-bit floats (OFP8): e4m3 without infinities, e5m2; conversions saturate (__NV_SATFINITE). */
template <int exponent, int mantissa> __KCC_HD float __kcc_from_fp8(unsigned char v) {
    constexpr int bias = (1 << (exponent - 1)) - 1;
    int e = v >> mantissa & ((1 << exponent) - 1), m = v & ((1 << mantissa) - 1);
    float sign = v & 0x80 ? -1.0f : 1.0f;
    if (exponent == 4 ? (v & 0x7f) == 0x7f : e == 31) return exponent == 5 && !m ? sign * __builtin_inff() : __builtin_nanf("");
    float value = e ? 1.0f + (float)m / (1 << mantissa) : (float)m / (1 << mantissa);
    int shift = (e ? e : 1) - bias;
    return sign * value * __builtin_bit_cast(float, (unsigned int)(shift + 127) << 23);
}
template <int exponent, int mantissa> __KCC_HD unsigned char __kcc_to_fp8(float v) {
    constexpr int bias = (1 << (exponent - 1)) - 1;
    constexpr float largest = exponent == 4 ? 448.0f : 57344.0f;
    unsigned int bits = __builtin_bit_cast(unsigned int, v);
    unsigned char sign = bits >> 24 & 0x80;
    if ((bits & 0x7fffffffu) > 0x7f800000u) return sign | 0x7f;
    float size = fminf(fabsf(v), largest);
    int shift = (int)(__builtin_bit_cast(unsigned int, size) >> 23) - 127;
    if (shift < 1 - bias) shift = 1 - bias;
    float unit = __builtin_bit_cast(float, (unsigned int)(shift - mantissa + 127) << 23);
    unsigned int steps = (unsigned int)rintf(size / unit);
    return sign | (unsigned char)(steps + ((unsigned int)(shift + bias - 1) << mantissa));
}
#define __KCC_FP8(type, exponent, mantissa)                                                          \
    struct type {                                                                                    \
        unsigned char __x;                                                                           \
        type() = default;                                                                            \
        __KCC_MHD explicit type(float v) : __x(__kcc_to_fp8<exponent, mantissa>(v)) {} \
        __KCC_MHD explicit type(double v) : __x(__kcc_to_fp8<exponent, mantissa>((float)v)) {} \
        __KCC_MHD explicit type(__half v) : __x(__kcc_to_fp8<exponent, mantissa>((float)v)) {} \
        __KCC_MHD explicit type(__nv_bfloat16 v) : __x(__kcc_to_fp8<exponent, mantissa>((float)v)) {} \
        __KCC_MHD explicit operator float() const { return __kcc_from_fp8<exponent, mantissa>(__x); } \
        __KCC_MHD explicit operator __half() const { return __half(__kcc_from_fp8<exponent, mantissa>(__x)); } \
        __KCC_MHD explicit operator __nv_bfloat16() const { return __nv_bfloat16(__kcc_from_fp8<exponent, mantissa>(__x)); } \
    };
__KCC_FP8(__nv_fp8_e4m3, 4, 3)
__KCC_FP8(__nv_fp8_e5m2, 5, 2)
typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
__KCC_HD __nv_fp8_storage_t __nv_cvt_float_to_fp8(float v, __nv_saturation_t, __nv_fp8_interpretation_t kind) {
    return kind == __NV_E4M3 ? __kcc_to_fp8<4, 3>(v) : __kcc_to_fp8<5, 2>(v);
}
__KCC_HD __nv_fp8_storage_t __nv_cvt_double_to_fp8(double v, __nv_saturation_t s, __nv_fp8_interpretation_t kind) { return __nv_cvt_float_to_fp8((float)v, s, kind); }
__KCC_HD __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw v, __nv_saturation_t s, __nv_fp8_interpretation_t kind) { return __nv_cvt_float_to_fp8((float)__half(v), s, kind); }
__KCC_HD __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw v, __nv_saturation_t s, __nv_fp8_interpretation_t kind) { return __nv_cvt_float_to_fp8(__kcc_from_bf16(v.x), s, kind); }
__KCC_HD __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 v, __nv_saturation_t s, __nv_fp8_interpretation_t kind) {
    return (__nv_fp8x2_storage_t)(__nv_cvt_float_to_fp8(v.x, s, kind) | __nv_cvt_float_to_fp8(v.y, s, kind) << 8);
}
__KCC_HD __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t v, __nv_fp8_interpretation_t kind) {
    return __half(kind == __NV_E4M3 ? __kcc_from_fp8<4, 3>(v) : __kcc_from_fp8<5, 2>(v));
}
__KCC_HD __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t v, __nv_fp8_interpretation_t kind) {
    return __half2_raw{__nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)v, kind).x, __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)(v >> 8), kind).x};
}

#define __KCC_FP8S(name, one)                                                                        \
    struct __attribute__((aligned(2))) __nv_fp8x2_##name {                                           \
        unsigned short __x;                                                                          \
        __nv_fp8x2_##name() = default;                                                               \
        __KCC_MHD explicit __nv_fp8x2_##name(float2 v) : __x(one(v.x).__x | one(v.y).__x << 8) {}    \
        __KCC_MHD explicit __nv_fp8x2_##name(__half2 v) : __nv_fp8x2_##name(__half22float2(v)) {}    \
        __KCC_MHD explicit __nv_fp8x2_##name(__nv_bfloat162 v) : __nv_fp8x2_##name(__bfloat1622float2(v)) {} \
        __KCC_MHD explicit operator float2() const {                                                 \
            return float2{__kcc_at(0), __kcc_at(1)};                                                 \
        }                                                                                            \
        __KCC_MHD explicit operator __half2() const { return __float22half2_rn((float2)*this); }     \
        __KCC_MHD float __kcc_at(int n) const { return (float)__builtin_bit_cast(one, (unsigned char)(__x >> 8 * n)); } \
    };                                                                                               \
    struct __attribute__((aligned(4))) __nv_fp8x4_##name {                                           \
        unsigned int __x;                                                                            \
        __nv_fp8x4_##name() = default;                                                               \
        __KCC_MHD explicit __nv_fp8x4_##name(float4 v)                                               \
            : __x(one(v.x).__x | one(v.y).__x << 8 | one(v.z).__x << 16 | (unsigned int)one(v.w).__x << 24) {} \
        __KCC_MHD explicit __nv_fp8x4_##name(__half2 a, __half2 b)                                   \
            : __x(__nv_fp8x2_##name(a).__x | (unsigned int)__nv_fp8x2_##name(b).__x << 16) {}        \
        __KCC_MHD explicit __nv_fp8x4_##name(__nv_bfloat162 a, __nv_bfloat162 b)                     \
            : __x(__nv_fp8x2_##name(a).__x | (unsigned int)__nv_fp8x2_##name(b).__x << 16) {}        \
        __KCC_MHD explicit operator float4() const {                                                 \
            return float4{__kcc_at(0), __kcc_at(1), __kcc_at(2), __kcc_at(3)};                       \
        }                                                                                            \
        __KCC_MHD float __kcc_at(int n) const { return (float)__builtin_bit_cast(one, (unsigned char)(__x >> 8 * n)); } \
    };
__KCC_FP8S(e4m3, __nv_fp8_e4m3)
__KCC_FP8S(e5m2, __nv_fp8_e5m2)

#endif
