// One Jacobi step of the 7-point stencil on an nx x ny x nz grid (x fastest):
// Anext = c1 * (sum of the six neighbours) - c0 * A0 in the interior; the faces stay as they are.
//
//   naive_kernel         one interior point per thread, seven global loads
//   block2D_reg_tiling   a thread block owns a column of tiles and walks up in z: the tile of the
//                        current plane is in shared memory, those below and above in registers

#define Index3D(nx, ny, i, j, k) ((i) + (nx) * ((j) + (ny) * (k)))

__global__ void naive_kernel(float c0, float c1, float *A0, float *Anext, int nx,
                           int ny, int nz)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
    const int j = blockIdx.y * blockDim.y + threadIdx.y + 1;
    const int k = blockIdx.z * blockDim.z + threadIdx.z + 1;
    if (i < nx - 1 && j < ny - 1 && k < nz - 1) {
        Anext[Index3D(nx, ny, i, j, k)] =
            (A0[Index3D(nx, ny, i, j, k + 1)] + A0[Index3D(nx, ny, i, j, k - 1)] +
             A0[Index3D(nx, ny, i, j + 1, k)] + A0[Index3D(nx, ny, i, j - 1, k)] +
             A0[Index3D(nx, ny, i + 1, j, k)] + A0[Index3D(nx, ny, i - 1, j, k)]) * c1 -
            A0[Index3D(nx, ny, i, j, k)] * c0;
    }
}

#ifndef TILE_X
#define TILE_X 32
#endif
#ifndef TILE_Y
#define TILE_Y 4
#endif

__global__ void __launch_bounds__(TILE_X * TILE_Y) block2D_reg_tiling(float c0, float c1, float *A0, float *Anext, int nx,
                        int ny, int nz)
{
    __shared__ float plane[TILE_Y + 2][TILE_X + 2];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
    const int j = blockIdx.y * blockDim.y + threadIdx.y + 1;

    // Work-items beyond the interior still load halos and reach the barriers.
    const bool on_grid = i < nx && j < ny;
    const bool interior = i < nx - 1 && j < ny - 1;

    float below = on_grid ? A0[Index3D(nx, ny, i, j, 0)] : 0.0f;
    float here = on_grid ? A0[Index3D(nx, ny, i, j, 1)] : 0.0f;
    for (int k = 1; k < nz - 1; ++k) {
        const float above = on_grid ? A0[Index3D(nx, ny, i, j, k + 1)] : 0.0f;

        plane[ty + 1][tx + 1] = here;
        if (tx == 0 && on_grid) {
            plane[ty + 1][0] = A0[Index3D(nx, ny, i - 1, j, k)];
        }
        if (tx == TILE_X - 1 && interior) {
            plane[ty + 1][TILE_X + 1] = A0[Index3D(nx, ny, i + 1, j, k)];
        }
        if (ty == 0 && on_grid) {
            plane[0][tx + 1] = A0[Index3D(nx, ny, i, j - 1, k)];
        }
        if (ty == TILE_Y - 1 && interior) {
            plane[TILE_Y + 1][tx + 1] = A0[Index3D(nx, ny, i, j + 1, k)];
        }
        __syncthreads();

        if (interior) {
            const float around = plane[ty + 1][tx] + plane[ty + 1][tx + 2] + plane[ty][tx + 1] +
                                 plane[ty + 2][tx + 1];
            Anext[Index3D(nx, ny, i, j, k)] = (around + below + above) * c1 - here * c0;
        }
        __syncthreads();
        below = here;
        here = above;
    }
}
