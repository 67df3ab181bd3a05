void compound_once(__global int* out, __global const int* in, __global float* fout,
                   __global const float* fin, int gid, int n) {
    int i = 0;
    int a[4] = {1, 2, 3, 4};
    a[i++] += 10;
    a[i++] *= 5;
    a[++i]--;
    out[0] = a[0];
    out[1] = a[1];
    out[2] = a[2];
    out[3] = a[3];
    out[4] = i;
}
