void switch_cases(__global int* out, __global const int* in, __global float* fout,
                  __global const float* fin, int gid, int n) {
    int s;
    switch (n) {
    case 0: s = 5; break;
    case 1:
    case 2: s = 6;
    case 3: s = 7; break;
    default: s = -n;
    }
    out[0] = s;
}
