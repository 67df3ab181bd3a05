// The electrostatic potential of point charges on a plane of grid points, by direct summation: each
// point adds q / r over all atoms of a chunk to what earlier chunks have left there.
//
// An atom is (x, y, z, q), with z the square of its distance from the plane. A work-item computes
// UNROLL points of a row, a work-group's width apart, so that the distance in y is found once for all
// and stores are contiguous.

#ifndef UNROLL
#define UNROLL 4
#endif

__kernel void cenergy(int numatoms, float gridspacing, int width, __global float *energygrid,
                      __constant float4 *atominfo)
{
    const int apart = get_local_size(0);
    const int column = get_group_id(0) * apart * UNROLL + get_local_id(0);
    const int row = get_global_id(1);
    const float x = gridspacing * column;
    const float y = gridspacing * row;
    const float step = gridspacing * apart;

    float energy[UNROLL];
#pragma unroll
    for (int point = 0; point < UNROLL; ++point) {
        energy[point] = 0.0f;
    }
    for (int n = 0; n < numatoms; ++n) {
        const float4 atom = atominfo[n];
        const float dy = y - atom.y;
        const float rest = dy * dy + atom.z;
        float dx = x - atom.x;
#pragma unroll
        for (int point = 0; point < UNROLL; ++point) {
            energy[point] += atom.w * rsqrt(dx * dx + rest);
            dx += step;
        }
    }
#pragma unroll
    for (int point = 0; point < UNROLL; ++point) {
        energygrid[row * width + column + point * apart] += energy[point];
    }
}
