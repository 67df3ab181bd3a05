void float_to_int(__global int* out, __global const int* in, __global float* fout,
                  __global const float* fin, int gid, int n) {
    float f = fin[gid];
    out[0] = f;
    out[1] = (int)-f;
    out[2] = (uint)(f * f);
    out[3] = (char)f;
    out[4] = (long)(f * 100) >> 1;
    out[5] = (bool)f;
    out[6] = f > 0 ? f : -f;
}
