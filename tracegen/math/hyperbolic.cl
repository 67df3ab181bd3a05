// Hyperbolic functions and their inverses.
#include "core.h"

double sinh_core(double x) {
    double a = magnitude(x);
    double e = expm1_core(fmin(a, 709.0));
    double y = 0.5 * (e + e / (e + 1.0));
    double h = exp_core(0.5 * a, 0.0);
    y = a > 709.0 ? (0.5 * h) * h : y;
    y = a < 0x1p-28 ? a : y;
    return isnan(x) ? x : with_sign(y, x);
}

double cosh_core(double x) {
    double a = magnitude(x);
    double e = exp_core(fmin(a, 709.0), 0.0);
    double h = exp_core(0.5 * a, 0.0);
    double y = a > 709.0 ? (0.5 * h) * h : 0.5 * e + 0.5 / e;
    return isnan(x) ? x : y;
}

double tanh_core(double x) {
    double a = magnitude(x);
    double e = expm1_core(2.0 * fmin(a, 30.0));
    double y = e / (e + 2.0);
    return isnan(x) ? x : with_sign(a < 0x1p-28 ? a : y, x);
}

double asinh_core(double x) {
    double a = magnitude(x);
    double square = a * a;
    double y = a > 0x1p28 ? log_core(a) + LN2 : log1p_core(a + square / (1.0 + sqrt(1.0 + square)));
    return isnan(x) ? x : with_sign(a < 0x1p-28 ? a : y, x);
}

double acosh_core(double x) {
    double t = x - 1.0;
    double y = x > 0x1p28 ? log_core(x) + LN2 : log1p_core(t + sqrt(2.0 * t + t * t));
    return x < 1.0 ? nan_value() : y;
}

double atanh_core(double x) {
    double a = magnitude(x);
    double y = 0.5 * log1p_core(2.0 * a / (1.0 - a));
    y = a == 1.0 ? infinity() : y;
    y = a > 1.0 ? nan_value() : y;
    return isnan(x) ? x : with_sign(a < 0x1p-28 ? a : y, x);
}

kernel void sinh_float(global float *result, float x) { *result = (float)sinh_core(x); }
kernel void sinh_double(global double *result, double x) { *result = sinh_core(x); }
kernel void cosh_float(global float *result, float x) { *result = (float)cosh_core(x); }
kernel void cosh_double(global double *result, double x) { *result = cosh_core(x); }
kernel void tanh_float(global float *result, float x) { *result = (float)tanh_core(x); }
kernel void tanh_double(global double *result, double x) { *result = tanh_core(x); }
kernel void asinh_float(global float *result, float x) { *result = (float)asinh_core(x); }
kernel void asinh_double(global double *result, double x) { *result = asinh_core(x); }
kernel void acosh_float(global float *result, float x) { *result = (float)acosh_core(x); }
kernel void acosh_double(global double *result, double x) { *result = acosh_core(x); }
kernel void atanh_float(global float *result, float x) { *result = (float)atanh_core(x); }
kernel void atanh_double(global double *result, double x) { *result = atanh_core(x); }
