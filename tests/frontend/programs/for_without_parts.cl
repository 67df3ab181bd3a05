void for_without_parts(__global int* out, __global const int* in, __global float* fout,
                       __global const float* fin, int gid, int n) {
    int i = 0;
    for (;;) {
        if (i >= n)
            break;
        i += 3;
    }
    out[0] = i;
}
