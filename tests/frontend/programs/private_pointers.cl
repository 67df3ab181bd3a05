void private_pointers(__global int* out, __global const int* in, __global float* fout,
                      __global const float* fin, int gid, int n) {
    int a[6] = {1, 2, 3, 4, 5, 6};
    int* p = a + 1;
    *p += 10;
    p[n & 3] = 7;
    int** q = &p;
    (*q)++;
    **q = n;
    int s = 0;
    for (int* r = a; r != a + 6; r++)
        s = s * 10 + *r;
    out[0] = s;
    out[1] = *p;
    out[2] = q == &p;
}
