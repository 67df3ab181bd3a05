void loads_and_stores(__global int* out, __global const int* in, __global float* fout,
                      __global const float* fin, int gid, int n) {
    vstore4((int4)(1, 2, 3, n), 0, out);
    int2 v = vload2(1, in);
    out[4] = v.x + v.y;
    int3 w = vload3(n, in);
    vstore3(w, 2, out);
    vstore2(v.yx, 6, out);
    float4 f = vload4(1, fin);
    vstore4(f * 2, 1, fout);
}
