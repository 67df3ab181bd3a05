__kernel void k(__global int* out, __global const int* in, __global float* fout,
                __global const float* fin) {
    int gid = get_global_id(0);
    out += gid * 16;
    fout += gid * 16;
    int n = in[gid] & 15;
    __constant int local_table[4] = {5, 6, 7, 8};
    const int fixed[4] = {1, 2, 3, 4};
    out[0] = local_table[n & 3] + fixed[n & 3];
    const int size = 3;
    int a[size];
    a[n % size] = 4;
    out[1] = a[n % size] + sizeof(a);
    __constant char* s = "xyz";
    out[2] = s[n % 3];
}
