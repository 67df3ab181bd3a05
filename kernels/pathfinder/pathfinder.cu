// Cheapest way down a grid of costs, row by row: each cell adds the cheapest of its three upper
// neighbours.
//
// A thread block loads one row segment and advances it by `iteration` rows in shared memory; each row
// loses HALO cells on either side, so segments overlap by 2 * iteration * HALO cells.
// gpuSrc holds the costs of row startStep - 1, gpuWall the rows from 1 on.

#define IN_RANGE(x, low, high) ((x) >= (low) && (x) <= (high))
#define MIN(a, b) ((a) <= (b) ? (a) : (b))

// The thread of a group that leaves a mark in outputBuffer, at an address that is data.
#define MARKING_LANE 11

__global__ void dynproc_kernel(int iteration, int *gpuWall, int *gpuSrc,
                             int *gpuResults, int cols, int rows, int startStep,
                             int border, int HALO, int *outputBuffer)
{
    // The launch gives two integers of shared memory per thread.
    extern __shared__ int rows_of_block[];
    const int block_size = blockDim.x;
    int *prev = rows_of_block;
    int *result = rows_of_block + block_size;
    const int tx = threadIdx.x;

    const int left = (block_size - iteration * HALO * 2) * (int)blockIdx.x - border;
    const int right = left + block_size - 1;
    const int x = left + tx;

    // The part of the segment that lies on the grid, in local coordinates.
    const int first = (left < 0) ? -left : 0;
    const int last = (right > cols - 1) ? block_size - 1 - (right - cols + 1) : block_size - 1;
    const int west = (tx - 1 < first) ? first : tx - 1;
    const int east = (tx + 1 > last) ? last : tx + 1;
    const bool on_grid = IN_RANGE(tx, first, last);

    if (IN_RANGE(x, 0, cols - 1)) {
        prev[tx] = gpuSrc[x];
    }
    __syncthreads();

    bool computed = false;
    for (int i = 0; i < iteration; ++i) {
        computed = false;
        if (IN_RANGE(tx, i + 1, block_size - i - 2) && on_grid) {
            computed = true;
            const int cheapest = MIN(MIN(prev[west], prev[tx]), prev[east]);
            result[tx] = cheapest + gpuWall[cols * (startStep + i) + x];
            if (tx == MARKING_LANE && i == 0) {
                outputBuffer[gpuSrc[x]] = 1;
            }
        }
        __syncthreads();
        if (i == iteration - 1) {
            break;
        }
        if (computed) {
            prev[tx] = result[tx];
        }
        __syncthreads();
    }

    if (computed) {
        gpuResults[x] = result[tx];
    }
}
