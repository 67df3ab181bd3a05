/* Warp matrix functions (mma.h): the wmma instructions of PTX, which kcc's reader of PTX takes in. */
#ifndef KCC_CUDA_WMMA_H
#define KCC_CUDA_WMMA_H

namespace nvcuda { namespace wmma {
struct row_major {};
struct col_major {};
struct matrix_a {};
struct matrix_b {};
struct accumulator {};
namespace precision { struct tf32 {}; }
namespace experimental {
namespace precision { struct u4 {}; struct s4 {}; struct b1 {}; }
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
}
using experimental::bmmaBitOp;
using experimental::bmmaAccumulateOp;
enum layout_t { mem_row_major, mem_col_major };

/* Elements as they are kept: E in storage, so many, of which each holds `packed`; R is a register's type. */
template <class E, class R, int count, int packed = 1> struct __kcc_fragment {
    static constexpr int num_elements = count * packed, num_storage_elements = count;
    typedef E storage_element_type;
    typedef R __kcc_register;
    union { E x[count]; R __registers[count * sizeof(E) / sizeof(R)]; };
    __host__ __device__ __kcc_fragment() {}
};
template <class Use, int m, int n, int k, class T, class Layout = void> struct fragment;

#define __KCC_LIST1(o) "{%[" #o "0]}"
#define __KCC_LIST2(o) "{%[" #o "0],%[" #o "1]}"
#define __KCC_LIST4(o) "{%[" #o "0],%[" #o "1],%[" #o "2],%[" #o "3]}"
#define __KCC_LIST8(o) "{%[" #o "0],%[" #o "1],%[" #o "2],%[" #o "3],%[" #o "4],%[" #o "5],%[" #o "6],%[" #o "7]}"
#define __KCC_USE1(c, o, f) [o##0] c(f.__registers[0])
#define __KCC_USE2(c, o, f) __KCC_USE1(c, o, f), [o##1] c(f.__registers[1])
#define __KCC_USE4(c, o, f) __KCC_USE2(c, o, f), [o##2] c(f.__registers[2]), [o##3] c(f.__registers[3])
#define __KCC_USE8(c, o, f) __KCC_USE4(c, o, f), [o##4] c(f.__registers[4]), [o##5] c(f.__registers[5]), [o##6] c(f.__registers[6]), [o##7] c(f.__registers[7])

#define __KCC_OPERAND(use, letter, m, n, k, T, S, layout, word, type, registers, R, elements, packed)      \
    template <> struct fragment<use, m, n, k, T, layout> : __kcc_fragment<S, R, elements, packed> {};      \
    __KCC_D void load_matrix_sync(fragment<use, m, n, k, T, layout>& f, const S* p, unsigned ldm) {       \
        if (sizeof(S) == 2 && __kcc_is_shared(p)) __KCC_OPERAND_LOAD(letter, m, n, k, word, ".shared", type, registers) \
        else __KCC_OPERAND_LOAD(letter, m, n, k, word, "", type, registers)                                \
    }
#define __KCC_OPERAND_LOAD(letter, m, n, k, word, space, type, registers)                                  \
    asm volatile("wmma.load." letter ".sync.aligned." word ".m" #m "n" #n "k" #k space "." type " "        \
        __KCC_LIST##registers(d) ", [%[p]], %[ldm];"                                                       \
        : __KCC_USE##registers("=r", d, f) : [p] "r"(p), [ldm] "r"(ldm));
#define __KCC_SUM(m, n, k, T, type, registers, R, elements)                                                \
    template <> struct fragment<accumulator, m, n, k, T> : __kcc_fragment<T, R, elements> {};              \
    __KCC_D void load_matrix_sync(fragment<accumulator, m, n, k, T>& f, const T* p, unsigned ldm, layout_t layout) { \
        if (layout == mem_row_major) __KCC_SUM_LOAD("row", m, n, k, type, registers)                       \
        else __KCC_SUM_LOAD("col", m, n, k, type, registers)                                               \
    }                                                                                                      \
    __KCC_D void store_matrix_sync(T* p, const fragment<accumulator, m, n, k, T>& f, unsigned ldm, layout_t layout) { \
        if (layout == mem_row_major) __KCC_SUM_STORE("row", m, n, k, type, registers)                      \
        else __KCC_SUM_STORE("col", m, n, k, type, registers)                                              \
    }
#define __KCC_SUM_LOAD(word, m, n, k, type, registers)                                                     \
    asm volatile("wmma.load.c.sync.aligned." word ".m" #m "n" #n "k" #k "." type " "                       \
        __KCC_LIST##registers(d) ", [%[p]], %[ldm];"                                                       \
        : __KCC_USE##registers("=r", d, f) : [p] "r"(p), [ldm] "r"(ldm));
#define __KCC_SUM_STORE(word, m, n, k, type, registers)                                                    \
    asm volatile("wmma.store.d.sync.aligned." word ".m" #m "n" #n "k" #k "." type " [%[p]], "              \
        __KCC_LIST##registers(d) ", %[ldm];"                                                               \
        :: __KCC_USE##registers("r", d, f), [p] "r"(p), [ldm] "r"(ldm) : "memory");
/* The layouts of A and B change nothing of a product: fragments have one order. */
#define __KCC_PRODUCT(name, more, pass, op, m, n, k, T, D, C, words, ra, rb, rd, rc)                       \
    template <class LA, class LB> __KCC_D void name(fragment<accumulator, m, n, k, D>& d,                 \
            const fragment<matrix_a, m, n, k, T, LA>& a, const fragment<matrix_b, m, n, k, T, LB>& b,      \
            const fragment<accumulator, m, n, k, C>& c __KCC_EXPAND more) {                                \
        if (pass) asm volatile("wmma.mma" op ".sync.aligned.row.col.m" #m "n" #n "k" #k "." words __KCC_SATURATED " " \
            __KCC_LIST##rd(d) ", " __KCC_LIST##ra(a) ", " __KCC_LIST##rb(b) ", " __KCC_LIST##rc(c) ";"     \
            : __KCC_USE##rd("=r", d, d)                                                                    \
            : __KCC_USE##ra("r", a, a), __KCC_USE##rb("r", b, b), __KCC_USE##rc("r", c, c));               \
        else asm volatile("wmma.mma" __KCC_OTHER ".sync.aligned.row.col.m" #m "n" #n "k" #k "." words " "  \
            __KCC_LIST##rd(d) ", " __KCC_LIST##ra(a) ", " __KCC_LIST##rb(b) ", " __KCC_LIST##rc(c) ";"     \
            : __KCC_USE##rd("=r", d, d)                                                                    \
            : __KCC_USE##ra("r", a, a), __KCC_USE##rb("r", b, b), __KCC_USE##rc("r", c, c));               \
    }
#define __KCC_BOTH(m, n, k, T, S, type, ra, ea, rb, eb, R)                                                 \
    __KCC_OPERAND(matrix_a, "a", m, n, k, T, S, row_major, "row", type, ra, R, ea, 1)                      \
    __KCC_OPERAND(matrix_a, "a", m, n, k, T, S, col_major, "col", type, ra, R, ea, 1)                      \
    __KCC_OPERAND(matrix_b, "b", m, n, k, T, S, row_major, "row", type, rb, R, eb, 1)                      \
    __KCC_OPERAND(matrix_b, "b", m, n, k, T, S, col_major, "col", type, rb, R, eb, 1)

#define __KCC_SATURATED
#define __KCC_OTHER ""
#define __KCC_LARGE(m, n, ra, ea, rb, eb)                                                                  \
    __KCC_BOTH(m, n, 16, __half, __half, "f16", 8, 16, 8, 16, unsigned int)                                \
    __KCC_BOTH(m, n, 16, __nv_bfloat16, __nv_bfloat16, "bf16", ra, ea, rb, eb, unsigned int)               \
    __KCC_SUM(m, n, 16, __half, "f16", 4, unsigned int, 8)                                                 \
    __KCC_SUM(m, n, 16, float, "f32", 8, float, 8)                                                         \
    __KCC_SUM(m, n, 16, int, "s32", 8, int, 8)                                                             \
    __KCC_PRODUCT(mma_sync, (), true, "", m, n, 16, __half, float, float, "f32.f32", 8, 8, 8, 8)           \
    __KCC_PRODUCT(mma_sync, (), true, "", m, n, 16, __half, __half, __half, "f16.f16", 8, 8, 4, 4)         \
    __KCC_PRODUCT(mma_sync, (), true, "", m, n, 16, __nv_bfloat16, float, float, "f32.bf16.bf16.f32", ra, rb, 8, 8)
__KCC_LARGE(16, 16, 4, 8, 4, 8)
__KCC_LARGE(32, 8, 8, 16, 2, 4)
__KCC_LARGE(8, 32, 2, 4, 8, 16)
__KCC_BOTH(16, 16, 8, precision::tf32, float, "tf32", 4, 4, 4, 4, float)
__KCC_SUM(16, 16, 8, float, "f32", 8, float, 8)
__KCC_PRODUCT(mma_sync, (), true, "", 16, 16, 8, precision::tf32, float, float, "f32.tf32.tf32.f32", 4, 4, 8, 8)
__KCC_BOTH(8, 8, 4, double, double, "f64", 1, 1, 1, 1, double)
__KCC_SUM(8, 8, 4, double, "f64", 2, double, 2)
__KCC_PRODUCT(mma_sync, (), true, "", 8, 8, 4, double, double, double, "f64.f64.f64.f64", 1, 1, 2, 2)
#undef __KCC_SATURATED
#define __KCC_SATURATED ".satfinite"
#define __KCC_BYTES(m, n, ra, ea, rb, eb)                                                                  \
    __KCC_BOTH(m, n, 16, signed char, signed char, "s8", ra, ea, rb, eb, unsigned int)                     \
    __KCC_BOTH(m, n, 16, unsigned char, unsigned char, "u8", ra, ea, rb, eb, unsigned int)                 \
    __KCC_PRODUCT(mma_sync, (, bool satf = false), satf, "", m, n, 16, signed char, int, int, "s32.s8.s8.s32", ra, rb, 8, 8) \
    __KCC_PRODUCT(mma_sync, (, bool satf = false), satf, "", m, n, 16, unsigned char, int, int, "s32.u8.u8.s32", ra, rb, 8, 8)
__KCC_BYTES(16, 16, 2, 8, 2, 8)
__KCC_BYTES(32, 8, 4, 16, 1, 4)
__KCC_BYTES(8, 32, 1, 4, 4, 16)
#define __KCC_SMALL(k, T, S, type, packed)                                                                 \
    __KCC_OPERAND(matrix_a, "a", 8, 8, k, T, S, row_major, "row", type, 1, S, 1, packed)                   \
    __KCC_OPERAND(matrix_b, "b", 8, 8, k, T, S, col_major, "col", type, 1, S, 1, packed)
__KCC_SMALL(32, experimental::precision::s4, int, "s4", 8)
__KCC_SMALL(32, experimental::precision::u4, unsigned int, "u4", 8)
__KCC_SMALL(128, experimental::precision::b1, unsigned int, "b1", 32)
__KCC_SUM(8, 8, 32, int, "s32", 2, int, 2)
__KCC_SUM(8, 8, 128, int, "s32", 2, int, 2)
__KCC_PRODUCT(mma_sync, (, bool satf = false), satf, "", 8, 8, 32, experimental::precision::s4, int, int, "s32.s4.s4.s32", 1, 1, 2, 2)
__KCC_PRODUCT(mma_sync, (, bool satf = false), satf, "", 8, 8, 32, experimental::precision::u4, int, int, "s32.u4.u4.s32", 1, 1, 2, 2)
#undef __KCC_SATURATED
#undef __KCC_OTHER
#define __KCC_SATURATED
#define __KCC_OTHER ".and.popc"
__KCC_PRODUCT(bmma_sync, (, experimental::bmmaBitOp op = experimental::bmmaBitOpXOR, experimental::bmmaAccumulateOp = experimental::bmmaAccumulateOpPOPC),
    op == experimental::bmmaBitOpXOR, ".xor.popc", 8, 8, 128, experimental::precision::b1, int, int, "s32.b1.b1.s32", 1, 1, 2, 2)

/* Sums of one precision into another: elements of both stand in one order. */
#define __KCC_MIXED(D, C)                                                                                  \
    template <int m, int n, class LA, class LB> __KCC_D void mma_sync(fragment<accumulator, m, n, 16, D>& d, \
            const fragment<matrix_a, m, n, 16, __half, LA>& a, const fragment<matrix_b, m, n, 16, __half, LB>& b, \
            const fragment<accumulator, m, n, 16, C>& c) {                                                 \
        fragment<accumulator, m, n, 16, float> sum;                                                        \
        for (int i = 0; i < 8; i++) sum.x[i] = (float)c.x[i];                                              \
        mma_sync(sum, a, b, sum);                                                                          \
        for (int i = 0; i < 8; i++) d.x[i] = (D)sum.x[i];                                                  \
    }
__KCC_MIXED(float, __half)
__KCC_MIXED(__half, float)

/* A word of a type that a register packs is filled with copies of the value. */
template <class Use, int m, int n, int k, class T, class L, class V>
__KCC_D void fill_fragment(fragment<Use, m, n, k, T, L>& f, V value) {
    typedef typename fragment<Use, m, n, k, T, L>::storage_element_type E;
    E v = (E)value;
    constexpr int packed = fragment<Use, m, n, k, T, L>::num_elements / fragment<Use, m, n, k, T, L>::num_storage_elements;
    if constexpr (packed == 8) v = (E)(((unsigned)value & 15u) * 0x11111111u);
    if constexpr (packed == 32) v = (E)((unsigned)value & 1u ? ~0u : 0u);
    for (int i = 0; i < f.num_storage_elements; i++) f.x[i] = v;
}
/* To nearest, ties away from zero, as cvt.rna.tf32.f32. */
__KCC_D float __float_to_tf32(float v) {
    unsigned int bits = __builtin_bit_cast(unsigned int, v);
    if ((bits & 0x7f800000u) != 0x7f800000u) bits += 0x1000u;
    return __builtin_bit_cast(float, bits & 0xffffe000u);
}
} }

#endif
