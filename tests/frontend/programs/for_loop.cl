void for_loop(__global int* out, __global const int* in, __global float* fout,
              __global const float* fin, int gid, int n) {
    int s = 0;
    for (int i = 0; i < n; i++)
        s += i * i;
    out[0] = s;
}
