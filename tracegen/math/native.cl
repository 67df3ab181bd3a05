// native_ and half_ functions: OpenCL leaves their accuracy open or at 8192 ulp (sections 6.12.2 and
// 7.4); here they are as good as the functions they stand for. They are primitives of their own
// because on a GPU they are one or two instructions.

kernel void native_cos_float(global float *result, float x) { *result = cos(x); }
kernel void native_exp_float(global float *result, float x) { *result = exp(x); }
kernel void native_exp10_float(global float *result, float x) { *result = exp10(x); }
kernel void native_exp2_float(global float *result, float x) { *result = exp2(x); }
kernel void native_log_float(global float *result, float x) { *result = log(x); }
kernel void native_log10_float(global float *result, float x) { *result = log10(x); }
kernel void native_log2_float(global float *result, float x) { *result = log2(x); }
kernel void native_sin_float(global float *result, float x) { *result = sin(x); }
kernel void native_tan_float(global float *result, float x) { *result = tan(x); }
kernel void native_sqrt_float(global float *result, float x) { *result = sqrt(x); }
kernel void native_rsqrt_float(global float *result, float x) { *result = rsqrt(x); }
kernel void native_recip_float(global float *result, float x) { *result = 1.0f / x; }
kernel void native_divide_float(global float *result, float x, float y) { *result = x / y; }
kernel void native_powr_float(global float *result, float x, float y) { *result = powr(x, y); }
kernel void half_cos_float(global float *result, float x) { *result = cos(x); }
kernel void half_exp_float(global float *result, float x) { *result = exp(x); }
kernel void half_exp10_float(global float *result, float x) { *result = exp10(x); }
kernel void half_exp2_float(global float *result, float x) { *result = exp2(x); }
kernel void half_log_float(global float *result, float x) { *result = log(x); }
kernel void half_log10_float(global float *result, float x) { *result = log10(x); }
kernel void half_log2_float(global float *result, float x) { *result = log2(x); }
kernel void half_sin_float(global float *result, float x) { *result = sin(x); }
kernel void half_tan_float(global float *result, float x) { *result = tan(x); }
kernel void half_sqrt_float(global float *result, float x) { *result = sqrt(x); }
kernel void half_rsqrt_float(global float *result, float x) { *result = rsqrt(x); }
kernel void half_recip_float(global float *result, float x) { *result = 1.0f / x; }
kernel void half_divide_float(global float *result, float x, float y) { *result = x / y; }
kernel void half_powr_float(global float *result, float x, float y) { *result = powr(x, y); }
