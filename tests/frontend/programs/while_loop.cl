void while_loop(__global int* out, __global const int* in, __global float* fout,
                __global const float* fin, int gid, int n) {
    int s = 0, i = n;
    while (i--) {
        s = s * 3 + i;
        if (s > 500)
            break;
    }
    out[0] = s;
    out[1] = i;
}
