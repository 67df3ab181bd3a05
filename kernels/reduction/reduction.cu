// Sum of a vector to one partial sum per thread block; repeated until one value is left.
//
//   reduce_interleaved  tree whose active lanes are `lid % (2 * stride) == 0`: every step
//                       leaves all warps half idle, and needs a remainder
//   reduce_sequential   the tree folds halves, so whole warps drop out together
//   reduce_grid_stride  each thread first sums its share in a register, then the tree
//
// The local size must be a power of two; the launch gives one float of shared memory per thread.

typedef unsigned int uint;

extern __shared__ float sdata[];

__global__ void reduce_interleaved(const float *g_idata, float *g_odata,
                                 const uint n)
{
    const uint lid = threadIdx.x;
    const uint i = blockIdx.x * blockDim.x + threadIdx.x;
    const uint size = blockDim.x;

    sdata[lid] = (i < n) ? g_idata[i] : 0.0f;
    __syncthreads();

    for (uint stride = 1; stride < size; stride *= 2) {
        if (lid % (2 * stride) == 0) {
            sdata[lid] += sdata[lid + stride];
        }
        __syncthreads();
    }
    if (lid == 0) {
        g_odata[blockIdx.x] = sdata[0];
    }
}

// Folds sdata[0 .. size) into sdata[0]; all threads of the group must call it.
__device__ void fold_halves(const uint lid, const uint size)
{
    for (uint half_size = size / 2; half_size > 0; half_size >>= 1) {
        if (lid < half_size) {
            sdata[lid] += sdata[lid + half_size];
        }
        __syncthreads();
    }
}

__global__ void reduce_sequential(const float *g_idata, float *g_odata,
                                const uint n)
{
    const uint lid = threadIdx.x;
    const uint i = blockIdx.x * blockDim.x + threadIdx.x;

    sdata[lid] = (i < n) ? g_idata[i] : 0.0f;
    __syncthreads();

    fold_halves(lid, blockDim.x);
    if (lid == 0) {
        g_odata[blockIdx.x] = sdata[0];
    }
}

__global__ void reduce_grid_stride(const float *g_idata, float *g_odata,
                                 const uint n)
{
    const uint lid = threadIdx.x;

    float sum = 0.0f;
    for (uint i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        sum += g_idata[i];
    }
    sdata[lid] = sum;
    __syncthreads();

    fold_halves(lid, blockDim.x);
    if (lid == 0) {
        g_odata[blockIdx.x] = sdata[0];
    }
}
