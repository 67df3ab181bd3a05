void vector_compare(__global int* out, __global const int* in, __global float* fout,
                    __global const float* fin, int gid, int n) {
    int4 a = (int4)(1, 2, 3, 4), b = (int4)(n & 3);
    int4 c = a < b;
    out[0] = c.x + c.y * 2 + c.z * 4 + c.w * 8;
    c = a == b || a > 3;
    out[1] = c.x + c.y * 2 + c.z * 4 + c.w * 8;
    c = !a;
    out[2] = c.x;
    float2 f = (float2)(fin[gid], 0.0f);
    int2 d = f != 0.0f;
    out[3] = d.x + d.y * 2;
    int4 e = c ? a : b;
    out[4] = e.x + e.y * 3;
    uchar2 u = (uchar2)(200, 3);
    char2 g = u > (uchar2)100;
    out[5] = g.x;
    long2 h = (double2)(1, 2) < (double2)(n);
    out[6] = h.x + h.y * 2;
    int2 t = n > 3 ? (int2)(1, 2) : (int2)(3, 4);
    out[7] = t.x;
}
