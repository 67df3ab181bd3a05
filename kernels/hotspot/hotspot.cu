// Transient thermal simulation of a chip floor plan by explicit finite differences.
//
// A thread block loads a BLOCK_SIZE x BLOCK_SIZE block of temperatures and advances it by
// `iteration` time steps in shared memory (a trapezoid or pyramid in time): each step loses one
// ring of valid cells, so neighbouring blocks overlap by 2 * iteration cells and each group
// writes only its inner BLOCK_SIZE - 2 * iteration cells per side.
// Cells on the rim of the chip see themselves beyond the rim.

#ifndef BLOCK_SIZE
#define BLOCK_SIZE 16
#endif

#define IN_RANGE(x, low, high) ((x) >= (low) && (x) <= (high))
#define AMBIENT 80.0f

__global__ void hotspot(int iteration, float *power, float *temp_src,
                      float *temp_dst, int grid_cols, int grid_rows, int border_cols,
                      int border_rows, float Cap, float Rx, float Ry, float Rz, float step)
{
    __shared__ float old_temp[BLOCK_SIZE][BLOCK_SIZE];
    __shared__ float heat[BLOCK_SIZE][BLOCK_SIZE];
    __shared__ float new_temp[BLOCK_SIZE][BLOCK_SIZE];

    const float gain = step / Cap;
    const float inv_rx = 1.0f / Rx;
    const float inv_ry = 1.0f / Ry;
    const float inv_rz = 1.0f / Rz;

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;

    // Upper left and lower right cell of the block in the grid; may lie outside of it.
    const int top = (BLOCK_SIZE - 2 * iteration) * (int)blockIdx.y - border_rows;
    const int left = (BLOCK_SIZE - 2 * iteration) * (int)blockIdx.x - border_cols;
    const int bottom = top + BLOCK_SIZE - 1;
    const int right = left + BLOCK_SIZE - 1;
    const int y = top + ty;
    const int x = left + tx;
    const int cell = grid_cols * y + x;

    if (IN_RANGE(y, 0, grid_rows - 1) && IN_RANGE(x, 0, grid_cols - 1)) {
        old_temp[ty][tx] = temp_src[cell];
        heat[ty][tx] = power[cell];
    }
    __syncthreads();

    // The part of the block that lies on the grid, in local coordinates.
    const int first_row = (top < 0) ? -top : 0;
    const int first_col = (left < 0) ? -left : 0;
    const int last_row = (bottom > grid_rows - 1) ? BLOCK_SIZE - 1 - (bottom - grid_rows + 1)
                                                  : BLOCK_SIZE - 1;
    const int last_col = (right > grid_cols - 1) ? BLOCK_SIZE - 1 - (right - grid_cols + 1)
                                                 : BLOCK_SIZE - 1;

    const int north = max(ty - 1, first_row);
    const int south = min(ty + 1, last_row);
    const int west = max(tx - 1, first_col);
    const int east = min(tx + 1, last_col);

    bool computed = false;
    for (int i = 0; i < iteration; ++i) {
        computed = false;
        if (IN_RANGE(tx, i + 1, BLOCK_SIZE - i - 2) && IN_RANGE(ty, i + 1, BLOCK_SIZE - i - 2) &&
            IN_RANGE(tx, first_col, last_col) && IN_RANGE(ty, first_row, last_row)) {
            computed = true;
            const float t = old_temp[ty][tx];
            new_temp[ty][tx] =
                t + gain * (heat[ty][tx] +
                            (old_temp[south][tx] + old_temp[north][tx] - 2.0f * t) * inv_ry +
                            (old_temp[ty][east] + old_temp[ty][west] - 2.0f * t) * inv_rx +
                            (AMBIENT - t) * inv_rz);
        }
        __syncthreads();
        if (i == iteration - 1) {
            break;
        }
        if (computed) {
            old_temp[ty][tx] = new_temp[ty][tx];
        }
        __syncthreads();
    }

    // Exactly the cells that took part in the last step.
    if (computed) {
        temp_dst[cell] = new_temp[ty][tx];
    }
}
