struct __attribute__((aligned(16))) AlignedAligned {
    int x;
    int y;
};

void aligned(__global int* out, __global const int* in, __global float* fout,
             __global const float* fin, int gid, int n) {
    struct AlignedAligned a = {1, 2};
    out[0] = sizeof(struct AlignedAligned);
    struct AlignedAligned b[2] = {{3, 4}, {n, 6}};
    out[1] = (char*)&b[1] - (char*)&b[0];
    out[2] = b[n & 1].x + a.y;
    out[3] = ((ulong)&b[0] & 15);
}
