/* Dynamic programming (CUDA C++ Programming Guide, "DPX"): sums and extremes of up to three numbers
   in words or in both halves of one, with relu at least zero; __vib... say which of two it was. */
#ifndef KCC_CUDA_DPX_H
#define KCC_CUDA_DPX_H

__KCC_HD int __kcc_max_s32(int a, int b) { return a > b ? a : b; }
__KCC_HD int __kcc_min_s32(int a, int b) { return a < b ? a : b; }
__KCC_HD unsigned int __kcc_max_u32(unsigned int a, unsigned int b) { return a > b ? a : b; }
__KCC_HD unsigned int __kcc_min_u32(unsigned int a, unsigned int b) { return a < b ? a : b; }
__KCC_HD int __kcc_add_s32(int a, int b) { return (int)((unsigned int)a + (unsigned int)b); }
__KCC_HD unsigned int __kcc_add_u32(unsigned int a, unsigned int b) { return a + b; }

#define __KCC_DPX_ALL(T, kind, add, max, min)                                                 \
    __KCC_HD T __vimax3_##kind(T a, T b, T c) { return max(max(a, b), c); }                   \
    __KCC_HD T __vimin3_##kind(T a, T b, T c) { return min(min(a, b), c); }                   \
    __KCC_HD T __viaddmax_##kind(T a, T b, T c) { return max(add(a, b), c); }                 \
    __KCC_HD T __viaddmin_##kind(T a, T b, T c) { return min(add(a, b), c); }
#define __KCC_DPX_SIGNED(T, kind, add, max, min)                                              \
    __KCC_DPX_ALL(T, kind, add, max, min)                                                     \
    __KCC_HD T __vimax_##kind##_relu(T a, T b) { return max(max(a, b), 0); }                  \
    __KCC_HD T __vimin_##kind##_relu(T a, T b) { return max(min(a, b), 0); }                  \
    __KCC_HD T __vimax3_##kind##_relu(T a, T b, T c) { return max(max(max(a, b), c), 0); }    \
    __KCC_HD T __vimin3_##kind##_relu(T a, T b, T c) { return max(min(min(a, b), c), 0); }    \
    __KCC_HD T __viaddmax_##kind##_relu(T a, T b, T c) { return max(max(add(a, b), c), 0); }  \
    __KCC_HD T __viaddmin_##kind##_relu(T a, T b, T c) { return max(min(add(a, b), c), 0); }
__KCC_DPX_SIGNED(int, s32, __kcc_add_s32, __kcc_max_s32, __kcc_min_s32)
__KCC_DPX_ALL(unsigned int, u32, __kcc_add_u32, __kcc_max_u32, __kcc_min_u32)
__KCC_DPX_SIGNED(unsigned int, s16x2, __vadd2, __vmaxs2, __vmins2)
__KCC_DPX_ALL(unsigned int, u16x2, __vadd2, __vmaxu2, __vminu2)

#define __KCC_DPX_WHICH(T, kind, op, relation)                                                \
    __KCC_HD T __vib##op##_##kind(T a, T b, bool *first) {                                    \
        *first = a relation b;                                                                \
        return *first ? a : b;                                                                \
    }
__KCC_DPX_WHICH(int, s32, max, >=)
__KCC_DPX_WHICH(int, s32, min, <=)
__KCC_DPX_WHICH(unsigned int, u32, max, >=)
__KCC_DPX_WHICH(unsigned int, u32, min, <=)

#define __KCC_DPX_WHICH2(kind, op, best, relation, sign)                                      \
    __KCC_HD unsigned int __vib##op##_##kind(unsigned int a, unsigned int b, bool *high, bool *low) { \
        *high = __kcc_part<16, sign>(a, 1) relation __kcc_part<16, sign>(b, 1);               \
        *low = __kcc_part<16, sign>(a, 0) relation __kcc_part<16, sign>(b, 0);                \
        return best(a, b);                                                                    \
    }
__KCC_DPX_WHICH2(s16x2, max, __vmaxs2, >=, true)
__KCC_DPX_WHICH2(s16x2, min, __vmins2, <=, true)
__KCC_DPX_WHICH2(u16x2, max, __vmaxu2, >=, false)
__KCC_DPX_WHICH2(u16x2, min, __vminu2, <=, false)

#endif
