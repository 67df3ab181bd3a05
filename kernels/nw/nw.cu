// Needleman-Wunsch global alignment of two sequences by dynamic programming.
//
// The score matrix is cols x cols with a border row and column; it is processed in
// BLOCK_SIZE x BLOCK_SIZE blocks along block anti-diagonals. nw_kernel1 does the blk blocks of one
// anti-diagonal of the upper left half, nw_kernel2 of the lower right half; the host launches one
// per anti-diagonal. Within a block the BLOCK_SIZE threads sweep the cell anti-diagonals.

#ifndef BLOCK_SIZE
#define BLOCK_SIZE 16
#endif

// Row r, column c of the scores with border, and of the similarities without.
#define SCORE(r, c) input_itemsets_l[(r) * (BLOCK_SIZE + 1) + (c)]
#define SIMILARITY(r, c) reference_l[(r) * BLOCK_SIZE + (c)]

__device__ int maximum(int a, int b, int c)
{
    int best = (a <= b) ? b : a;
    return (best <= c) ? c : best;
}

// Scores the block whose border corner is input_itemsets_d[corner].
__device__ void align_block(int *reference_d, int *input_itemsets_d,
                            const int cols, const int penalty, const int corner)
{
    __shared__ int input_itemsets_l[(BLOCK_SIZE + 1) * (BLOCK_SIZE + 1)];
    __shared__ int reference_l[BLOCK_SIZE * BLOCK_SIZE];
    const int tx = threadIdx.x;
    const int inner = corner + cols + 1 + tx; // first cell of this thread's column

    for (int ty = 0; ty < BLOCK_SIZE; ++ty) {
        SIMILARITY(ty, tx) = reference_d[inner + cols * ty];
    }
    if (tx == 0) {
        SCORE(0, 0) = input_itemsets_d[corner];
    }
    SCORE(tx + 1, 0) = input_itemsets_d[corner + cols * (tx + 1)];
    SCORE(0, tx + 1) = input_itemsets_d[corner + tx + 1];
    __syncthreads();

    // Anti-diagonals from the upper left corner to the main one ...
    for (int m = 0; m < BLOCK_SIZE; ++m) {
        if (tx <= m) {
            const int x = tx + 1;
            const int y = m - tx + 1;
            SCORE(y, x) = maximum(SCORE(y - 1, x - 1) + SIMILARITY(y - 1, x - 1),
                                  SCORE(y, x - 1) - penalty, SCORE(y - 1, x) - penalty);
        }
        __syncthreads();
    }
    // ... and from there to the lower right corner.
    for (int m = BLOCK_SIZE - 2; m >= 0; --m) {
        if (tx <= m) {
            const int x = tx + BLOCK_SIZE - m;
            const int y = BLOCK_SIZE - tx;
            SCORE(y, x) = maximum(SCORE(y - 1, x - 1) + SIMILARITY(y - 1, x - 1),
                                  SCORE(y, x - 1) - penalty, SCORE(y - 1, x) - penalty);
        }
        __syncthreads();
    }

    for (int ty = 0; ty < BLOCK_SIZE; ++ty) {
        input_itemsets_d[inner + cols * ty] = SCORE(ty + 1, tx + 1);
    }
}

__global__ void nw_kernel1(int *reference_d, int *input_itemsets_d,
                         int *output_itemsets_d, int cols, int penalty, int blk,
                         int block_width, int worksize, int offset_r, int offset_c)
{
    const int bx = blockIdx.x;
    const int block_x = bx;
    const int block_y = blk - 1 - bx;
    const int corner = offset_r * cols + offset_c + (cols * block_y + block_x) * BLOCK_SIZE;
    align_block(reference_d, input_itemsets_d, cols, penalty, corner);
}

__global__ void nw_kernel2(int *reference_d, int *input_itemsets_d,
                         int *output_itemsets_d, int cols, int penalty, int blk,
                         int block_width, int worksize, int offset_r, int offset_c)
{
    const int bx = blockIdx.x;
    const int block_x = bx + block_width - blk;
    const int block_y = block_width - bx - 1;
    const int corner = offset_r * cols + offset_c + (cols * block_y + block_x) * BLOCK_SIZE;
    align_block(reference_d, input_itemsets_d, cols, penalty, corner);
}
