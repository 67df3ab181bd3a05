void do_continue(__global int* out, __global const int* in, __global float* fout,
                 __global const float* fin, int gid, int n) {
    int s = 0, i = 0;
    do {
        i++;
        if (i == 4)
            continue;
        s += i;
    } while (i < n);
    out[0] = s;
}
