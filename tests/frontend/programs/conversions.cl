void conversions(__global int* out, __global const int* in, __global float* fout,
                 __global const float* fin, int gid, int n) {
    out[0] = convert_int(fin[gid]);
    out[1] = convert_uchar_sat(in[gid]);
    out[2] = convert_int_rte(fin[gid] * 0.5f);
    out[3] = convert_char_sat(fin[gid] * 10);
    int4 v = convert_int4((float4)(1.5f, -1.5f, 2.5f, fin[gid]));
    out[4] = v.x + v.y * 3 + v.w;
    out[5] = convert_int_rtp(1.25f) + convert_int_rtn(-1.25f);
    float2 f = convert_float2((int2)(n, 7));
    fout[0] = f.x;
    out[6] = convert_ushort_sat(-5) + convert_short_sat(40000);
    out[7] = convert_uint_sat(-1.5f);
}
