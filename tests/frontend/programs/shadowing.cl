void shadowing(__global int* out, __global const int* in, __global float* fout,
               __global const float* fin, int gid, int n) {
    int x = 1;
    {
        int x = 2;
        x += n;
        out[0] = x;
        {
            int n = 9;
            out[1] = n;
        }
    }
    for (int x = 5; x < 6; x++)
        out[2] = x;
    out[3] = x;
    int v0 = 3, s1 = 4, entry = 5;
    out[4] = v0 + s1 + entry;
}
