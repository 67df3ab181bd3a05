void char_punning(__global int* out, __global const int* in, __global float* fout,
                  __global const float* fin, int gid, int n) {
    int v = in[gid];
    uchar* b = (uchar*)&v;
    out[0] = b[0] + b[1] * 2 + b[2] * 3 + b[3] * 4;
    b[2] = 7;
    out[1] = v;
    float f = fin[gid];
    out[2] = *(int*)&f;
}
