// Dense single-precision matrix product, C[m][n] = A[m][k] * B[k][n], all row-major.
//
//   matmul_naive   one element of C per work-item, operands straight from global memory
//   matmul_tiled   the same through TILE x TILE tiles of A and B in local memory
//   matmul_float4  4 x 4 elements of C per work-item in registers, float4 loads and stores

#ifndef TILE
#define TILE 16
#endif

__kernel void matmul_naive(__global float *C, __global const float *A, __global const float *B,
                           const int m, const int n, const int k)
{
    const int col = get_global_id(0);
    const int row = get_global_id(1);
    if (row >= m || col >= n) {
        return;
    }
    float sum = 0.0f;
    for (int i = 0; i < k; ++i) {
        sum += A[row * k + i] * B[i * n + col];
    }
    C[row * n + col] = sum;
}

__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
void matmul_tiled(__global float *C, __global const float *A, __global const float *B,
                  const int m, const int n, const int k)
{
    __local float a_tile[TILE][TILE];
    __local float b_tile[TILE][TILE];

    const int tx = get_local_id(0);
    const int ty = get_local_id(1);
    const int col = get_group_id(0) * TILE + tx;
    const int row = get_group_id(1) * TILE + ty;

    float sum = 0.0f;
    for (int base = 0; base < k; base += TILE) {
        // Elements beyond the matrices count as zero, so the inner loop needs no bound test.
        a_tile[ty][tx] = (row < m && base + tx < k) ? A[row * k + base + tx] : 0.0f;
        b_tile[ty][tx] = (base + ty < k && col < n) ? B[(base + ty) * n + col] : 0.0f;
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (int i = 0; i < TILE; ++i) {
            sum += a_tile[ty][i] * b_tile[i][tx];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (row < m && col < n) {
        C[row * n + col] = sum;
    }
}

// Register blocking: 16 x 16 work-items produce a 64 x 64 tile of C, 16 steps of k at a time.
#define SIDE 16
#define TILE_MN (4 * SIDE)
#define TILE_K 16

// Needs n and k divisible by 4, so that a quad is wholly inside or wholly outside.
__kernel __attribute__((reqd_work_group_size(SIDE, SIDE, 1)))
void matmul_float4(__global float *C, __global const float *A, __global const float *B,
                   const int m, const int n, const int k)
{
    __local float a_tile[TILE_K][TILE_MN]; // transposed: a column of A is contiguous
    __local float b_tile[TILE_K][TILE_MN];

    const int tx = get_local_id(0);
    const int ty = get_local_id(1);
    const int lane = ty * SIDE + tx;
    const int row0 = get_group_id(1) * TILE_MN;
    const int col0 = get_group_id(0) * TILE_MN;

    // Which quad of each operand tile this work-item fetches: 256 quads, 256 work-items.
    const int a_row = lane / (TILE_K / 4);
    const int a_col = lane % (TILE_K / 4) * 4;
    const int b_row = lane / (TILE_MN / 4);
    const int b_col = lane % (TILE_MN / 4) * 4;

    float4 acc[4];
#pragma unroll
    for (int r = 0; r < 4; ++r) {
        acc[r] = (float4)(0.0f);
    }

    for (int base = 0; base < k; base += TILE_K) {
        float4 a = (float4)(0.0f);
        float4 b = (float4)(0.0f);
        if (row0 + a_row < m && base + a_col < k) {
            a = vload4(0, A + (row0 + a_row) * k + base + a_col);
        }
        if (base + b_row < k && col0 + b_col < n) {
            b = vload4(0, B + (base + b_row) * n + col0 + b_col);
        }
        a_tile[a_col + 0][a_row] = a.x;
        a_tile[a_col + 1][a_row] = a.y;
        a_tile[a_col + 2][a_row] = a.z;
        a_tile[a_col + 3][a_row] = a.w;
        vstore4(b, 0, &b_tile[b_row][b_col]);
        barrier(CLK_LOCAL_MEM_FENCE);

        for (int i = 0; i < TILE_K; ++i) {
            const float4 left = vload4(ty, a_tile[i]);
            const float4 right = vload4(tx, b_tile[i]);
            acc[0] = mad((float4)(left.x), right, acc[0]);
            acc[1] = mad((float4)(left.y), right, acc[1]);
            acc[2] = mad((float4)(left.z), right, acc[2]);
            acc[3] = mad((float4)(left.w), right, acc[3]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    const int col = col0 + 4 * tx;
#pragma unroll
    for (int r = 0; r < 4; ++r) {
        const int row = row0 + 4 * ty + r;
        if (row < m && col < n) {
            vstore4(acc[r], 0, C + row * n + col);
        }
    }
}
