void doubles(__global int* out, __global const int* in, __global float* fout,
             __global const float* fin, int gid, int n) {
    double d = fin[gid];
    d = d / 3 + 1e-3;
    fout[0] = d;
    fout[1] = (float)(d * d);
    out[0] = d * 1000;
    out[1] = d > 0.1;
    out[2] = 0.1 == 0.1f;
    fout[2] = 1.0 / 3;
    fout[3] = (float)1 / 3;
}
