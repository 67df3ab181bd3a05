void switch_nested(__global int* out, __global const int* in, __global float* fout,
                   __global const float* fin, int gid, int n) {
    int s = 0;
    for (int i = 0; i < n; i++) {
        switch (i % 4) {
        case 0: continue;
        case 1:
            switch (i) {
            case 5: s += 100; break;
            default: s += 7;
            }
            break;
        case 2: s++;
        }
        s *= 2;
    }
    out[0] = s;
}
