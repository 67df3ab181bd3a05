// Sparse lower triangular solve by levels (Naumov, NVR-2011-001): rows of one level in a launch.
__kernel void solve(__global const int *rows, __global const int *starts, __global const int *columns,
                    __global const float *values, __global float *x, int first, int count)
{
    const int i = get_global_id(0);
    if (i >= count) return;
    const int row = rows[first + i];
    float sum = x[row];
    const int last = starts[row + 1] - 1;
    for (int e = starts[row]; e < last; ++e) sum -= values[e] * x[columns[e]];
    x[row] = sum / values[last];
}
