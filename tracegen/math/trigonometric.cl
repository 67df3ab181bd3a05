// Sine, cosine, tangent, with arguments of any size.
#include "core.h"

// 2 / pi = 0.w0 w1 w2 ... in words of 32 and of 64 bits; chosen by comparisons, for tables would
// be memory accesses.
uint two_over_pi_32(int i) {
    uint w = 0;
    w = i == 0 ? 0xa2f9836eU : w;
    w = i == 1 ? 0x4e441529U : w;
    w = i == 2 ? 0xfc2757d1U : w;
    w = i == 3 ? 0xf534ddc0U : w;
    w = i == 4 ? 0xdb629599U : w;
    w = i == 5 ? 0x3c439041U : w;
    w = i == 6 ? 0xfe5163abU : w;
    w = i == 7 ? 0xdebbc561U : w;
    return w;
}

// With a word of zeros in front.
ulong two_over_pi_64(int i) {
    ulong w = 0;
    w = i == 1 ? 0xa2f9836e4e441529UL : w;
    w = i == 2 ? 0xfc2757d1f534ddc0UL : w;
    w = i == 3 ? 0xdb6295993c439041UL : w;
    w = i == 4 ? 0xfe5163abdebbc561UL : w;
    w = i == 5 ? 0xb7246e3a424dd2e0UL : w;
    w = i == 6 ? 0x06492eea09d1921cUL : w;
    w = i == 7 ? 0xfe1deb1cb129a73eUL : w;
    w = i == 8 ? 0xe88235f52ebb4484UL : w;
    w = i == 9 ? 0xe99c7026b45f7e41UL : w;
    w = i == 10 ? 0x3991d639835339f4UL : w;
    w = i == 11 ? 0x9c845f8bbdf9283bUL : w;
    w = i == 12 ? 0x1ff897ffde05980fUL : w;
    w = i == 13 ? 0xef2f118b5a0a6d1fUL : w;
    w = i == 14 ? 0x6d367ecf27cb09b7UL : w;
    w = i == 15 ? 0x4f463f669e5fea2dUL : w;
    w = i == 16 ? 0x7527bac7ebe5f17bUL : w;
    w = i == 17 ? 0x3d0739f78a5292eaUL : w;
    w = i == 18 ? 0x6bfb5fb11f8d5d08UL : w;
    w = i == 19 ? 0x56033046fc7b6babUL : w;
    w = i == 20 ? 0xf0cfbc209af4361dUL : w;
    return w;
}

// An angle less a multiple of pi / 2: at most pi / 4 from zero, in two doubles, and the multiple
// modulo 4.
typedef struct { double hi, lo; int quadrant; } reduced;

// Cody and Waite with pi / 2 in three doubles: the first step is exact while the multiple has at
// most 27 bits.
reduced reduce_medium(double x) {
    double k = rint(x * 0.63661977236758134308);
    double a = fma(-k, PIO2_HI, x);
    double b = k * PIO2_MID;
    double b_rest = fma(k, PIO2_MID, -b);
    double hi = a - b;
    double lo = ((a - hi) - b) - b_rest - k * PIO2_LO;
    reduced r;
    r.hi = hi + lo;
    r.lo = lo - (r.hi - hi);
    r.quadrant = (int)((long)k & 3);
    return r;
}

// Payne and Hanek for floats of at least 2^28: the bits of 2 / pi that matter, 96 of them, times
// the mantissa, modulo 4.
double reduce_large_float(float x, int *quadrant) {
    uint bits = as_uint(x);
    ulong mantissa = (bits & 0x7fffffU) | 0x800000U;
    int p = max((int)(bits >> 23 & 0xff) - 127 - 23 - 2, 0);
    int word = p >> 5;
    uint shift = p & 31;
    ulong w0 = two_over_pi_32(word), w1 = two_over_pi_32(word + 1);
    ulong w2 = two_over_pi_32(word + 2), w3 = two_over_pi_32(word + 3);
    ulong high = ((w0 << 32 | w1) << shift) >> 32;
    ulong middle = ((w1 << 32 | w2) << shift) >> 32;
    ulong low = ((w2 << 32 | w3) << shift) >> 32;
    ulong turn = (mantissa * high << 32) + mantissa * middle + (mantissa * low >> 32);
    ulong nearest = (turn + 0x2000000000000000UL) >> 62;
    long fraction = (long)(turn - (nearest << 62));
    *quadrant = (int)(nearest & 3);
    return (double)fraction * 0x1p-62 * PIO2_HI;
}

