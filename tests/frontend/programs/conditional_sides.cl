void conditional_sides(__global int* out, __global const int* in, __global float* fout,
                       __global const float* fin, int gid, int n) {
    int c = 0;
    out[0] = n > 4 ? (c++, in[1]) : in[2] + 1;
    out[1] = c;
    out[2] = n & 1 ? n & 2 ? 1 : 2 : n & 4 ? 3 : 4;
}
