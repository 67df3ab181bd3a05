void nested(__global int* out, __global const int* in, __global float* fout,
            __global const float* fin, int gid, int n) {
    int s = 0;
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j += 2) {
            if (j == 5)
                break;
            s += i ^ j;
        }
    out[0] = s;
}
