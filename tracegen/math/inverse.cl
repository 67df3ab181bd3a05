// Inverse trigonometric functions.
#include "core.h"

// (atan t - t) / t^3 as a series in z = t^2, for t up to tan(pi / 8).
double atan_tail(double z) {
    double p = -1.0 / 51.0;
    p = fma(p, z, 1.0 / 49.0);
    p = fma(p, z, -1.0 / 47.0);
    p = fma(p, z, 1.0 / 45.0);
    p = fma(p, z, -1.0 / 43.0);
    p = fma(p, z, 1.0 / 41.0);
    p = fma(p, z, -1.0 / 39.0);
    p = fma(p, z, 1.0 / 37.0);
    p = fma(p, z, -1.0 / 35.0);
    p = fma(p, z, 1.0 / 33.0);
    p = fma(p, z, -1.0 / 31.0);
    p = fma(p, z, 1.0 / 29.0);
    p = fma(p, z, -1.0 / 27.0);
    p = fma(p, z, 1.0 / 25.0);
    p = fma(p, z, -1.0 / 23.0);
    p = fma(p, z, 1.0 / 21.0);
    p = fma(p, z, -1.0 / 19.0);
    p = fma(p, z, 1.0 / 17.0);
    p = fma(p, z, -1.0 / 15.0);
    p = fma(p, z, 1.0 / 13.0);
    p = fma(p, z, -1.0 / 11.0);
    p = fma(p, z, 1.0 / 9.0);
    p = fma(p, z, -1.0 / 7.0);
    p = fma(p, z, 1.0 / 5.0);
    return fma(p, z, -1.0 / 3.0);
}

// The angle of (b, a) for a, b >= 0: atan(a / b), in two doubles.
pair angle(double a, double b) {
    double small = fmin(a, b);
    double large = fmax(a, b);
    bool both_zero = large == 0;
    bool both_infinite = small == infinity();
    double quotient = both_infinite ? 1.0 : both_zero ? 0.0 : small / large;
    bool ordinary = large < infinity() && !both_zero && quotient > 0x1p-900;
    double rest = ordinary ? fma(-quotient, large, small) / large : 0.0;
    bool upper = quotient > 0x1.a827999fcef32p-2;      // tan(pi / 8)
    double divisor = quotient + 1.0;
    double u = upper ? (quotient - 1.0) / divisor : quotient;
    double u_rest = upper ? fma(-u, divisor, quotient - 1.0) / divisor - u * ((quotient - (divisor - 1.0)) / divisor) +
                                2.0 * rest / (divisor * divisor)
                          : rest;
    double z = u * u;
    double tail = fma(u * z, atan_tail(z), u_rest / (1.0 + z));
    double base = upper ? 0.5 * PIO2_HI : 0.0;
    double base_rest = upper ? 0.5 * PIO2_MID : 0.0;
    pair sum = quick_sum(upper ? base : u, upper ? u : 0.0);
    pair result = quick_sum(sum.hi, sum.lo + (tail + base_rest));
    bool swapped = a > b;
    pair turned = quick_sum(PIO2_HI, -result.hi);
    pair mirrored = quick_sum(turned.hi, turned.lo + (PIO2_MID - result.lo));
    result.hi = swapped ? mirrored.hi : result.hi;
    result.lo = swapped ? mirrored.lo : result.lo;
    return result;
}

pair atan2_pair(double y, double x) {
    pair first = angle(magnitude(y), magnitude(x));
    pair turned = quick_sum(PI_HI, -first.hi);
    pair second = quick_sum(turned.hi, turned.lo + (PI_LO - first.lo));
    bool left = as_long(x) < 0;
    first.hi = left ? second.hi : first.hi;
    first.lo = left ? second.lo : first.lo;
    return first;
}

double over_pi(pair angle_) {
    double high = angle_.hi * 0x1.45f306dc9c883p-2;       // 1 / pi
    return high + (fma(angle_.hi, 0x1.45f306dc9c883p-2, -high) +
                   (angle_.hi * -0x1.6b01ec5417056p-56 + angle_.lo * 0x1.45f306dc9c883p-2));
}

double atan2_core(double y, double x) {
    pair r = atan2_pair(y, x);
    return isnan(x) || isnan(y) ? nan_value() : with_sign(r.hi + r.lo, y);
}

double atan2pi_core(double y, double x) {
    return isnan(x) || isnan(y) ? nan_value() : with_sign(over_pi(atan2_pair(y, x)), y);
}

double atan_core(double x) {
    pair r = angle(magnitude(x), 1.0);
    return isnan(x) ? x : with_sign(r.hi + r.lo, x);
}

double atanpi_core(double x) { return isnan(x) ? x : with_sign(over_pi(angle(magnitude(x), 1.0)), x); }

// asin x = atan2(x, sqrt((1 - x)(1 + x))).
pair asin_pair(double a) {
    double other = sqrt(fma(-a, a, 1.0));
    double fine = a > 0.5 ? sqrt((1.0 - a) * (1.0 + a)) : other;
    return angle(a, fine);
}

double asin_core(double x) {
    double a = magnitude(x);
    pair r = asin_pair(fmin(a, 1.0));
    return a > 1.0 ? nan_value() : isnan(x) ? x : with_sign(r.hi + r.lo, x);
}

double asinpi_core(double x) {
    double a = magnitude(x);
    return a > 1.0 ? nan_value() : isnan(x) ? x : with_sign(over_pi(asin_pair(fmin(a, 1.0))), x);
}

pair acos_pair(double x) {
    double inside = clamp(x, -1.0, 1.0);
    return atan2_pair(sqrt((1.0 - inside) * (1.0 + inside)), inside);
}

double acos_core(double x) {
    pair r = acos_pair(x);
    return magnitude(x) > 1.0 ? nan_value() : isnan(x) ? x : r.hi + r.lo;
}

double acospi_core(double x) {
    return magnitude(x) > 1.0 ? nan_value() : isnan(x) ? x : over_pi(acos_pair(x));
}

kernel void atan_float(global float *result, float x) { *result = (float)atan_core(x); }
kernel void atan_double(global double *result, double x) { *result = atan_core(x); }
kernel void atanpi_float(global float *result, float x) { *result = (float)atanpi_core(x); }
kernel void atanpi_double(global double *result, double x) { *result = atanpi_core(x); }
kernel void atan2_float(global float *result, float y, float x) { *result = (float)atan2_core(y, x); }
kernel void atan2_double(global double *result, double y, double x) { *result = atan2_core(y, x); }
kernel void atan2pi_float(global float *result, float y, float x) { *result = (float)atan2pi_core(y, x); }
kernel void atan2pi_double(global double *result, double y, double x) { *result = atan2pi_core(y, x); }
kernel void asin_float(global float *result, float x) { *result = (float)asin_core(x); }
kernel void asin_double(global double *result, double x) { *result = asin_core(x); }
kernel void asinpi_float(global float *result, float x) { *result = (float)asinpi_core(x); }
kernel void asinpi_double(global double *result, double x) { *result = asinpi_core(x); }
kernel void acos_float(global float *result, float x) { *result = (float)acos_core(x); }
kernel void acos_double(global double *result, double x) { *result = acos_core(x); }
kernel void acospi_float(global float *result, float x) { *result = (float)acospi_core(x); }
kernel void acospi_double(global double *result, double x) { *result = acospi_core(x); }
