void float_functions(__global int* out, __global const int* in, __global float* fout,
                     __global const float* fin, int gid, int n) {
    float x = fin[gid];
    fout[0] = fabs(x);
    fout[1] = fmin(x, 2.0f) + fmax(x, -2.0f);
    fout[2] = floor(x) + ceil(x);
    fout[3] = trunc(x) + rint(x);
    fout[4] = clamp(x, -1.0f, 1.0f);
    fout[5] = sqrt(fabs(x));
    fout[6] = fma(x, x, 1.0f);
    fout[7] = copysign(2.0f, x);
    fout[8] = sign(x) + step(0.0f, x);
    out[0] = isnan(x) + isinf(x) + signbit(x);
    fout[9] = select(x, 1.0f, n > 3);
    fout[10] = mix(x, 2.0f, 0.5f);
    fout[11] = round(x * 0.5f);
}
