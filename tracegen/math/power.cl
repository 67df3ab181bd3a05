// Powers and roots.
#include "core.h"

double cbrt_core(double x) {
    double a = positive_finite(magnitude(x));
    pair l = log_pair(a);
    double t = exp_core(l.hi * (1.0 / 3.0), 0.0);
    double square = t * t;
    double cube_rest = fma(square, t, -a) + fma(t, t, -square) * t;
    double y = t - cube_rest / (3.0 * square);
    y = with_sign(y, x);
    return x == 0 || isnan(x) || magnitude(x) == infinity() ? x : y;
}

double hypot_core(double x, double y) {
    double a = fmax(magnitude(x), magnitude(y));
    double b = fmin(magnitude(x), magnitude(y));
    int exponent = (int)split_double(positive_finite(a)).exponent;
    double sa = scaled(a, -exponent);
    double sb = scaled(b, -exponent);
    double square = sa * sa;
    double h = sqrt(fma(sb, sb, square + fma(sa, sa, -square)));
    double r = a == 0 ? a : scaled(h, exponent);
    r = isnan(x) || isnan(y) ? nan_value() : r;
    return magnitude(x) == infinity() || magnitude(y) == infinity() ? infinity() : r;
}

kernel void pow_float(global float *result, float x, float y) { *result = (float)pow_core(x, y); }
kernel void pow_double(global double *result, double x, double y) { *result = pow_core(x, y); }
kernel void pown_float(global float *result, float x, int n) { *result = (float)pow_core(x, n); }
kernel void pown_double(global double *result, double x, int n) { *result = pow_core(x, n); }
kernel void powr_float(global float *result, float x, float y) { *result = (float)powr_core(x, y); }
kernel void powr_double(global double *result, double x, double y) { *result = powr_core(x, y); }
kernel void rootn_float(global float *result, float x, int n) { *result = (float)rootn_core(x, n); }
kernel void rootn_double(global double *result, double x, int n) { *result = rootn_core(x, n); }
kernel void cbrt_float(global float *result, float x) { *result = (float)cbrt_core(x); }
kernel void cbrt_double(global double *result, double x) { *result = cbrt_core(x); }
kernel void hypot_float(global float *result, float x, float y) { *result = (float)hypot_core(x, y); }
kernel void hypot_double(global double *result, double x, double y) { *result = hypot_core(x, y); }
kernel void rsqrt_float(global float *result, float x) { *result = (float)(1.0 / sqrt((double)x)); }
kernel void rsqrt_double(global double *result, double x) { *result = 1.0 / sqrt(x); }

// IEEE 754's remainder, exact: fmod leaves less than 2y, of which at most one y is taken.
kernel void remainder_double(global double *result, double x, double y) {
    double b = magnitude(y);
    double a = magnitude(b < 0x1p1023 ? fmod(x, b + b) : x);
    bool tiny = b < 0x1p-1021;
    bool first = tiny ? a + a > b : a > 0.5 * b;
    double c = first ? a - b : a;
    bool second = first && (tiny ? c + c >= b : c >= 0.5 * b);
    double d = second ? c - b : c;
    double r = as_double(as_ulong(d) ^ (as_ulong(x) & SIGN));
    r = magnitude(x) == infinity() || y == 0 ? nan_value() : r;
    r = magnitude(y) == infinity() && magnitude(x) < infinity() ? x : r;
    *result = isnan(x) || isnan(y) ? nan_value() : r;
}

kernel void remainder_float(global float *result, float x, float y) {
    *result = (float)remainder((double)x, (double)y);
}
