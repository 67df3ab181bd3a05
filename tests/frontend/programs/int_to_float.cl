void int_to_float(__global int* out, __global const int* in, __global float* fout,
                  __global const float* fin, int gid, int n) {
    fout[0] = in[gid];
    fout[1] = (uint)in[gid];
    fout[2] = (ulong)in[gid];
    fout[3] = (uchar)in[gid];
    fout[4] = (long)in[gid] * 1000;
    fout[5] = n > 3;
    fout[6] = (char)in[gid];
}
