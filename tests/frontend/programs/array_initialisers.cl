void array_initialisers(__global int* out, __global const int* in, __global float* fout,
                        __global const float* fin, int gid, int n) {
    int a[5] = {1, n};
    int b[] = {3, 2, 1};
    int c[2][3] = {{1}, {2, 3}};
    int d[4] = {[2] = n, [0] = 4};
    int e[2][2] = {1, 2, 3, 4};
    out[0] = a[0] + a[1] * 2 + a[4];
    out[1] = b[n % 3] + sizeof(b);
    out[2] = c[0][0] + c[0][2] + c[1][1];
    out[3] = d[2] + d[0] + d[1];
    out[4] = e[1][0];
    char s[] = "hey";
    out[5] = s[n & 3] + sizeof(s);
    char t[8] = "ab";
    out[6] = t[1] + t[7];
}
