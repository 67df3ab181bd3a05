void pointer_integer(__global int* out, __global const int* in, __global float* fout,
                     __global const float* fin, int gid, int n) {
    ulong a = (ulong)(in + 3);
    __global const int* p = (__global const int*)a;
    out[0] = *p;
    out[1] = (size_t)(p + 1) - a;
    out[2] = p == 0;
    __global int* z = 0;
    out[3] = z == 0;
    out[4] = (intptr_t)z;
}
