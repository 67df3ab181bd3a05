void float_compare(__global int* out, __global const int* in, __global float* fout,
                   __global const float* fin, int gid, int n) {
    float z = 0, x = fin[gid];
    float q = z / z;
    out[0] = q == q;
    out[1] = q != q;
    out[2] = x < q;
    out[3] = !(x < q);
    out[4] = !q;
    out[5] = q && 1;
    out[6] = x <= x;
    out[7] = -z == z;
    out[8] = 1 / z > x;
    out[9] = (x > 0) == (x >= 0);
}
