void conditional_void(__global int* out, __global const int* in, __global float* fout,
                      __global const float* fin, int gid, int n) {
    int c = 0;
    n > 4 ? (void)(c = 5) : (void)(c = 6);
    out[0] = c;
}
