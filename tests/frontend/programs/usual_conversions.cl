void usual_conversions(__global int* out, __global const int* in, __global float* fout,
                       __global const float* fin, int gid, int n) {
    uchar a = 200, b = 100;
    out[0] = a + b;
    out[1] = (uchar)(a + b);
    ushort s = 65535;
    out[2] = s * 2;
    uint u = 1;
    out[3] = (n - 20) < u;
    long l = -1;
    out[4] = l < u;
    out[5] = (-1 >> 1);
    out[6] = (uint)-1 >> 31;
    out[7] = a << 8;
    out[8] = ~a;
    out[9] = -b;
}
