void vector3(__global int* out, __global const int* in, __global float* fout,
             __global const float* fin, int gid, int n) {
    int3 v = (int3)(1, n, 3);
    v.z += v.x;
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
    out[3] = sizeof(int3);
    int3 a[2] = {v, v * 2};
    out[4] = a[n & 1].y;
    float3 f = (float3)(fin[0], fin[1], fin[2]) * 2.0f;
    fout[0] = f.x + f.y + f.z;
    uchar3 u = (uchar3)(255, 1, 2) + (uchar3)1;
    out[5] = u.x + u.y;
    int4 w = (int4)(v, 9);
    out[6] = w.w + w.z;
}
