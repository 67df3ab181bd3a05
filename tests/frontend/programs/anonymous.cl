void anonymous(__global int* out, __global const int* in, __global float* fout,
               __global const float* fin, int gid, int n) {
    struct AnonymousAnon {
        int a;
        union {
            int b;
            float c;
        };
        struct {
            int d, e;
        };
    } x = {1, {2}, {3, n}};
    x.c = 1.0f;
    out[0] = x.b + x.e + x.a;
    x.d++;
    out[1] = x.d;
}
