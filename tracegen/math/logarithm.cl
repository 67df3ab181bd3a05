// Logarithms.
#include "core.h"

kernel void log_float(global float *result, float x) { *result = (float)log_core(x); }
kernel void log_double(global double *result, double x) { *result = log_core(x); }
kernel void log2_float(global float *result, float x) { *result = (float)log2_core(x); }
kernel void log2_double(global double *result, double x) { *result = log2_core(x); }
kernel void log10_float(global float *result, float x) { *result = (float)log10_core(x); }
kernel void log10_double(global double *result, double x) { *result = log10_core(x); }
kernel void log1p_float(global float *result, float x) { *result = (float)log1p_core(x); }
kernel void log1p_double(global double *result, double x) { *result = log1p_core(x); }
