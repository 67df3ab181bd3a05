// Two-dimensional convolution of a single-precision image; outside of it the image is zero.
//
//   convolutionRows     separable filter of 2 KERNEL_RADIUS + 1 taps, along rows: a thread block
//   convolutionColumns  stages RESULT_STEPS tiles and a halo on both sides in shared memory; the
//                       loops have constant trip counts and are meant to be unrolled
//   convolution_2d      a fixed 5 x 5 filter from a constant table, straight from global memory

#ifndef KERNEL_RADIUS
#define KERNEL_RADIUS 8
#endif
#define KERNEL_LENGTH (2 * KERNEL_RADIUS + 1)

#ifndef ROWS_BLOCKDIM_X
#define ROWS_BLOCKDIM_X 16
#define ROWS_BLOCKDIM_Y 4
#define ROWS_RESULT_STEPS 8
#define ROWS_HALO_STEPS 1
#endif

#ifndef COLUMNS_BLOCKDIM_X
#define COLUMNS_BLOCKDIM_X 16
#define COLUMNS_BLOCKDIM_Y 8
#define COLUMNS_RESULT_STEPS 8
#define COLUMNS_HALO_STEPS 1
#endif

// The halo must hold the filter's reach.
#if ROWS_BLOCKDIM_X * ROWS_HALO_STEPS < KERNEL_RADIUS
#error "row halo too small"
#endif
#if COLUMNS_BLOCKDIM_Y * COLUMNS_HALO_STEPS < KERNEL_RADIUS
#error "column halo too small"
#endif

__global__ void __launch_bounds__(ROWS_BLOCKDIM_X * ROWS_BLOCKDIM_Y) convolutionRows(float *d_Dst, float *d_Src, const float *c_Kernel,
                     int imageW, int imageH, int pitch)
{
    __shared__ float tile[ROWS_BLOCKDIM_Y]
                      [(ROWS_RESULT_STEPS + 2 * ROWS_HALO_STEPS) * ROWS_BLOCKDIM_X];

    const int lx = threadIdx.x;
    const int ly = threadIdx.y;
    const int base_x =
        ((int)blockIdx.x * ROWS_RESULT_STEPS - ROWS_HALO_STEPS) * ROWS_BLOCKDIM_X + lx;
    const int y = blockIdx.y * ROWS_BLOCKDIM_Y + ly;

#pragma unroll
    for (int i = 0; i < ROWS_RESULT_STEPS + 2 * ROWS_HALO_STEPS; ++i) {
        const int x = base_x + i * ROWS_BLOCKDIM_X;
        tile[ly][lx + i * ROWS_BLOCKDIM_X] =
            (x >= 0 && x < imageW && y < imageH) ? d_Src[y * pitch + x] : 0.0f;
    }
    __syncthreads();

    for (int i = ROWS_HALO_STEPS; i < ROWS_HALO_STEPS + ROWS_RESULT_STEPS; ++i) {
        float sum = 0.0f;
#pragma unroll
        for (int j = -KERNEL_RADIUS; j <= KERNEL_RADIUS; ++j) {
            sum += c_Kernel[KERNEL_RADIUS - j] * tile[ly][lx + i * ROWS_BLOCKDIM_X + j];
        }
        const int x = base_x + i * ROWS_BLOCKDIM_X;
        if (x < imageW && y < imageH) {
            d_Dst[y * pitch + x] = sum;
        }
    }
}

__global__ void __launch_bounds__(COLUMNS_BLOCKDIM_X * COLUMNS_BLOCKDIM_Y) convolutionColumns(float *d_Dst, float *d_Src, const float *c_Kernel,
                        int imageW, int imageH, int pitch)
{
    // Transposed, so that the taps of one output lie in one row, and padded against conflicts.
    __shared__ float tile[COLUMNS_BLOCKDIM_X]
                      [(COLUMNS_RESULT_STEPS + 2 * COLUMNS_HALO_STEPS) * COLUMNS_BLOCKDIM_Y + 1];

    const int lx = threadIdx.x;
    const int ly = threadIdx.y;
    const int x = blockIdx.x * COLUMNS_BLOCKDIM_X + lx;
    const int base_y =
        ((int)blockIdx.y * COLUMNS_RESULT_STEPS - COLUMNS_HALO_STEPS) * COLUMNS_BLOCKDIM_Y +
        ly;

#pragma unroll
    for (int i = 0; i < COLUMNS_RESULT_STEPS + 2 * COLUMNS_HALO_STEPS; ++i) {
        const int y = base_y + i * COLUMNS_BLOCKDIM_Y;
        tile[lx][ly + i * COLUMNS_BLOCKDIM_Y] =
            (y >= 0 && y < imageH && x < imageW) ? d_Src[y * pitch + x] : 0.0f;
    }
    __syncthreads();

    for (int i = COLUMNS_HALO_STEPS; i < COLUMNS_HALO_STEPS + COLUMNS_RESULT_STEPS; ++i) {
        float sum = 0.0f;
#pragma unroll
        for (int j = -KERNEL_RADIUS; j <= KERNEL_RADIUS; ++j) {
            sum += c_Kernel[KERNEL_RADIUS - j] * tile[lx][ly + i * COLUMNS_BLOCKDIM_Y + j];
        }
        const int y = base_y + i * COLUMNS_BLOCKDIM_Y;
        if (y < imageH && x < imageW) {
            d_Dst[y * pitch + x] = sum;
        }
    }
}

// A sharpened Gaussian: the weights add up to one.
__constant__ float filter[5][5] = {
    {-0.0039f, -0.0156f, -0.0234f, -0.0156f, -0.0039f},
    {-0.0156f, -0.0625f, -0.0938f, -0.0625f, -0.0156f},
    {-0.0234f, -0.0938f, 1.8592f, -0.0938f, -0.0234f},
    {-0.0156f, -0.0625f, -0.0938f, -0.0625f, -0.0156f},
    {-0.0039f, -0.0156f, -0.0234f, -0.0156f, -0.0039f},
};

__global__ void convolution_2d(float *d_Dst, const float *d_Src, int imageW,
                             int imageH)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= imageW || y >= imageH) {
        return;
    }
    float sum = 0.0f;
    for (int dy = -2; dy <= 2; ++dy) {
        if (y + dy < 0 || y + dy >= imageH) {
            continue;
        }
        for (int dx = -2; dx <= 2; ++dx) {
            if (x + dx >= 0 && x + dx < imageW) {
                sum += filter[2 - dy][2 - dx] * d_Src[(y + dy) * imageW + x + dx];
            }
        }
    }
    d_Dst[y * imageW + x] = sum;
}
