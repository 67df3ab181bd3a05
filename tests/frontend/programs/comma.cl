void comma(__global int* out, __global const int* in, __global float* fout,
           __global const float* fin, int gid, int n) {
    int a, b;
    a = (b = n, b * 2), b += a;
    out[0] = a;
    out[1] = b;
    for (a = 0, b = 9; a < b; a++, b--)
        ;
    out[2] = a;
}
