void volatiles(__global int* out, __global const int* in, __global float* fout,
               __global const float* fin, int gid, int n) {
    volatile int v = n;
    v += 2;
    v++;
    out[0] = v + v;
    volatile __global int* p = out;
    p[1] = 5;
    p[2] = p[1] + p[1];
}
