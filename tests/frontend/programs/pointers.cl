void pointers(__global int* out, __global const int* in, __global float* fout,
              __global const float* fin, int gid, int n) {
    __global const int* p = in + n;
    out[0] = *p;
    out[1] = p[1];
    p++;
    out[2] = *p++;
    out[3] = *p--;
    out[4] = p - in;
    out[5] = &p[3] - p;
    p -= 2;
    out[6] = *p;
    p += 1;
    out[7] = p > in;
    out[8] = !p;
    out[9] = *(in + 2) + 2 [in];
    out[10] = (int)((__global const char*)p - (__global const char*)in);
    out[11] = *(__global const short*)p;
}
