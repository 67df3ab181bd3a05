// What opening a new centre at point x would gain, for every point of a block of a stream
// (facility location by local search).
//
//   memset_kernel  fills bytes
//   pgain_kernel   a point nearer to x than to its own centre would switch, and its saving goes to
//                  the last column of its row of work_mem_d; for any other point the loss of
//                  closing its own centre goes to the column of that centre
// Coordinates are dimension-major: dimension d of point i is coord_d[d * num + i].

typedef struct {
    float weight;
    long assign; // the point that is this one's centre
    float cost;  // weight times squared distance to it
} Point_Struct;

__kernel void memset_kernel(__global char *mem_d, short val, int number_bytes)
{
    const int i = get_global_id(0);
    if (i < number_bytes) {
        mem_d[i] = (char)val;
    }
}

__kernel void pgain_kernel(__global Point_Struct *p, __global float *coord_d,
                           __global float *work_mem_d, __global int *center_table_d,
                           __global char *switch_membership_d, __local float *coord_s, int num,
                           int dim, long x, int K)
{
    const int point = get_global_id(0);

    // One work-item fetches the candidate's coordinates, one after the other, for its group.
    if (get_local_id(0) == 0) {
        for (int d = 0; d < dim; ++d) {
            coord_s[d] = coord_d[d * num + x];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    if (point < num) {
        float x_cost = 0.0f;
        for (int d = 0; d < dim; ++d) {
            const float apart = coord_d[d * num + point] - coord_s[d];
            x_cost += apart * apart;
        }
        x_cost *= p[point].weight;

        const float current_cost = p[point].cost;
        __global float *gains = work_mem_d + point * (K + 1);
        if (x_cost < current_cost) {
            switch_membership_d[point] = '1';
            gains[K] = x_cost - current_cost;
        } else {
            gains[center_table_d[p[point].assign]] += current_cost - x_cost;
        }
    }
}
