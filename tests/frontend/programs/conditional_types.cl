void conditional_types(__global int* out, __global const int* in, __global float* fout,
                       __global const float* fin, int gid, int n) {
    out[0] = n > 4 ? 1 : -1;
    fout[0] = n > 4 ? 1 : fin[1];
    uint u = n > 2 ? -1 : 2u;
    out[1] = u;
    out[2] = (n > 3 ? (char)200 : (char)3);
}
