void constant_conditions(__global int* out, __global const int* in, __global float* fout,
                         __global const float* fin, int gid, int n) {
    if (0)
        out[0] = 1;
    else
        out[0] = 2;
    if (1)
        out[1] = 3;
    while (0)
        out[2] = 4;
    for (; 0;)
        out[3] = 5;
    out[4] = 1 ? n : 7;
}
