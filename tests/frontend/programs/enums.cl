void enums(__global int* out, __global const int* in, __global float* fout,
           __global const float* fin, int gid, int n) {
    enum EnumsKind { A, B = 5, C, D = -1 } e = n > 3 ? C : D;
    out[0] = e;
    out[1] = B + A;
    switch (e) {
    case C: out[2] = 1; break;
    case D: out[2] = 2; break;
    default: out[2] = 3;
    }
    e++;
    out[3] = e;
    out[4] = sizeof(enum EnumsKind);
}
