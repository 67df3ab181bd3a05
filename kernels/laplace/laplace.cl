// One Jacobi step of Laplace's equation on an NX x NY x NZ grid (x fastest): a point of the interior
// becomes the mean of its six neighbours, the faces stay as they are.
//
// A work-group owns a column of the grid and walks up in z. The plane it is in lies in local memory
// with a halo of one, the points below and above in registers.

#ifndef BLOCK_X
#define BLOCK_X 32
#endif
#ifndef BLOCK_Y
#define BLOCK_Y 4
#endif

__kernel __attribute__((reqd_work_group_size(BLOCK_X, BLOCK_Y, 1)))
void laplace3d(int NX, int NY, int NZ, __global const float *u1, __global float *u2)
{
    __local float plane[BLOCK_Y + 2][BLOCK_X + 2];

    const int x = get_local_id(0) + 1;
    const int y = get_local_id(1) + 1;
    const int i = get_global_id(0);
    const int j = get_global_id(1);
    const bool on_grid = i < NX && j < NY;
    const bool face = i == 0 || i >= NX - 1 || j == 0 || j >= NY - 1;

    int at = i + NX * j;
    float below = 0.0f;
    float here = on_grid ? u1[at] : 0.0f;
    for (int k = 0; k < NZ; ++k) {
        const float above = on_grid && k + 1 < NZ ? u1[at + NX * NY] : 0.0f;

        plane[y][x] = here;
        if (on_grid) {
            if (x == 1 && i > 0) {
                plane[y][0] = u1[at - 1];
            }
            if (x == BLOCK_X && i + 1 < NX) {
                plane[y][BLOCK_X + 1] = u1[at + 1];
            }
            if (y == 1 && j > 0) {
                plane[0][x] = u1[at - NX];
            }
            if (y == BLOCK_Y && j + 1 < NY) {
                plane[BLOCK_Y + 1][x] = u1[at + NX];
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);

        if (on_grid) {
            float value = here;
            if (!face && k > 0 && k + 1 < NZ) {
                value = (plane[y][x - 1] + plane[y][x + 1] + plane[y - 1][x] + plane[y + 1][x] +
                         below + above) * (1.0f / 6.0f);
            }
            u2[at] = value;
        }
        barrier(CLK_LOCAL_MEM_FENCE);

        below = here;
        here = above;
        at += NX * NY;
    }
}
