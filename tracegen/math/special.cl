// Error functions and gamma functions.
#include "core.h"

// erf x / (2 / sqrt(pi)) - x over x, for |x| <= 0.7: the Taylor series in z = x^2.
double erf_tail(double z) {
    double p = 1.0 / 690452066304000.0;
    p = fma(p, z, -1.0 / 40537905408000.0);
    p = fma(p, z, 1.0 / 2528170444800.0);
    p = fma(p, z, -1.0 / 168129561600.0);
    p = fma(p, z, 1.0 / 11975040000.0);
    p = fma(p, z, -1.0 / 918086400.0);
    p = fma(p, z, 1.0 / 76204800.0);
    p = fma(p, z, -1.0 / 6894720.0);
    p = fma(p, z, 1.0 / 685440.0);
    p = fma(p, z, -1.0 / 75600.0);
    p = fma(p, z, 1.0 / 9360.0);
    p = fma(p, z, -1.0 / 1320.0);
    p = fma(p, z, 1.0 / 216.0);
    p = fma(p, z, -1.0 / 42.0);
    p = fma(p, z, 1.0 / 10.0);
    p = fma(p, z, -1.0 / 3.0);
    return p * z;
}

// ln(erfc(x) exp(x^2) / t) for t = 2 / (2 + x), x >= 0, as a Chebyshev series in u = 2 t - 1: the form
// of Press et al., Numerical Recipes, 3rd edition, section 6.2.2; coefficients computed for kcc with
// 400 bits from the definition, cut below 1e-18.
double erfc_series(double u) {
    double b1 = 0.0, b2 = 0.0, b0;
    b0 = fma(2.0 * u, b1, 2.3281042579529253e-18 - b2);
    b2 = b1;
    b1 = b0;
    b0 = fma(2.0 * u, b1, 5.003005559445902e-20 - b2);
    b2 = b1;
    b1 = b0;
    b0 = fma(2.0 * u, b1, -2.816663087747177e-17 - b2);
    b2 = b1;
    b1 = b0;
    b0 = fma(2.0 * u, b1, 1.210237189224279e-16 - b2);
    b2 = b1;
    b1 = b0;
    b0 = fma(2.0 * u, b1, -9.457494571291233e-17 - b2);
    b2 = b1;
    b1 = b0;
    b0 = fma(2.0 * u, b1, -1.5230282014571043e-15 - b2);
    b2 = b1;
    b1 = b0;
    b0 = fma(2.0 * u, b1, 7.106097613609237e-15 - b2);
    b2 = b1;
    b1 = b0;
    b0 = fma(2.0 * u, b1, 3.810905255189232e-16 - b2);
    b2 = b1;
    b1 = b0;
    b0 = fma(2.0 * u, b1, -1.1270822361367252e-13 - b2);
    b2 = b1;
    b1 = b0;
    b0 = fma(2.0 * u, b1, 3.130921399342958e-13 - b2);
    b2 = b1;
    b1 = b0;
    b0 = fma(2.0 * u, b1, 8.944879273090725e-13 - b2);
    b2 = b1;
    b1 = b0;
    b0 = fma(2.0 * u, b1, -6.886027526497553e-12 - b2);
    b2 = b1;
    b1 = b0;
    b0 = fma(2.0 * u, b1, 2.3940380830391146e-12 - b2);
    b2 = b1;
    b1 = b0;
    b0 = fma(2.0 * u, b1, 9.646791102015527e-11 - b2);
    b2 = b1;
    b1 = b0;
    b0 = fma(2.0 * u, b1, -2.273651222931836e-10 - b2);
    b2 = b1;
    b1 = b0;
    b0 = fma(2.0 * u, b1, -9.91364156493033e-10 - b2);
    b2 = b1;
    b1 = b0;
    b0 = fma(2.0 * u, b1, 5.059343495551469e-09 - b2);
    b2 = b1;
    b1 = b0;
    b0 = fma(2.0 * u, b1, 6.5290544390988515e-09 - b2);
    b2 = b1;
    b1 = b0;
    b0 = fma(2.0 * u, b1, -8.523809591492654e-08 - b2);
    b2 = b1;
    b1 = b0;
    b0 = fma(2.0 * u, b1, 1.5626441722066142e-08 - b2);
    b2 = b1;
    b1 = b0;
    b0 = fma(2.0 * u, b1, 1.3036558355805232e-06 - b2);
    b2 = b1;
    b1 = b0;
    b0 = fma(2.0 * u, b1, -1.6242900046470256e-06 - b2);
    b2 = b1;
    b1 = b0;
    b0 = fma(2.0 * u, b1, -2.0278578112534242e-05 - b2);
    b2 = b1;
    b1 = b0;
    b0 = fma(2.0 * u, b1, 4.252332480690777e-05 - b2);
    b2 = b1;
    b1 = b0;
    b0 = fma(2.0 * u, b1, 0.00036683949785276145 - b2);
    b2 = b1;
    b1 = b0;
    b0 = fma(2.0 * u, b1, -0.0009465953444820369 - b2);
    b2 = b1;
    b1 = b0;
    b0 = fma(2.0 * u, b1, -0.009561514786808632 - b2);
    b2 = b1;
    b1 = b0;
    b0 = fma(2.0 * u, b1, 0.019476473204185836 - b2);
    b2 = b1;
    b1 = b0;
    b0 = fma(2.0 * u, b1, 0.6419697923564902 - b2);
    b2 = b1;
    b1 = b0;
    return fma(u, b1, -0.6513268598908547 - b2);
}

