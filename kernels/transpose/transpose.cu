// Out-of-place matrix transpose, odata[x][y] = idata[y][x], in three steps of refinement.
//
//   transpose_naive   reads rows, writes columns: stores are strided by the matrix height
//   transpose_tiled   goes through shared memory, so both sides are coalesced, but reading a
//                     column of the tile puts a whole warp on one bank
//   transpose_padded  the same with one unused column, which spreads the columns over the banks
//
// A thread block is TILE x ROWS threads and moves a TILE x TILE tile, TILE / ROWS elements each.

#ifndef TILE
#define TILE 32
#endif
#ifndef ROWS
#define ROWS 8
#endif

__global__ void transpose_naive(float *odata, const float *idata,
                              const int width, const int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        odata[x * height + y] = idata[y * width + x];
    }
}

// The body shared by the tiled variants; PITCH is the length of a row in shared memory.
#define TRANSPOSE_TILE(PITCH)                                                        \
    __shared__ float tile[TILE][PITCH];                                                 \
    const int lx = threadIdx.x;                                                  \
    const int ly = threadIdx.y;                                                  \
    const int in_x = blockIdx.x * TILE + lx;                                    \
    const int in_y = blockIdx.y * TILE + ly;                                    \
    for (int r = 0; r < TILE; r += ROWS) {                                           \
        if (in_x < width && in_y + r < height) {                                     \
            tile[ly + r][lx] = idata[(in_y + r) * width + in_x];                     \
        }                                                                            \
    }                                                                                \
    __syncthreads();                                                    \
    const int out_x = blockIdx.y * TILE + lx;                                   \
    const int out_y = blockIdx.x * TILE + ly;                                   \
    for (int r = 0; r < TILE; r += ROWS) {                                           \
        if (out_x < height && out_y + r < width) {                                   \
            odata[(out_y + r) * height + out_x] = tile[lx][ly + r];                  \
        }                                                                            \
    }

__global__ void transpose_tiled(float *odata, const float *idata,
                              const int width, const int height)
{
    TRANSPOSE_TILE(TILE)
}

__global__ void transpose_padded(float *odata, const float *idata,
                               const int width, const int height)
{
    TRANSPOSE_TILE(TILE + 1)
}
