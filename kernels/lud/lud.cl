// In-place LU decomposition without pivoting of a row-major matrix_dim x matrix_dim matrix,
// right-looking and blocked. For offset = 0, BLOCK_SIZE, ... the host launches
//   lud_diagonal   factorises the diagonal block at (offset, offset); one group of BLOCK_SIZE
//   lud_perimeter  solves for the blocks right of and below it; 2 * BLOCK_SIZE work-items a group,
//                  the first half a block of the row, the second half a block of the column
//   lud_internal   subtracts the products from the rest; BLOCK_SIZE x BLOCK_SIZE a group
// matrix_dim is a multiple of BLOCK_SIZE. L has a unit diagonal.

#ifndef BLOCK_SIZE
#define BLOCK_SIZE 16
#endif

#define AT(block, row, col) block[(row) * BLOCK_SIZE + (col)]

__kernel void lud_diagonal(__global float *m, __local float *shadow, int matrix_dim, int offset)
{
    const int tx = get_local_id(0);
    __global float *block = m + offset * matrix_dim + offset;

    for (int i = 0; i < BLOCK_SIZE; ++i) {
        AT(shadow, i, tx) = block[i * matrix_dim + tx];
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    for (int i = 0; i < BLOCK_SIZE - 1; ++i) {
        if (tx > i) { // column i of L
            for (int j = 0; j < i; ++j) {
                AT(shadow, tx, i) -= AT(shadow, tx, j) * AT(shadow, j, i);
            }
            AT(shadow, tx, i) /= AT(shadow, i, i);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (tx > i) { // row i + 1 of U
            for (int j = 0; j < i + 1; ++j) {
                AT(shadow, i + 1, tx) -= AT(shadow, i + 1, j) * AT(shadow, j, tx);
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    // Row 0 of U is row 0 of the input.
    for (int i = 1; i < BLOCK_SIZE; ++i) {
        block[i * matrix_dim + tx] = AT(shadow, i, tx);
    }
}

__kernel void lud_perimeter(__global float *m, __local float *dia, __local float *peri_row,
                            __local float *peri_col, int matrix_dim, int offset)
{
    const int tx = get_local_id(0);
    const int distance = (get_group_id(0) + 1) * BLOCK_SIZE;
    __global float *diagonal = m + offset * matrix_dim + offset;
    __global float *row_block = diagonal + distance;
    __global float *col_block = diagonal + distance * matrix_dim;

    // Each half of the group loads half of the diagonal block and half of both others.
    const int idx = tx % BLOCK_SIZE;
    const bool row_half = tx < BLOCK_SIZE;
    const int first = row_half ? 0 : BLOCK_SIZE / 2;
    const int last = row_half ? BLOCK_SIZE / 2 : BLOCK_SIZE;
    for (int i = first; i < last; ++i) {
        AT(dia, i, idx) = diagonal[i * matrix_dim + idx];
    }
    if (row_half) {
        for (int i = 0; i < BLOCK_SIZE; ++i) {
            AT(peri_row, i, idx) = row_block[i * matrix_dim + idx];
        }
    } else {
        for (int i = 0; i < BLOCK_SIZE; ++i) {
            AT(peri_col, i, idx) = col_block[i * matrix_dim + idx];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    if (row_half) { // forward substitution with L, one column each
        for (int i = 1; i < BLOCK_SIZE; ++i) {
            for (int j = 0; j < i; ++j) {
                AT(peri_row, i, idx) -= AT(dia, i, j) * AT(peri_row, j, idx);
            }
        }
    } else { // substitution with U from the right, one row each
        for (int i = 0; i < BLOCK_SIZE; ++i) {
            for (int j = 0; j < i; ++j) {
                AT(peri_col, idx, i) -= AT(peri_col, idx, j) * AT(dia, j, i);
            }
            AT(peri_col, idx, i) /= AT(dia, i, i);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    if (row_half) {
        for (int i = 1; i < BLOCK_SIZE; ++i) {
            row_block[i * matrix_dim + idx] = AT(peri_row, i, idx);
        }
    } else {
        for (int i = 0; i < BLOCK_SIZE; ++i) {
            col_block[i * matrix_dim + idx] = AT(peri_col, i, idx);
        }
    }
}

__kernel void lud_internal(__global float *m, __local float *peri_row, __local float *peri_col,
                           int matrix_dim, int offset)
{
    const int tx = get_local_id(0);
    const int ty = get_local_id(1);
    const int row = offset + (get_group_id(1) + 1) * BLOCK_SIZE + ty;
    const int col = offset + (get_group_id(0) + 1) * BLOCK_SIZE + tx;

    AT(peri_row, ty, tx) = m[(offset + ty) * matrix_dim + col];
    AT(peri_col, ty, tx) = m[row * matrix_dim + offset + tx];
    barrier(CLK_LOCAL_MEM_FENCE);

    float sum = 0.0f;
    for (int i = 0; i < BLOCK_SIZE; ++i) {
        sum += AT(peri_col, ty, i) * AT(peri_row, i, tx);
    }
    m[row * matrix_dim + col] -= sum;
}
