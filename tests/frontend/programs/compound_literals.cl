struct CompoundLiteralsPair {
    int x;
    float f;
    int v[2];
};
int compound_literals_total(struct CompoundLiteralsPair p) {
    return p.x + p.v[0] + p.v[1];
}

void compound_literals(__global int* out, __global const int* in, __global float* fout,
                       __global const float* fin, int gid, int n) {
    struct CompoundLiteralsPair p = (struct CompoundLiteralsPair){1, 2, {n, 4}};
    out[0] = p.v[0] + p.x;
    out[1] = ((int[]){1, 2, n})[2] + (struct CompoundLiteralsPair){n, 2}.x;
    out[2] = (int4){1, n, 3, 4}.y;
    out[3] = compound_literals_total((struct CompoundLiteralsPair){n, 0, {1, 2}});
    for (int i = 0; i < 2; i++) {
        struct CompoundLiteralsPair q = (struct CompoundLiteralsPair){i};
        q.x += 3;
        out[4 + i] = q.x + q.v[1];
    }
}
