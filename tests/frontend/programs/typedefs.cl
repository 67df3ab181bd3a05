void typedefs(__global int* out, __global const int* in, __global float* fout,
              __global const float* fin, int gid, int n) {
    typedef int T;
    typedef T Row[3];
    Row r = {1, 2, n};
    T* p = r;
    out[0] = p[2];
    typedef struct {
        T a;
    } S;
    S s = {n};
    out[1] = s.a;
    {
        typedef float T;
        T f = 1.5;
        fout[0] = f;
    }
    typedef float4 V;
    V v = (V)(1, 2, 3, n);
    fout[1] = v.w;
}
