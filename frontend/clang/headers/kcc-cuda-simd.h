/* Packed integers (CUDA math API, "SIMD intrinsics"): four bytes or two halves of a word, one by one.
   Suffixes are those of the API: u and s say how lanes are read, us and ss that results saturate. */
#ifndef KCC_CUDA_SIMD_H
#define KCC_CUDA_SIMD_H

template <int bits, bool sign> __KCC_HD int __kcc_part(unsigned int v, int n) {
    unsigned int part = v >> n * bits & ((1u << bits) - 1);
    return sign ? (int)(part << (32 - bits)) >> (32 - bits) : (int)part;
}
template <int bits, bool sign, class F> __KCC_HD unsigned int __kcc_parts(unsigned int a, unsigned int b, F f) {
    unsigned int r = 0;
    for (int n = 0; n < 32 / bits; n++)
        r |= ((unsigned int)f(__kcc_part<bits, sign>(a, n), __kcc_part<bits, sign>(b, n)) & ((1u << bits) - 1)) << n * bits;
    return r;
}
template <int bits, bool sign> __KCC_HD int __kcc_clamped(int v) {
    int high = (1 << (bits - sign)) - 1, low = sign ? -high - 1 : 0;
    return v < low ? low : v > high ? high : v;
}
#define __KCC_PARTS(name, bits, sign, expression)                                             \
    __KCC_HD unsigned int name(unsigned int x, unsigned int y) {                              \
        return __kcc_parts<bits, sign>(x, y, [](int a, int b) { return expression; });         \
    }
#define __KCC_PARTS1(name, bits, expression)                                                  \
    __KCC_HD unsigned int name(unsigned int x) {                                              \
        return __kcc_parts<bits, true>(x, 0, [](int a, int) { return expression; });           \
    }
#define __KCC_COMPARED(word, op, n, bits)                                                     \
    __KCC_PARTS(__vcmp##word##n, bits, true, a op b ? -1 : 0)                                  \
    __KCC_PARTS(__vset##word##n, bits, true, a op b)
#define __KCC_ORDERED(word, op, n, bits)                                                      \
    __KCC_COMPARED(word##s, op, n, bits)                                                      \
    __KCC_PARTS(__vcmp##word##u##n, bits, false, a op b ? -1 : 0)                              \
    __KCC_PARTS(__vset##word##u##n, bits, false, a op b)
#define __KCC_WIDTH(n, bits)                                                                  \
    __KCC_PARTS(__vadd##n, bits, false, a + b)                                                \
    __KCC_PARTS(__vsub##n, bits, false, a - b)                                                \
    __KCC_PARTS(__vaddus##n, bits, false, (__kcc_clamped<bits, false>(a + b)))                 \
    __KCC_PARTS(__vaddss##n, bits, true, (__kcc_clamped<bits, true>(a + b)))                   \
    __KCC_PARTS(__vsubus##n, bits, false, (__kcc_clamped<bits, false>(a - b)))                 \
    __KCC_PARTS(__vsubss##n, bits, true, (__kcc_clamped<bits, true>(a - b)))                   \
    __KCC_PARTS(__vavgu##n, bits, false, (a + b + 1) >> 1)                                     \
    __KCC_PARTS(__vavgs##n, bits, true, (a + b + (a + b >= 0)) >> 1)                           \
    __KCC_PARTS(__vhaddu##n, bits, false, (a + b) >> 1)                                        \
    __KCC_PARTS(__vmaxu##n, bits, false, a > b ? a : b)                                        \
    __KCC_PARTS(__vmaxs##n, bits, true, a > b ? a : b)                                         \
    __KCC_PARTS(__vminu##n, bits, false, a < b ? a : b)                                        \
    __KCC_PARTS(__vmins##n, bits, true, a < b ? a : b)                                         \
    __KCC_PARTS(__vabsdiffu##n, bits, false, a > b ? a - b : b - a)                            \
    __KCC_PARTS(__vabsdiffs##n, bits, true, a > b ? a - b : b - a)                             \
    __KCC_PARTS1(__vabs##n, bits, a < 0 ? -a : a)                                              \
    __KCC_PARTS1(__vabsss##n, bits, (__kcc_clamped<bits, true>(a < 0 ? -a : a)))               \
    __KCC_PARTS1(__vneg##n, bits, -a)                                                          \
    __KCC_PARTS1(__vnegss##n, bits, (__kcc_clamped<bits, true>(-a)))                           \
    __KCC_COMPARED(eq, ==, n, bits)                                                            \
    __KCC_COMPARED(ne, !=, n, bits)                                                            \
    __KCC_ORDERED(lt, <, n, bits)                                                              \
    __KCC_ORDERED(le, <=, n, bits)                                                             \
    __KCC_ORDERED(gt, >, n, bits)                                                              \
    __KCC_ORDERED(ge, >=, n, bits)                                                             \
    __KCC_HD unsigned int __vsadu##n(unsigned int x, unsigned int y) {                         \
        unsigned int total = 0, d = __vabsdiffu##n(x, y);                                      \
        for (int i = 0; i < n; i++) total += __kcc_part<bits, false>(d, i);                    \
        return total;                                                                          \
    }                                                                                          \
    __KCC_HD unsigned int __vsads##n(unsigned int x, unsigned int y) {                         \
        unsigned int total = 0, d = __vabsdiffs##n(x, y);                                      \
        for (int i = 0; i < n; i++) total += __kcc_part<bits, false>(d, i);                    \
        return total;                                                                          \
    }
__KCC_WIDTH(2, 16)
__KCC_WIDTH(4, 8)

/* Dot products of bytes: the primitives that cl_khr_integer_dot_product has. */
__KCC_BUILTIN(int, __kcc_dot4, "_Z20dot_4x8packed_ss_intjj", (unsigned int, unsigned int))
__KCC_BUILTIN(unsigned int, __kcc_udot4, "_Z21dot_4x8packed_uu_uintjj", (unsigned int, unsigned int))
template <bool sign> __KCC_HD int __kcc_dot2(unsigned int a, unsigned int b, int c, int first) {
    for (int n = 0; n < 2; n++) c += __kcc_part<16, sign>(a, n) * __kcc_part<8, sign>(b, n + first);
    return c;
}
__KCC_HD int __dp4a(int a, int b, int c) { return __kcc_dot4(a, b) + c; }
__KCC_HD unsigned int __dp4a(unsigned int a, unsigned int b, unsigned int c) { return __kcc_udot4(a, b) + c; }
__KCC_HD int __dp2a_lo(int a, int b, int c) { return __kcc_dot2<true>(a, b, c, 0); }
__KCC_HD unsigned int __dp2a_lo(unsigned int a, unsigned int b, unsigned int c) { return __kcc_dot2<false>(a, b, c, 0); }
__KCC_HD int __dp2a_hi(int a, int b, int c) { return __kcc_dot2<true>(a, b, c, 2); }
__KCC_HD unsigned int __dp2a_hi(unsigned int a, unsigned int b, unsigned int c) { return __kcc_dot2<false>(a, b, c, 2); }

#endif
