int vector_argument_dotlike(int2 a, int2 b) {
    return a.x * b.x + a.y * b.y;
}
int2 vector_argument_swapped(int2 a) {
    return a.yx;
}

void vector_argument(__global int* out, __global const int* in, __global float* fout,
                     __global const float* fin, int gid, int n) {
    int2 v = (int2)(1, 2);
    out[0] = vector_argument_dotlike(v, (int2)(n, 3));
    out[1] = vector_argument_swapped(v).x;
}
