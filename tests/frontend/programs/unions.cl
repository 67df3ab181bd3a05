union UnionsBits {
    float f;
    int i;
    uchar b[4];
    int2 v;
};
struct UnionsTagged {
    char tag;
    union UnionsBits u;
};

void unions(__global int* out, __global const int* in, __global float* fout,
            __global const float* fin, int gid, int n) {
    union UnionsBits u;
    u.f = 1.0f;
    out[0] = u.i;
    u.i = n;
    out[1] = u.b[0];
    u.v.y = 9;
    out[2] = u.v.y;
    union UnionsBits w = {.f = 2.0f};
    out[3] = w.i;
    w = u;
    out[4] = w.i;
    out[5] = sizeof(union UnionsBits);
    struct UnionsTagged t = {1, {.i = n}};
    t.u.b[1] = 1;
    out[6] = t.u.i;
    out[7] = t.tag;
    t.u = w;
    out[8] = t.u.i;
}
