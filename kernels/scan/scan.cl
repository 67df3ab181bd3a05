// Exclusive prefix sum of unsigned integers.
//
//   scan_naive   a block per work-group by distance doubling (Hillis and Steele): n log n
//                additions, every lane busy in every step
//   scan_block   a block of 2 * local size per work-group by up-sweep and down-sweep (Blelloch):
//                about 2 n additions, padded against bank conflicts; leaves the block sums
//   add_offsets  adds the scanned block sums to the blocks
// A long vector takes scan_block, scan_block again on the block sums, then add_offsets.

#ifndef GROUP
#define GROUP 128
#endif

// One unused word per bank row keeps power-of-two strides off a single bank.
#define BANKS 32
#define PADDED(i) ((i) + (i) / BANKS)

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void scan_naive(__global uint *out, __global const uint *in, const uint n)
{
    __local uint buffer[2][GROUP];

    const uint lid = get_local_id(0);
    const uint i = get_global_id(0);

    // Shifted by one, so that the inclusive scan of the buffer is the exclusive one of the input.
    buffer[0][lid] = (lid > 0 && i <= n) ? in[i - 1] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    int from = 0;
    for (uint distance = 1; distance < GROUP; distance *= 2) {
        uint sum = buffer[from][lid];
        if (lid >= distance) {
            sum += buffer[from][lid - distance];
        }
        from = 1 - from;
        buffer[from][lid] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (i < n) {
        out[i] = buffer[from][lid];
    }
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void scan_block(__global uint *out, __global const uint *in, __global uint *block_sums,
                const uint n)
{
    __local uint tree[PADDED(2 * GROUP)];

    const uint lid = get_local_id(0);
    const uint block = get_group_id(0);
    const uint first = block * 2 * GROUP + lid;
    const uint second = first + GROUP;

    tree[PADDED(lid)] = (first < n) ? in[first] : 0;
    tree[PADDED(lid + GROUP)] = (second < n) ? in[second] : 0;

    // Up: node sums, the root ends at the last element.
    uint stride = 1;
    for (uint active = GROUP; active > 0; active >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < active) {
            const uint left = PADDED(stride * (2 * lid + 1) - 1);
            const uint right = PADDED(stride * (2 * lid + 2) - 1);
            tree[right] += tree[left];
        }
        stride *= 2;
    }

    if (lid == 0) {
        const uint root = PADDED(2 * GROUP - 1);
        block_sums[block] = tree[root];
        tree[root] = 0;
    }

    // Down: each node hands its prefix to the left child, prefix plus left sum to the right one.
    for (uint active = 1; active <= GROUP; active *= 2) {
        stride >>= 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < active) {
            const uint left = PADDED(stride * (2 * lid + 1) - 1);
            const uint right = PADDED(stride * (2 * lid + 2) - 1);
            const uint sum = tree[left];
            tree[left] = tree[right];
            tree[right] += sum;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    if (first < n) {
        out[first] = tree[PADDED(lid)];
    }
    if (second < n) {
        out[second] = tree[PADDED(lid + GROUP)];
    }
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void add_offsets(__global uint *data, __global const uint *offsets, const uint n)
{
    __local uint offset;

    const uint block = get_group_id(0);
    const uint first = block * 2 * GROUP + get_local_id(0);

    if (get_local_id(0) == 0) {
        offset = offsets[block];
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    if (first < n) {
        data[first] += offset;
    }
    if (first + GROUP < n) {
        data[first + GROUP] += offset;
    }
}
