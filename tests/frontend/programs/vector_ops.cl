void vector_ops(__global int* out, __global const int* in, __global float* fout,
                __global const float* fin, int gid, int n) {
    uint4 a = (uint4)(n, 1, 2, 3);
    a = a * 3u + (uint4)(1, 2, 3, 4);
    a ^= 5u;
    a <<= (uint4)(1, 33, 2, 3);
    a >>= 1u;
    a %= 7u;
    a = -a;
    a = ~a;
    out[0] = a.x;
    out[1] = a.y;
    out[2] = a.z;
    out[3] = a.w;
    float4 f = (float4)(1, 2, 3, 4) / 2;
    f += n;
    f = -f;
    fout[0] = f.x;
    fout[1] = f.w;
    a++;
    --a;
    out[4] = (a++).x + a.y;
    short2 s = (short2)(30000, -5);
    s += (short)10000;
    out[5] = s.x;
    s = s / (short2)(3, 2);
    out[6] = s.x * 10 + s.y;
}
