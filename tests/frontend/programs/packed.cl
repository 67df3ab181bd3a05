struct __attribute__((packed)) PackedPacked {
    char c;
    int i;
    short s;
    long l;
};

void packed(__global int* out, __global const int* in, __global float* fout,
            __global const float* fin, int gid, int n) {
    struct PackedPacked k = {1, n, 2, 3};
    k.i += 5;
    out[0] = k.i;
    out[1] = sizeof(struct PackedPacked);
    __global struct PackedPacked* p = (__global struct PackedPacked*)(out + 4);
    p[0] = k;
    p[1].s = 9;
    p[1].c = 4;
    p[1].i = n;
    p[1].l = 1L << 33;
    out[2] = p[0].l + p[0].s;
    out[3] = p[1].i;
}
