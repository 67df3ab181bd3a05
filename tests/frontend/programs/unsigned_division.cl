void unsigned_division(__global int* out, __global const int* in, __global float* fout,
                       __global const float* fin, int gid, int n) {
    uint a = (uint)in[gid], b = (n & 7) + 1;
    out[0] = a / b;
    out[1] = a % b;
    int c = in[gid] | 1;
    out[2] = c / (n + 1);
    out[3] = c % (n + 1);
    out[4] = -7 / 2;
    out[5] = -7 % 3;
    ulong l = 0x123456789abcdefUL;
    out[6] = l / 1000003 % 65536;
    uchar u = 250;
    out[7] = u / (uchar)7;
}
