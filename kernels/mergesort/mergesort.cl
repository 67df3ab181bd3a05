// Stable merge sort of unsigned integers.
//
//   sort_block     sorts segments of BLOCK in local memory, by merges of doubling runs: an
//                  element's place is its index plus its rank in the sibling run, found by
//                  binary search
//   merge_by_rank  merges pairs of runs in global memory the same way, one element per work-item:
//                  binary searches with data-dependent addresses, scattered stores
//   merge_path     merges pairs of runs in equal shares of SHARE outputs per work-item: a binary
//                  search along a diagonal, then a sequential merge whose branches are data
// A run ends at the end of the array; a run without a sibling is copied.

#ifndef BLOCK
#define BLOCK 256
#endif
#ifndef SHARE
#define SHARE 8
#endif

// How many of run[0 .. length) come before `key`; equal ones count if `inclusive`.
#define DEFINE_RANK(NAME, SPACE)                                                     \
    uint NAME(SPACE const uint *run, uint length, uint key, bool inclusive)          \
    {                                                                                \
        uint low = 0;                                                                \
        uint high = length;                                                          \
        while (low < high) {                                                         \
            const uint middle = (low + high) / 2;                                    \
            const uint found = run[middle];                                          \
            if (found < key || (inclusive && found == key)) {                        \
                low = middle + 1;                                                    \
            } else {                                                                 \
                high = middle;                                                       \
            }                                                                        \
        }                                                                            \
        return low;                                                                  \
    }

DEFINE_RANK(rank_local, __local)
DEFINE_RANK(rank_global, __global)

__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1)))
void sort_block(__global uint *out, __global const uint *in, const uint n)
{
    __local uint keys[BLOCK];

    const uint lid = get_local_id(0);
    const uint i = get_global_id(0);
    keys[lid] = (i < n) ? in[i] : UINT_MAX;

    for (uint run = 1; run < BLOCK; run *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint key = keys[lid];
        const uint place = lid & (run - 1);
        const uint own = lid - place;    // start of the run
        const uint sibling = own ^ run;  // start of the other one
        const bool second = (own & run) != 0;
        const uint target =
            min(own, sibling) + place + rank_local(keys + sibling, run, key, second);
        barrier(CLK_LOCAL_MEM_FENCE);
        keys[target] = key;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < n) {
        out[i] = keys[lid];
    }
}

__kernel void merge_by_rank(__global uint *out, __global const uint *in, const uint n,
                            const uint run)
{
    const uint i = get_global_id(0);
    if (i >= n) {
        return;
    }
    const uint key = in[i];
    const uint place = i & (run - 1);
    const uint own = i - place;
    const uint sibling = own ^ run;
    const bool second = (own & run) != 0;
    const uint length = (sibling < n) ? min(run, n - sibling) : 0;
    out[min(own, sibling) + place + rank_global(in + min(sibling, n), length, key, second)] = key;
}

__kernel void merge_path(__global uint *out, __global const uint *in, const uint n, const uint run)
{
    const uint first_out = get_global_id(0) * SHARE;
    if (first_out >= n) {
        return;
    }
    const uint pair = first_out & ~(2 * run - 1); // start of the first run
    const uint a_length = min(run, n - pair);
    const uint b_length = min(2 * run, n - pair) - a_length;
    __global const uint *a = in + pair;
    __global const uint *b = a + a_length;

    // Of the outputs before this share, how many come from a: where the merge crosses the diagonal.
    const uint diagonal = first_out - pair;
    uint low = max(diagonal, b_length) - b_length;
    uint high = min(diagonal, a_length);
    while (low < high) {
        const uint middle = (low + high) / 2;
        if (a[middle] <= b[diagonal - 1 - middle]) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }

    uint i = low;
    uint j = diagonal - low;
    const uint count = min((uint)SHARE, a_length + b_length - diagonal);
    for (uint k = 0; k < count; ++k) {
        if (j >= b_length || (i < a_length && a[i] <= b[j])) {
            out[first_out + k] = a[i++];
        } else {
            out[first_out + k] = b[j++];
        }
    }
}
