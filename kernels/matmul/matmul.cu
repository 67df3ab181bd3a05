// Dense single-precision matrix product, C[m][n] = A[m][k] * B[k][n], all row-major.
//
//   matmul_naive   one element of C per thread, operands straight from global memory
//   matmul_tiled   the same through TILE x TILE tiles of A and B in shared memory
//   matmul_float4  4 x 4 elements of C per thread in registers, float4 loads and stores

#ifndef TILE
#define TILE 16
#endif

__global__ void matmul_naive(float *C, const float *A, const float *B,
                           const int m, const int n, const int k)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || col >= n) {
        return;
    }
    float sum = 0.0f;
    for (int i = 0; i < k; ++i) {
        sum += A[row * k + i] * B[i * n + col];
    }
    C[row * n + col] = sum;
}

__global__ void __launch_bounds__(TILE * TILE) matmul_tiled(float *C, const float *A, const float *B,
                  const int m, const int n, const int k)
{
    __shared__ float a_tile[TILE][TILE];
    __shared__ float b_tile[TILE][TILE];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int col = blockIdx.x * TILE + tx;
    const int row = blockIdx.y * TILE + ty;

    float sum = 0.0f;
    for (int base = 0; base < k; base += TILE) {
        // Elements beyond the matrices count as zero, so the inner loop needs no bound test.
        a_tile[ty][tx] = (row < m && base + tx < k) ? A[row * k + base + tx] : 0.0f;
        b_tile[ty][tx] = (base + ty < k && col < n) ? B[(base + ty) * n + col] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TILE; ++i) {
            sum += a_tile[ty][i] * b_tile[i][tx];
        }
        __syncthreads();
    }
    if (row < m && col < n) {
        C[row * n + col] = sum;
    }
}

// Register blocking: 16 x 16 threads produce a 64 x 64 tile of C, 16 steps of k at a time.
#define SIDE 16
#define TILE_MN (4 * SIDE)
#define TILE_K 16

// s * v + sum, component by component.
__device__ float4 scaled_sum(const float s, const float4 v, const float4 sum)
{
    return make_float4(fmaf(s, v.x, sum.x), fmaf(s, v.y, sum.y), fmaf(s, v.z, sum.z),
                       fmaf(s, v.w, sum.w));
}

// Needs n and k divisible by 4, so that a quad is wholly inside or wholly outside.
__global__ void __launch_bounds__(SIDE * SIDE) matmul_float4(float *C, const float *A, const float *B,
                   const int m, const int n, const int k)
{
    __shared__ __align__(16) float a_tile[TILE_K][TILE_MN]; // transposed: a column of A is contiguous
    __shared__ __align__(16) float b_tile[TILE_K][TILE_MN];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int lane = ty * SIDE + tx;
    const int row0 = blockIdx.y * TILE_MN;
    const int col0 = blockIdx.x * TILE_MN;

    // Which quad of each operand tile this thread fetches: 256 quads, 256 threads.
    const int a_row = lane / (TILE_K / 4);
    const int a_col = lane % (TILE_K / 4) * 4;
    const int b_row = lane / (TILE_MN / 4);
    const int b_col = lane % (TILE_MN / 4) * 4;

    float4 acc[4];
#pragma unroll
    for (int r = 0; r < 4; ++r) {
        acc[r] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    }

    for (int base = 0; base < k; base += TILE_K) {
        float4 a = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        float4 b = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        if (row0 + a_row < m && base + a_col < k) {
            a = *reinterpret_cast<const float4 *>(A + (row0 + a_row) * k + base + a_col);
        }
        if (base + b_row < k && col0 + b_col < n) {
            b = *reinterpret_cast<const float4 *>(B + (base + b_row) * n + col0 + b_col);
        }
        a_tile[a_col + 0][a_row] = a.x;
        a_tile[a_col + 1][a_row] = a.y;
        a_tile[a_col + 2][a_row] = a.z;
        a_tile[a_col + 3][a_row] = a.w;
        *reinterpret_cast<float4 *>(&b_tile[b_row][b_col]) = b;
        __syncthreads();

        for (int i = 0; i < TILE_K; ++i) {
            const float4 left = reinterpret_cast<const float4 *>(a_tile[i])[ty];
            const float4 right = reinterpret_cast<const float4 *>(b_tile[i])[tx];
            acc[0] = scaled_sum(left.x, right, acc[0]);
            acc[1] = scaled_sum(left.y, right, acc[1]);
            acc[2] = scaled_sum(left.z, right, acc[2]);
            acc[3] = scaled_sum(left.w, right, acc[3]);
        }
        __syncthreads();
    }

    const int col = col0 + 4 * tx;
#pragma unroll
    for (int r = 0; r < 4; ++r) {
        const int row = row0 + 4 * ty + r;
        if (row < m && col < n) {
            *reinterpret_cast<float4 *>(C + row * n + col) = acc[r];
        }
    }
}
