void short_circuit(__global int* out, __global const int* in, __global float* fout,
                   __global const float* fin, int gid, int n) {
    int c = 0;
    if (n > 3 && ++c && (n < 8 || ++c))
        c += 10;
    out[0] = c;
    out[1] = n && c++;
    out[2] = c;
    out[3] = n || c++;
    out[4] = c;
}
