void sizes(__global int* out, __global const int* in, __global float* fout,
           __global const float* fin, int gid, int n) {
    out[0] = sizeof(int) + sizeof(long) * 10;
    out[1] = sizeof n;
    out[2] = sizeof(float3) + sizeof(char16);
    int a[7];
    out[3] = sizeof a;
    out[4] = sizeof(a[0]) * 2;
    out[5] = sizeof(out);
    out[6] = sizeof(1.0f + n);
    out[7] = vec_step(int3);
    int i = 3;
    out[8] = sizeof(i++);
    out[9] = i;
    out[10] = sizeof(size_t);
    out[11] = sizeof('a');
}
