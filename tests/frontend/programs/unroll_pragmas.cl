void unroll_pragmas(__global int* out, __global const int* in, __global float* fout,
                    __global const float* fin, int gid, int n) {
    int s = 0;
    _Pragma("unroll") for (int i = 0; i < 8; i++) s += in[i] & i;
#pragma unroll 4
    for (int i = 0; i < n; i++)
        s += i;
#pragma unroll 1
    while (s > 1000)
        s -= 100;
    out[0] = s;
}
