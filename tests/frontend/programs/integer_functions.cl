void integer_functions(__global int* out, __global const int* in, __global float* fout,
                       __global const float* fin, int gid, int n) {
    out[0] = min(n, 5) + max(n, 3) * 10;
    out[1] = abs(in[gid]);
    out[2] = clamp(n, 2, 7);
    out[3] = popcount(in[gid]);
    out[4] = clz(n | 1);
    out[5] = mul24(n, 3) + mad24(n, 2, 1);
    out[6] = mul_hi(in[gid], in[gid + 1]);
    out[7] = rotate(n, 5);
    out[8] = add_sat(in[gid], in[gid + 1]);
    out[9] = hadd(in[gid], n) + rhadd(n, 3);
    int2 v = max((int2)(n, 1), (int2)(3, 4));
    out[10] = v.x + v.y;
    out[11] = abs_diff(n, -5);
    out[12] = upsample((short)n, (ushort)7);
    out[13] = sub_sat(in[gid], in[gid + 1]);
}
