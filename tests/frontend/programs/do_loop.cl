void do_loop(__global int* out, __global const int* in, __global float* fout,
             __global const float* fin, int gid, int n) {
    int s = 0;
    do {
        s += n;
        n >>= 1;
    } while (n > 0);
    out[0] = s;
}
