void chars(__global int* out, __global const int* in, __global float* fout,
           __global const float* fin, int gid, int n) {
    char c = 'a';
    uchar u = '\xff';
    out[0] = c;
    out[1] = u;
    out[2] = '\n' + '\0' + '\x41' + '\101';
    out[3] = (char)u;
    out[4] = c < u;
    out[5] = (char)200 == 200;
}
