// Sum of two vectors, c = a + b.
//
// The smallest memory-bound kernel there is: two coalesced loads, one addition, one coalesced
// store. `vecadd4` does the same with 16 bytes per thread and access, and a scalar tail.

__global__ void vecadd(const float *a, const float *b, float *c,
                     const int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}

__global__ void vecadd4(const float *a, const float *b, float *c,
                      const int n)
{
    const int quad = blockIdx.x * blockDim.x + threadIdx.x;
    const int first = 4 * quad;
    if (first + 3 < n) {
        const float4 left = reinterpret_cast<const float4 *>(a)[quad];
        const float4 right = reinterpret_cast<const float4 *>(b)[quad];
        reinterpret_cast<float4 *>(c)[quad] = make_float4(left.x + right.x, left.y + right.y,
                                                          left.z + right.z, left.w + right.w);
    } else {
        // At most one thread has a partial quad; those beyond it find nothing to do.
        for (int i = first; i < n; ++i) {
            c[i] = a[i] + b[i];
        }
    }
}
