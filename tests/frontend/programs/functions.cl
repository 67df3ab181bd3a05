int functions_add3(int a, int b, int c);
int functions_early(int n) {
    if (n > 5)
        return 1;
    if (n < -5) {
        n = -n;
        return n;
    }
    return 0;
}
void functions_set(__global int* p, int v) {
    if (v > 10)
        return;
    *p = v;
}
void functions_set_private(int* p, int v) {
    *p += v;
}
inline void functions_no_result(__global int* p) {
    p[6] = 3;
}
uchar functions_narrow(int v) {
    return v;
}
float functions_half_of(int v) {
    return v * 0.5f;
}
bool functions_truth(int v) {
    return v;
}
int functions_add3(int a, int b, int c) {
    a += b;
    return a + c;
}

void functions(__global int* out, __global const int* in, __global float* fout,
               __global const float* fin, int gid, int n) {
    out[0] = functions_add3(1, n, 5);
    out[1] = functions_early(n);
    out[2] = functions_early(-n);
    functions_set(&out[3], n * 2);
    int x = 4;
    functions_set_private(&x, n);
    out[4] = x;
    functions_no_result(out);
    out[7] = functions_narrow(n + 300);
    fout[0] = functions_half_of(n);
    out[8] = functions_truth(n);
}
