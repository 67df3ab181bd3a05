// Exponentials.
#include "core.h"

kernel void exp_float(global float *result, float x) { *result = (float)exp_core(x, 0.0); }
kernel void exp_double(global double *result, double x) { *result = exp_core(x, 0.0); }
kernel void exp2_float(global float *result, float x) { *result = (float)exp2_core(x); }
kernel void exp2_double(global double *result, double x) { *result = exp2_core(x); }
kernel void exp10_float(global float *result, float x) { *result = (float)exp10_core(x); }
kernel void exp10_double(global double *result, double x) { *result = exp10_core(x); }
kernel void expm1_float(global float *result, float x) { *result = (float)expm1_core(x); }
kernel void expm1_double(global double *result, double x) { *result = expm1_core(x); }
