void duff(__global int* out, __global const int* in, __global float* fout,
          __global const float* fin, int gid, int n) {
    int s = 0, c = n + 1, r = (c + 3) / 4;
    switch (c % 4) {
    case 0: do { s += 1;
        case 3: s += 10;
        case 2: s += 100;
        case 1: s += 1000;
        } while (--r > 0);
    }
    out[0] = s;
}
