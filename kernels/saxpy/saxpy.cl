// y = a x + y.
//
//   saxpy              one element per work-item
//   saxpy_grid_stride  a fixed grid that strides over the vector: the launch size is a free
//                      parameter, the trip count depends on it

__kernel void saxpy(const int n, const float a, __global const float *x, __global float *y)
{
    const int i = get_global_id(0);
    if (i < n) {
        y[i] = fma(a, x[i], y[i]);
    }
}

__kernel void saxpy_grid_stride(const int n, const float a, __global const float *x,
                                __global float *y)
{
    const int stride = get_global_size(0);
    for (int i = get_global_id(0); i < n; i += stride) {
        y[i] = fma(a, x[i], y[i]);
    }
}
