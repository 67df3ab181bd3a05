void compound(__global int* out, __global const int* in, __global float* fout,
              __global const float* fin, int gid, int n) {
    int a = n;
    a += 2.75f;
    out[0] = a;
    char c = 100;
    c += 100;
    out[1] = c;
    uint u = 7;
    u -= 9;
    out[2] = u;
    u >>= 3;
    out[3] = u;
    a <<= 33;
    out[4] = a;
    a %= 7;
    out[5] = a;
    a ^= -1;
    out[6] = a;
    float f = 10;
    f /= 4;
    f *= n;
    f -= 1;
    fout[0] = f;
    short s = -5;
    s >>= 1;
    out[7] = s;
    s *= 1000;
    out[8] = s;
    long l = 1;
    l <<= 40;
    l |= n;
    out[9] = l >> 38;
}
