/* Random numbers on the device (curand_kernel.h): generators of the same kind and cost. XORWOW is
   Marsaglia's (Journal of Statistical Software 8 (14), 2003, section 3.1), Philox 4x32-10 that of
   Salmon et al. (SC 2011, section 3.3). Seeds are spread otherwise than in cuRAND: the numbers are
   not cuRAND's. */
#ifndef KCC_CUDA_RANDOM_H
#define KCC_CUDA_RANDOM_H

struct curandStateXORWOW {
    unsigned int d, v[5];
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};
typedef curandStateXORWOW curandStateXORWOW_t;
typedef curandStateXORWOW curandState;
typedef curandStateXORWOW curandState_t;
struct curandStatePhilox4_32_10 {
    uint4 ctr, output;
    uint2 key;
    unsigned int STATE;
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};
typedef curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;
typedef curandStateXORWOW curandStateMRG32k3a;
typedef curandStateXORWOW curandStateMRG32k3a_t;

__KCC_D unsigned int __kcc_mix(unsigned long long v) {
    v = (v ^ v >> 33) * 0xff51afd7ed558ccdull;
    v = (v ^ v >> 33) * 0xc4ceb9fe1a85ec53ull;
    return (unsigned int)(v ^ v >> 33);
}
__KCC_D unsigned int curand(curandStateXORWOW* s) {
    unsigned int t = s->v[0] ^ s->v[0] >> 2;
    s->v[0] = s->v[1];
    s->v[1] = s->v[2];
    s->v[2] = s->v[3];
    s->v[3] = s->v[4];
    s->v[4] = s->v[4] ^ s->v[4] << 4 ^ t ^ t << 1;
    s->d += 362437u;
    return s->v[4] + s->d;
}
__KCC_D void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset, curandStateXORWOW* s) {
    for (int n = 0; n < 5; n++) s->v[n] = __kcc_mix(seed + (sequence + 1) * 0x9e3779b97f4a7c15ull + n) | (n == 0);
    s->d = __kcc_mix(seed ^ sequence) + 362437u * (unsigned int)offset;
    s->boxmuller_flag = s->boxmuller_flag_double = 0;
    for (unsigned long long n = 0; n < offset; n++) curand(s);
}
__KCC_D uint4 __kcc_philox(uint4 c, uint2 k) {
    for (int n = 0; n < 10; n++) {
        unsigned int high0 = __umulhi(0xD2511F53u, c.x), low0 = 0xD2511F53u * c.x;
        unsigned int high1 = __umulhi(0xCD9E8D57u, c.z), low1 = 0xCD9E8D57u * c.z;
        c = make_uint4(high1 ^ c.y ^ k.x, low1, high0 ^ c.w ^ k.y, low0);
        k = make_uint2(k.x + 0x9E3779B9u, k.y + 0xBB67AE85u);
    }
    return c;
}
__KCC_D void __kcc_next(curandStatePhilox4_32_10* s) {
    if (++s->ctr.x == 0 && ++s->ctr.y == 0 && ++s->ctr.z == 0) ++s->ctr.w;
    s->output = __kcc_philox(s->ctr, s->key);
}
__KCC_D void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset, curandStatePhilox4_32_10* s) {
    s->ctr = make_uint4((unsigned int)(offset / 4), 0, (unsigned int)sequence, (unsigned int)(sequence >> 32));
    s->key = make_uint2((unsigned int)seed, (unsigned int)(seed >> 32));
    s->STATE = (unsigned int)(offset & 3);
    s->boxmuller_flag = s->boxmuller_flag_double = 0;
    s->output = __kcc_philox(s->ctr, s->key);
}
__KCC_D unsigned int curand(curandStatePhilox4_32_10* s) {
    unsigned int n = s->STATE;
    unsigned int found = n == 0 ? s->output.x : n == 1 ? s->output.y : n == 2 ? s->output.z : s->output.w;
    s->STATE = n == 3 ? 0 : n + 1;
    if (n == 3) __kcc_next(s);
    return found;
}
__KCC_D uint4 curand4(curandStatePhilox4_32_10* s) {
    uint4 found = s->output;
    __kcc_next(s);
    return found;
}
/* Uniform in (0, 1]; normal by Box and Muller (Annals of Mathematical Statistics 29 (2), 1958). */
template <class S> __KCC_D float curand_uniform(S* s) { return curand(s) * 2.3283064e-10f + 1.1641532e-10f; }
template <class S> __KCC_D double curand_uniform_double(S* s) {
    unsigned long long low = curand(s), high = curand(s);
    return ((low ^ high << 21) & 0x1fffffffffffffull) * 1.1102230246251565e-16 + 5.5511151231257827e-17;
}
__KCC_D float4 curand_uniform4(curandStatePhilox4_32_10* s) {
    uint4 v = curand4(s);
    return make_float4(v.x * 2.3283064e-10f + 1.1641532e-10f, v.y * 2.3283064e-10f + 1.1641532e-10f, v.z * 2.3283064e-10f + 1.1641532e-10f, v.w * 2.3283064e-10f + 1.1641532e-10f);
}
template <class S> __KCC_D float2 curand_normal2(S* s) {
    float radius = sqrtf(-2.0f * logf(curand_uniform(s))), angle = 6.2831853f * curand_uniform(s), sine, cosine;
    sincosf(angle, &sine, &cosine);
    return make_float2(radius * sine, radius * cosine);
}
template <class S> __KCC_D float curand_normal(S* s) {
    if (s->boxmuller_flag) {
        s->boxmuller_flag = 0;
        return s->boxmuller_extra;
    }
    float2 both = curand_normal2(s);
    s->boxmuller_flag = 1;
    s->boxmuller_extra = both.y;
    return both.x;
}
template <class S> __KCC_D double curand_normal_double(S* s) {
    double radius = sqrt(-2.0 * log(curand_uniform_double(s)));
    return radius * sin(6.283185307179586 * curand_uniform_double(s));
}
template <class S> __KCC_D float4 curand_normal4(S* s) {
    float2 a = curand_normal2(s), b = curand_normal2(s);
    return make_float4(a.x, a.y, b.x, b.y);
}
/* Sobol's sequences in Gray code's order (Antonov and Saleev, USSR Computational Mathematics 19 (1),
   1979): the direction vectors are the caller's. */
