// Out-of-place matrix transpose, odata[x][y] = idata[y][x], in three steps of refinement.
//
//   transpose_naive   reads rows, writes columns: stores are strided by the matrix height
//   transpose_tiled   goes through local memory, so both sides are coalesced, but reading a
//                     column of the tile puts a whole warp on one bank
//   transpose_padded  the same with one unused column, which spreads the columns over the banks
//
// A work-group is TILE x ROWS work-items and moves a TILE x TILE tile, TILE / ROWS elements each.

#ifndef TILE
#define TILE 32
#endif
#ifndef ROWS
#define ROWS 8
#endif

__kernel void transpose_naive(__global float *odata, __global const float *idata,
                              const int width, const int height)
{
    const int x = get_global_id(0);
    const int y = get_global_id(1);
    if (x < width && y < height) {
        odata[x * height + y] = idata[y * width + x];
    }
}

// The body shared by the tiled variants; PITCH is the length of a row in local memory.
#define TRANSPOSE_TILE(PITCH)                                                        \
    __local float tile[TILE][PITCH];                                                 \
    const int lx = get_local_id(0);                                                  \
    const int ly = get_local_id(1);                                                  \
    const int in_x = get_group_id(0) * TILE + lx;                                    \
    const int in_y = get_group_id(1) * TILE + ly;                                    \
    for (int r = 0; r < TILE; r += ROWS) {                                           \
        if (in_x < width && in_y + r < height) {                                     \
            tile[ly + r][lx] = idata[(in_y + r) * width + in_x];                     \
        }                                                                            \
    }                                                                                \
    barrier(CLK_LOCAL_MEM_FENCE);                                                    \
    const int out_x = get_group_id(1) * TILE + lx;                                   \
    const int out_y = get_group_id(0) * TILE + ly;                                   \
    for (int r = 0; r < TILE; r += ROWS) {                                           \
        if (out_x < height && out_y + r < width) {                                   \
            odata[(out_y + r) * height + out_x] = tile[lx][ly + r];                  \
        }                                                                            \
    }

__kernel void transpose_tiled(__global float *odata, __global const float *idata,
                              const int width, const int height)
{
    TRANSPOSE_TILE(TILE)
}

__kernel void transpose_padded(__global float *odata, __global const float *idata,
                               const int width, const int height)
{
    TRANSPOSE_TILE(TILE + 1)
}