double erfc_positive(double x) {
    double inside = fmin(x, 40.0);
    double t = 2.0 / (2.0 + inside);
    double square = inside * inside;
    double rest = fma(inside, inside, -square);
    double series = erfc_series(2.0 * t - 1.0);
    double sum = series - square;
    double part = sum - series;
    double error = (series - (sum - part)) - (square + part);
    return t * exp_core(sum, error - rest);
}

double erf_core(double x) {
    double a = magnitude(x);
    double small = x * 1.1283791670955126;                // 2 / sqrt(pi)
    double series = small + small * erf_tail(x * x);
    double y = with_sign(1.0 - erfc_positive(a), x);
    y = a < 0.7 ? series : y;
    return isnan(x) || x == 0 ? x : y;
}

double erfc_core(double x) {
    double a = magnitude(x);
    double e = erfc_positive(a);
    double y = x < 0 ? 2.0 - e : e;
    y = a < 0.3 ? 1.0 - erf_core(x) : y;
    return isnan(x) ? x : y;
}

// The sum of Lanczos' approximation of gamma(x), for x >= 0.5, with g = 607/128 and the coefficients
// of P. Godfrey ("A note on the computation of the convergent Lanczos complex gamma approximation",
// 2001).
double lanczos(double x) {
    double a = 3.6899182659531625e-06 / (x + 13.0);
    a += -2.6190838401581408e-05 / (x + 12.0);
    a += 8.441822398385275e-05 / (x + 11.0);
    a += -0.0001643181065367639 / (x + 10.0);
    a += 0.00021743961811521265 / (x + 9.0);
    a += -0.00021026444172410488 / (x + 8.0);
    a += 0.0001580887032249125 / (x + 7.0);
    a += -9.837447530487956e-05 / (x + 6.0);
    a += 4.652362892704858e-05 / (x + 5.0);
    a += 3.399464998481189e-05 / (x + 4.0);
    a += -0.4919138160976202 / (x + 3.0);
    a += 14.136097974741746 / (x + 2.0);
    a += -59.59796035547549 / (x + 1.0);
    a += 57.15623566586292 / (x + 0.0);
    return a + 0.9999999999999971;
}

#define LANCZOS_G 4.7421875
#define SQRT_TWO_PI 2.5066282746310005

double gamma_positive(double x) {
    double w = x + (LANCZOS_G - 0.5);
    double power = x - 0.5;
    pair l = log_pair(w);
    double high = power * l.hi;
    double low = fma(power, l.hi, -high) + power * l.lo;
    double whole = high - w;
    double rest = ((high - whole) - w) + low;
    double y = SQRT_TWO_PI * lanczos(x) * exp_core(whole, rest);
    return x > 171.63 ? infinity() : y;
}

double log_gamma_positive(double x) {
    double w = x + (LANCZOS_G - 0.5);
    return (x - 0.5) * log_core(w) - w + log_core(SQRT_TWO_PI * lanczos(x));
}

double tgamma_core(double x) {
    bool left = x < 0.5;
    double near = fmax(x, -200.0);
    double other = 1.0 - near;
    double direct = gamma_positive(left ? other : x);
    double rounding = (1.0 - other) - near;               // gamma' / gamma is about ln - 1 / 2x
    double slope = log_core(positive_finite(other)) - 0.5 / other;
    double mirrored = 3.14159265358979323846 / (sinpi(x) * direct) * (1.0 - slope * rounding);
    double y = left ? mirrored : direct;
    y = x < -185.0 ? with_sign(0.0, sinpi(x)) : y;
    y = x < 0 && floor(x) == x ? nan_value() : y;
    y = x == 0 ? with_sign(infinity(), x) : y;
    y = x == infinity() ? x : y;
    return isnan(x) || x == -infinity() ? nan_value() : y;
}

double lgamma_core(double x) {
    bool left = x < 0.5;
    double direct = log_gamma_positive(left ? 1.0 - x : x);
    double mirrored = log_core(3.14159265358979323846 / magnitude(sinpi(x))) - direct;
    double y = left ? mirrored : direct;
    y = x == 1.0 || x == 2.0 ? 0.0 : y;
    y = x <= 0 && floor(x) == x ? infinity() : y;
    y = magnitude(x) == infinity() ? infinity() : y;
    return isnan(x) ? x : y;
}

kernel void erf_float(global float *result, float x) { *result = (float)erf_core(x); }
kernel void erf_double(global double *result, double x) { *result = erf_core(x); }
kernel void erfc_float(global float *result, float x) { *result = (float)erfc_core(x); }
kernel void erfc_double(global double *result, double x) { *result = erfc_core(x); }
kernel void tgamma_float(global float *result, float x) { *result = (float)tgamma_core(x); }
kernel void tgamma_double(global double *result, double x) { *result = tgamma_core(x); }
kernel void lgamma_float(global float *result, float x) { *result = (float)lgamma_core(x); }
kernel void lgamma_double(global double *result, double x) { *result = lgamma_core(x); }
