void big_array(__global int* out, __global const int* in, __global float* fout,
               __global const float* fin, int gid, int n) {
    int a[200] = {1, 2};
    for (int i = 2; i < 200; i++)
        a[i] += a[i - 1] + a[i - 2] & 1023;
    out[0] = a[n * 10];
    int b[200] = {[150] = 9};
    out[1] = b[150] + b[n];
}
