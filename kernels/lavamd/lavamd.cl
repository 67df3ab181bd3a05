// Particle potential and forces within a cutoff, space cut into boxes: one work-group per box.
//
// A group keeps its own box's particles and those of one neighbour box at a time in local memory;
// every work-item pairs its particle with all of the neighbour's and accumulates in global memory.
// A box has 7 to 26 neighbours, less at the rim of the space: the trip count is data.
// NUMBER_THREADS exceeds NUMBER_PAR_PER_BOX: 28 of 128 work-items are idle but for the barriers.

#define fp float

#define NUMBER_PAR_PER_BOX 100
#ifndef NUMBER_THREADS
#define NUMBER_THREADS 128
#endif

#define DOT(A, B) ((A.x) * (B.x) + (A.y) * (B.y) + (A.z) * (B.z))

typedef struct {
    fp x, y, z;
} THREE_VECTOR;

// v: half the squared distance from the origin, so that |a - b|^2 / 2 = a.v + b.v - a b; as a
// result, the potential.
typedef struct {
    fp v, x, y, z;
} FOUR_VECTOR;

typedef struct nei_str {
    int x, y, z;
    int number;
    long offset;
} nei_str;

typedef struct box_str {
    int x, y, z;
    int number;
    long offset; // of the box's first particle
    int nn;      // neighbours
    nei_str nei[26];
} box_str;

typedef struct par_str {
    fp alpha;
} par_str;

typedef struct dim_str {
    int cur_arg;
    int arch_arg;
    int cores_arg;
    int boxes1d_arg;
    long number_boxes;
    long box_mem;
    long space_elem;
    long space_mem;
    long space_mem2;
} dim_str;

__kernel void kernel_gpu_opencl(par_str d_par_gpu, dim_str d_dim_gpu, __global box_str *d_box_gpu,
                                __global FOUR_VECTOR *d_rv_gpu, __global fp *d_qv_gpu,
                                __global FOUR_VECTOR *d_fv_gpu)
{
    __local FOUR_VECTOR home[NUMBER_PAR_PER_BOX];
    __local FOUR_VECTOR others[NUMBER_PAR_PER_BOX];
    __local fp charges[NUMBER_PAR_PER_BOX];

    const int bx = get_group_id(0);
    const int tx = get_local_id(0);
    if (bx >= d_dim_gpu.number_boxes) {
        return; // the whole group
    }

    const fp a2 = 2.0f * d_par_gpu.alpha * d_par_gpu.alpha;
    __global const box_str *box = &d_box_gpu[bx];
    __global FOUR_VECTOR *result = d_fv_gpu + box->offset;

    for (int i = tx; i < NUMBER_PAR_PER_BOX; i += NUMBER_THREADS) {
        home[i] = d_rv_gpu[box->offset + i];
    }

    for (int k = 0; k < 1 + box->nn; ++k) {
        // The box itself comes first.
        const int other = (k == 0) ? bx : box->nei[k - 1].number;
        const long first = d_box_gpu[other].offset;
        for (int i = tx; i < NUMBER_PAR_PER_BOX; i += NUMBER_THREADS) {
            others[i] = d_rv_gpu[first + i];
            charges[i] = d_qv_gpu[first + i];
        }
        barrier(CLK_LOCAL_MEM_FENCE);

        for (int i = tx; i < NUMBER_PAR_PER_BOX; i += NUMBER_THREADS) {
            for (int j = 0; j < NUMBER_PAR_PER_BOX; ++j) {
                const fp half_r2 = home[i].v + others[j].v - DOT(home[i], others[j]);
                const fp potential = exp(-a2 * half_r2);
                const fp strength = 2.0f * potential;

                THREE_VECTOR apart;
                apart.x = home[i].x - others[j].x;
                apart.y = home[i].y - others[j].y;
                apart.z = home[i].z - others[j].z;

                result[i].v += charges[j] * potential;
                result[i].x += charges[j] * strength * apart.x;
                result[i].y += charges[j] * strength * apart.y;
                result[i].z += charges[j] * strength * apart.z;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
