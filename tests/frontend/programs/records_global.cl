struct RecordsGlobalPair {
    int x;
    float f;
    int v[2];
};
int records_global_offset(__global struct RecordsGlobalPair* p) {
    return p->v - &p->x;
}

void records_global(__global int* out, __global const int* in, __global float* fout,
                    __global const float* fin, int gid, int n) {
    __global struct RecordsGlobalPair* p = (__global struct RecordsGlobalPair*)out;
    p[0].x = n;
    p[0].f = 1.5f;
    p[0].v[1] = 5;
    p[0].v[0] = p[0].x + 1;
    p[1] = p[0];
    p[1].v[n & 1] += 3;
    struct RecordsGlobalPair l = p[1];
    p[2] = l;
    p[2].x = (p + 1)->v[1];
    out[12] = records_global_offset(p + 1);
}
