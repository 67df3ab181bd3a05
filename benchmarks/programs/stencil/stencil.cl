// A five-point stencil, STEPS steps in local memory at a time with a halo that shrinks (overlapped
// tiling: Meng and Skadron, ICS 2009).
__kernel void steps(__global const float *in, __global float *out, int width, int height)
{
    __local float a[SIDE * SIDE], b[SIDE * SIDE];
    const int tx = get_local_id(0), ty = get_local_id(1);
    const int x = get_group_id(0) * (SIDE - 2 * STEPS) + tx - STEPS;
    const int y = get_group_id(1) * (SIDE - 2 * STEPS) + ty - STEPS;
    const int inside = x >= 0 && x < width && y >= 0 && y < height;
    const int here = ty * SIDE + tx;
    a[here] = inside ? in[y * width + x] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    __local float *from = a, *to = b;
    for (int s = 1; s <= STEPS; ++s) {
        if (tx >= s && tx < SIDE - s && ty >= s && ty < SIDE - s) {
            const float sum = from[here - 1] + from[here + 1] + from[here - SIDE] + from[here + SIDE];
            to[here] = inside ? 0.5f * from[here] + 0.125f * sum : 0.0f;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        __local float *other = from;
        from = to;
        to = other;
    }
    if (inside && tx >= STEPS && tx < SIDE - STEPS && ty >= STEPS && ty < SIDE - STEPS)
        out[y * width + x] = from[here];
}
