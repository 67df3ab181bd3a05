struct RecordsPair {
    int x;
    float f;
    int v[2];
};
struct RecordsOuter {
    struct RecordsPair p;
    int2 v;
    char c;
};
struct RecordsPair records_make(int a, int b) {
    struct RecordsPair p = {a, b, {a, b}};
    if (a > 5)
        p.v[1] = 50;
    return p;
}
int records_total(struct RecordsPair p) {
    p.x += 1;
    return p.x + p.v[0] + p.v[1];
}

void records(__global int* out, __global const int* in, __global float* fout,
             __global const float* fin, int gid, int n) {
    struct RecordsPair a = {1, 2.5f, {3, n}};
    struct RecordsPair b = a;
    b.v[0] = 9;
    a.x += b.v[1];
    out[0] = a.x;
    out[1] = b.v[0] + a.v[0];
    fout[0] = b.f;
    struct RecordsPair c = records_make(n, 2);
    out[2] = c.x + c.v[1];
    out[3] = records_make(3, 4).v[0];
    struct RecordsPair* p = &b;
    p->x = 77;
    out[4] = b.x;
    out[5] = records_total(b);
    struct RecordsPair d[2] = {{1}, {2, 3}};
    d[n & 1] = a;
    out[6] = d[1].x;
    fout[1] = d[0].f;
    out[7] = sizeof(struct RecordsPair);
    struct RecordsOuter q = {{5, 6}, (int2)(7, 8), 'c'};
    q.p.x++;
    q.v.y += n;
    out[8] = q.p.x + q.v.y + q.c;
    out[9] = sizeof(struct RecordsOuter);
    p = &q.p;
    out[10] = p->x;
    b = n > 4 ? a : c;
    out[11] = b.x;
    (b = c).x;
    out[12] = b.v[1];
}
