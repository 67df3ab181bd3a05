void integer_constants(__global int* out, __global const int* in, __global float* fout,
                       __global const float* fin, int gid, int n) {
    out[0] = 0x7fffffff;
    out[1] = 0xffffffff;
    out[2] = 010;
    out[3] = 1u > -1;
    out[4] = 4294967295 > 0;
    out[5] = -1 < 0u;
    out[6] = 0x80000000 > 0;
    out[7] = sizeof(4294967296);
    out[8] = (int)(2147483648 >> 4);
    out[9] = -2147483648 < 0;
}
