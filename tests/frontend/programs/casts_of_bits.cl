void casts_of_bits(__global int* out, __global const int* in, __global float* fout,
                   __global const float* fin, int gid, int n) {
    out[0] = as_int(fin[gid]);
    fout[0] = as_float(n << 23);
    int2 v = as_int2((double)fin[gid]);
    out[1] = v.y;
    uchar4 u = as_uchar4(in[gid]);
    out[2] = u.s2;
    short2 s = as_short2(in[gid]);
    out[3] = s.x;
    out[4] = as_uint(in[gid]) > 5;
    out[5] = as_char((uchar)200);
}
