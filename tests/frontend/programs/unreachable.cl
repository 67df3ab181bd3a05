void unreachable(__global int* out, __global const int* in, __global float* fout,
                 __global const float* fin, int gid, int n) {
    out[0] = 1;
    if (n > 3) {
        out[1] = 2;
        return;
        out[1] = 3;
    }
    out[2] = 4;
}
