// Sum of two vectors, c = a + b.
//
// The smallest memory-bound kernel there is: two coalesced loads, one addition, one coalesced
// store. `vecadd4` does the same with 16 bytes per work-item and access, and a scalar tail.

__kernel void vecadd(__global const float *a, __global const float *b, __global float *c,
                     const int n)
{
    const int i = get_global_id(0);
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}

__kernel void vecadd4(__global const float *a, __global const float *b, __global float *c,
                      const int n)
{
    const int quad = get_global_id(0);
    const int first = 4 * quad;
    if (first + 3 < n) {
        vstore4(vload4(quad, a) + vload4(quad, b), quad, c);
    } else {
        // At most one work-item has a partial quad; those beyond it find nothing to do.
        for (int i = first; i < n; ++i) {
            c[i] = a[i] + b[i];
        }
    }
}
