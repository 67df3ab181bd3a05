// Charge of particles onto a grid by cloud in cell (Birdsall and Langdon, Plasma Physics via Computer
// Simulation, 1985, section 2-6), in fixed point, by atomic sums.
__kernel void deposit(__global const float2 *place, __global int *grid, int n, int width)
{
    const int i = get_global_id(0);
    if (i >= n) return;
    const float2 at = place[i];
    const int x = (int)at.x, y = (int)at.y;
    const float fx = at.x - x, fy = at.y - y;
    __global int *cell = grid + y * width + x;
    atomic_add(cell, (int)((1 - fx) * (1 - fy) * 4096));
    atomic_add(cell + 1, (int)(fx * (1 - fy) * 4096));
    atomic_add(cell + width, (int)((1 - fx) * fy * 4096));
    atomic_add(cell + width + 1, (int)(fx * fy * 4096));
}
