void for_continue(__global int* out, __global const int* in, __global float* fout,
                  __global const float* fin, int gid, int n) {
    int s = 0;
    for (int i = 0; i < 20; ++i) {
        if (i % 3 == n % 3)
            continue;
        s += i;
    }
    out[0] = s;
}
