void arrays(__global int* out, __global const int* in, __global float* fout,
            __global const float* fin, int gid, int n) {
    int a[3][4];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++)
            a[i][j] = i * 10 + j * n;
    int (*row)[4] = a + 1;
    out[0] = (*row)[2];
    out[1] = row[1][3];
    out[2] = *(*(a + 2) + 1);
    out[3] = sizeof(a) / sizeof(a[0]);
    out[4] = a[n % 3][n % 4];
    out[5] = &a[2][0] - &a[0][0];
}
