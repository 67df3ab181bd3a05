void while_continue(__global int* out, __global const int* in, __global float* fout,
                    __global const float* fin, int gid, int n) {
    int s = 0, i = 0;
    while (i < n) {
        i++;
        if (i & 1)
            continue;
        s += i;
    }
    out[0] = s;
}
