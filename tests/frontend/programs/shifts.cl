void shifts(__global int* out, __global const int* in, __global float* fout,
            __global const float* fin, int gid, int n) {
    out[0] = 1 << (n + 30);
    out[1] = in[gid] >> (n + 28);
    out[2] = (uint)in[gid] >> 36;
    out[3] = (uchar)200 >> 1;
    out[4] = (char)-100 >> 1;
    long l = 1;
    out[5] = (l << 65) + (l << (n + 60) >> 58);
    out[6] = 1 << n << n;
    short s = 1;
    out[7] = s << 20;
}
