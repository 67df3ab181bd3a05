void vector_literals(__global int* out, __global const int* in, __global float* fout,
                     __global const float* fin, int gid, int n) {
    int16 v = (int16)((int4)(1, 2, 3, 4), (int8)(n), 5, 6, (int2)(7, 8));
    out[0] = v.s0 + v.s4 * 2 + v.sc * 3 + v.sF * 5;
    float4 f = (float4)(1, n, 2.5, (char)3);
    fout[0] = f.y + f.w;
    uchar4 u = (uchar4)(300, -1, 2, 3);
    out[1] = u.x + u.y;
    int2 s = (int2)(7);
    out[2] = s.y;
    double2 d = (double2)(1, fin[gid]);
    fout[1] = d.y;
}
