void do_once(__global int* out, __global const int* in, __global float* fout,
             __global const float* fin, int gid, int n) {
    int s = 1;
    do {
        s += 2;
        if (n > 3)
            break;
        s += 4;
    } while (0);
    out[0] = s;
}