// The same for doubles of at least 2^27: 192 bits of 2 / pi, of whose product the upper 128 count.
reduced reduce_large_double(double x) {
    ulong bits = as_ulong(x);
    ulong mantissa = (bits & 0xfffffffffffffUL) | 0x10000000000000UL;
    int p = max((int)(bits >> 52 & 0x7ff) - 1023 - 52 - 2 + 64, 0);
    int word = p >> 6;
    ulong shift = p & 63;
    ulong w0 = two_over_pi_64(word), w1 = two_over_pi_64(word + 1);
    ulong w2 = two_over_pi_64(word + 2), w3 = two_over_pi_64(word + 3);
    ulong back = (64 - shift) & 63;
    ulong mask = shift == 0 ? 0UL : ~0UL;
    ulong high = w0 << shift | (w1 >> back & mask);
    ulong middle = w1 << shift | (w2 >> back & mask);
    ulong low = w2 << shift | (w3 >> back & mask);
    ulong t1 = mantissa * middle;
    ulong t0 = mantissa * high + mul_hi(mantissa, middle);
    ulong carry_in = mul_hi(mantissa, low);
    ulong sum = t1 + carry_in;
    t0 += sum < t1 ? 1UL : 0UL;
    ulong nearest = (t0 + 0x2000000000000000UL) >> 62;
    long top = (long)(t0 - (nearest << 62));
    reduced r;
    double hi = (double)(top >> 10 << 10) * 0x1p-62;
    double lo = ((double)(top - (top >> 10 << 10)) + (double)sum * 0x1p-64) * 0x1p-62;
    double a = hi + lo;
    double a_rest = lo - (a - hi);
    double product = a * PIO2_HI;
    double rest = fma(a, PIO2_HI, -product) + (a * PIO2_MID + a_rest * PIO2_HI);
    r.hi = product + rest;
    r.lo = rest - (r.hi - product);
    r.quadrant = (int)(nearest & 3);
    return r;
}

reduced reduce_double(double x) {
    double a = magnitude(x);
    reduced medium = reduce_medium(fmin(a, 0x1p27));
    reduced large = reduce_large_double(fmax(a, 0x1p27));
    bool small = a < 0x1p27;
    reduced r;
    r.hi = small ? medium.hi : large.hi;
    r.lo = small ? medium.lo : large.lo;
    r.quadrant = small ? medium.quadrant : large.quadrant;
    return r;
}

reduced reduce_float(float x) {
    float a = fabs(x);
    reduced medium = reduce_medium((double)fmin(a, 0x1p27f));
    int quadrant;
    double large = reduce_large_float(fmax(a, 0x1p27f), &quadrant);
    bool small = a < 0x1p27f;
    reduced r;
    r.hi = small ? medium.hi : large;
    r.lo = small ? medium.lo : 0.0;
    r.quadrant = small ? medium.quadrant : quadrant;
    return r;
}

double sine(double hi, double lo) {
    double z = hi * hi;
    double p = -1.0 / 121645100408832000.0;
    p = fma(p, z, 1.0 / 355687428096000.0);
    p = fma(p, z, -1.0 / 1307674368000.0);
    p = fma(p, z, 1.0 / 6227020800.0);
    p = fma(p, z, -1.0 / 39916800.0);
    p = fma(p, z, 1.0 / 362880.0);
    p = fma(p, z, -1.0 / 5040.0);
    p = fma(p, z, 1.0 / 120.0);
    p = fma(p, z, -1.0 / 6.0);
    return hi + fma(hi * z, p, lo * fma(-0.5, z, 1.0));
}

