void vector_members(__global int* out, __global const int* in, __global float* fout,
                    __global const float* fin, int gid, int n) {
    int4 v = (int4)(1, 2, 3, 4);
    v.x = n;
    v.yz = (int2)(7, 8);
    v.wx = v.xy;
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
    out[3] = v.w;
    v.s0 += 5;
    v.s3++;
    v.xy *= 2;
    out[4] = v.s0 + v.s1 * 3 + v.s3 * 5;
    int2 h = v.hi, l = v.lo, e = v.even, o = v.odd;
    out[5] = h.x + l.y * 3 + e.y * 5 + o.x * 7;
    int8 w = (int8)(v, v.wzyx);
    out[6] = w.s7 + w.s4;
    w.hi = v;
    w.odd = w.lo;
    out[7] = w.s1 + w.s3 * 10 + w.s5;
    out[8] = v.zyx.y;
}
