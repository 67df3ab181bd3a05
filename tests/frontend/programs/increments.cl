void increments(__global int* out, __global const int* in, __global float* fout,
                __global const float* fin, int gid, int n) {
    int a = n;
    int b = a++ * 2;
    int c = --a + 3;
    char d = 127;
    d++;
    uchar e = 0;
    e--;
    short f = (short)n;
    f -= 300;
    out[0] = a;
    out[1] = b;
    out[2] = c;
    out[3] = d;
    out[4] = e;
    out[5] = f;
    float g = 1.5f;
    g++;
    --g;
    fout[0] = g++;
    fout[1] = g;
}
