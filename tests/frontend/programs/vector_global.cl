void vector_global(__global int* out, __global const int* in, __global float* fout,
                   __global const float* fin, int gid, int n) {
    __global int4* p = (__global int4*)out;
    p[0] = (int4)(n);
    p[0].y = 5;
    p[1] = p[0].wzyx;
    p[1].xz = (int2)(1, 2);
    p[2] = p[1] + p[0];
    p[2].s3 *= 3;
    __global int* q = (__global int*)&p[2];
    p[3] = (int4)(q[1], p[2].z, p[1].w, 0);
}
