// y = a x + y.
//
//   saxpy              one element per thread
//   saxpy_grid_stride  a fixed grid that strides over the vector: the launch size is a free
//                      parameter, the trip count depends on it

__global__ void saxpy(const int n, const float a, const float *x, float *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = fmaf(a, x[i], y[i]);
    }
}

__global__ void saxpy_grid_stride(const int n, const float a, const float *x,
                                float *y)
{
    const int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        y[i] = fmaf(a, x[i], y[i]);
    }
}
