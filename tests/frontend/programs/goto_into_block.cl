void goto_into_block(__global int* out, __global const int* in, __global float* fout,
                     __global const float* fin, int gid, int n) {
    int s = 1;
    if (n > 7)
        goto inside;
    s = 2;
    {
        s += 10;
    inside:
        s += 100;
    }
    out[0] = s;
}