#define __KCC_SOBOL(name, T, bits, find)                                                             \
    typedef T curandDirectionVectors##bits##_t[bits];                                                \
    struct curandStateSobol##bits { T i, x, c; T direction_vectors[bits]; };                         \
    typedef curandStateSobol##bits curandStateSobol##bits##_t;                                       \
    typedef curandStateSobol##bits curandStateScrambledSobol##bits;                                  \
    typedef curandStateSobol##bits curandStateScrambledSobol##bits##_t;                              \
    __KCC_D void curand_init(T* vectors, T c, T offset, curandStateSobol##bits* s) {                 \
        s->i = offset;                                                                               \
        s->x = s->c = c;                                                                             \
        T gray = offset ^ offset >> 1;                                                               \
        for (int n = 0; n < bits; n++) {                                                             \
            s->direction_vectors[n] = vectors[n];                                                    \
            if (gray >> n & 1) s->x ^= vectors[n];                                                   \
        }                                                                                            \
    }                                                                                                \
    __KCC_D void curand_init(T* vectors, T offset, curandStateSobol##bits* s) { curand_init(vectors, (T)0, offset, s); } \
    __KCC_D T curand(curandStateSobol##bits* s) {                                                    \
        T found = s->x;                                                                              \
        s->x ^= s->direction_vectors[find(~s->i) - 1 & bits - 1];                                    \
        s->i++;                                                                                      \
        return found;                                                                                \
    }
__KCC_SOBOL(Sobol32, unsigned int, 32, __ffs)
__KCC_SOBOL(Sobol64, unsigned long long, 64, __ffsll)
__KCC_D float curand_uniform(curandStateSobol64* s) { return (unsigned int)(curand(s) >> 32) * 2.3283064e-10f + 1.1641532e-10f; }
__KCC_D double curand_uniform_double(curandStateSobol32* s) { return curand(s) * 2.3283064365386963e-10 + 2.3283064365386963e-10; }
__KCC_D double curand_uniform_double(curandStateSobol64* s) { return (curand(s) >> 11) * 1.1102230246251565e-16 + 1.1102230246251565e-16; }
template <class S> __KCC_D float curand_log_normal(S* s, float mean, float deviation) { return expf(mean + deviation * curand_normal(s)); }

#endif