double cosine(double hi, double lo) {
    double z = hi * hi;
    double p = 1.0 / 2432902008176640000.0;
    p = fma(p, z, -1.0 / 6402373705728000.0);
    p = fma(p, z, 1.0 / 20922789888000.0);
    p = fma(p, z, -1.0 / 87178291200.0);
    p = fma(p, z, 1.0 / 479001600.0);
    p = fma(p, z, -1.0 / 3628800.0);
    p = fma(p, z, 1.0 / 40320.0);
    p = fma(p, z, -1.0 / 720.0);
    p = fma(p, z, 1.0 / 24.0);
    double half_square = 0.5 * z;
    double w = 1.0 - half_square;
    return w + (((1.0 - w) - half_square) + (z * z * p - hi * lo));
}

double sine_of(reduced r, int shift) {
    int q = r.quadrant + shift;
    double s = sine(r.hi, r.lo);
    double c = cosine(r.hi, r.lo);
    double y = q & 1 ? c : s;
    return q & 2 ? -y : y;
}

double tangent_of(reduced r) {
    double s = sine(r.hi, r.lo);
    double c = cosine(r.hi, r.lo);
    return r.quadrant & 1 ? -c / s : s / c;
}

// Arguments in units of pi: exact reduction to a quarter.
reduced reduce_pi(double x) {
    double a = magnitude(x);
    double turned = a - 2.0 * floor(0.5 * a);
    double k = rint(2.0 * turned);
    double t = fma(-0.5, k, turned);
    reduced r;
    r.hi = t * PI_HI;
    r.lo = fma(t, PI_HI, -r.hi) + t * PI_LO;
    r.quadrant = (int)k & 3;
    return r;
}

double finish_odd(double x, double y) {
    double r = magnitude(x) == infinity() ? nan_value() : as_double(as_ulong(y) ^ (as_ulong(x) & SIGN));
    return isnan(x) || x == 0 ? x : r;
}

double finish_even(double x, double y) {
    return isnan(x) ? x : magnitude(x) == infinity() ? nan_value() : y;
}

double sinpi_core(double x) {
    double y = sine_of(reduce_pi(x), 0);
    y = rint(x) == x ? 0.0 : y;
    return finish_odd(x, y);
}

double cospi_core(double x) {
    double a = magnitude(x);
    double y = sine_of(reduce_pi(x), 1);
    y = rint(a - 0.5) == a - 0.5 && a < 0x1p52 ? 0.0 : y;
    return finish_even(x, y);
}

double tanpi_core(double x) {
    double a = magnitude(x);
    reduced r = reduce_pi(x);
    double y = tangent_of(r);
    bool odd = is_odd(rint(a));
    y = rint(a) == a ? (odd ? -0.0 : 0.0) : y;
    double up = is_odd(floor(a)) ? -infinity() : infinity();
    y = rint(a - 0.5) == a - 0.5 && a < 0x1p52 ? up : y;
    return finish_odd(x, y);
}

kernel void sin_float(global float *result, float x) { *result = (float)finish_odd(x, sine_of(reduce_float(x), 0)); }
kernel void sin_double(global double *result, double x) { *result = finish_odd(x, sine_of(reduce_double(x), 0)); }
kernel void cos_float(global float *result, float x) { *result = (float)finish_even(x, sine_of(reduce_float(x), 1)); }
kernel void cos_double(global double *result, double x) { *result = finish_even(x, sine_of(reduce_double(x), 1)); }
kernel void tan_float(global float *result, float x) { *result = (float)finish_odd(x, tangent_of(reduce_float(x))); }
kernel void tan_double(global double *result, double x) { *result = finish_odd(x, tangent_of(reduce_double(x))); }
kernel void sinpi_float(global float *result, float x) { *result = (float)sinpi_core(x); }
kernel void sinpi_double(global double *result, double x) { *result = sinpi_core(x); }
kernel void cospi_float(global float *result, float x) { *result = (float)cospi_core(x); }
kernel void cospi_double(global double *result, double x) { *result = cospi_core(x); }
kernel void tanpi_float(global float *result, float x) { *result = (float)tanpi_core(x); }
kernel void tanpi_double(global double *result, double x) { *result = tanpi_core(x); }
