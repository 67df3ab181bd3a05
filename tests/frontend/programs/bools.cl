void bools(__global int* out, __global const int* in, __global float* fout,
           __global const float* fin, int gid, int n) {
    bool b = n;
    bool c = 0.5f;
    b = b && c;
    out[0] = b;
    out[1] = b + c;
    bool d[3] = {n > 3, 7, 0};
    out[2] = d[n % 3];
    b ^= 1;
    out[3] = b;
    bool e = &out[0];
    out[4] = e;
    b++;
    out[5] = b;
    out[6] = sizeof(bool);
    b = n;
    b--;
    out[7] = b;
    b += 5;
    out[8] = b;
}
