// Point and range queries in a B+ tree, one work-group per query.
//
// The DEFAULT_ORDER work-items of a group compare all keys of one node at once: exactly one finds
// the child and leads the group there, so the tree is walked in `height` dependent loads.
// In an inner node, keys[i] <= key < keys[i + 1] leads to node indices[i]; in a leaf, keys[i] has
// record indices[i]. Unused keys are the largest integer.
//
// currKnodeD, offsetD and their like hold the walks' positions and start at the root.

#ifndef DEFAULT_ORDER
#define DEFAULT_ORDER 256
#endif

typedef struct record {
    int value;
} record;

typedef struct knode {
    int location;
    int indices[DEFAULT_ORDER + 1];
    int keys[DEFAULT_ORDER + 1];
    int is_leaf;
    int num_keys;
} knode;

// Whether child `i` of a node covers `key`.
int covers(__global const knode *node, int i, int key)
{
    return node->keys[i] <= key && key < node->keys[i + 1];
}

__kernel void findK(long height, __global knode *knodesD, long knodes_elem,
                    __global record *recordsD, __global long *currKnodeD, __global long *offsetD,
                    __global int *keysD, __global record *ansD)
{
    const int thid = get_local_id(0);
    const int bid = get_group_id(0);
    const int key = keysD[bid];

    for (int level = 0; level < height; ++level) {
        __global const knode *node = &knodesD[currKnodeD[bid]];
        if (covers(node, thid, key)) {
            if (node->indices[thid] < knodes_elem) {
                offsetD[bid] = node->indices[thid];
            }
        }
        barrier(CLK_GLOBAL_MEM_FENCE);
        if (thid == 0) {
            currKnodeD[bid] = offsetD[bid];
        }
        barrier(CLK_GLOBAL_MEM_FENCE);
    }

    __global const knode *leaf = &knodesD[currKnodeD[bid]];
    if (leaf->keys[thid] == key) {
        ansD[bid].value = recordsD[leaf->indices[thid]].value;
    }
}

__kernel void findRangeK(long height, __global knode *knodesD, long knodes_elem,
                         __global long *currKnodeD, __global long *offsetD,
                         __global long *lastKnodeD, __global long *offset_2D,
                         __global int *startD, __global int *endD, __global int *RecstartD,
                         __global int *ReclenD)
{
    const int thid = get_local_id(0);
    const int bid = get_group_id(0);
    const int start = startD[bid];
    const int end = endD[bid];

    for (int level = 0; level < height; ++level) {
        __global const knode *first = &knodesD[currKnodeD[bid]];
        __global const knode *last = &knodesD[lastKnodeD[bid]];
        if (covers(first, thid, start) && first->indices[thid] < knodes_elem) {
            offsetD[bid] = first->indices[thid];
        }
        if (covers(last, thid, end) && last->indices[thid] < knodes_elem) {
            offset_2D[bid] = last->indices[thid];
        }
        barrier(CLK_GLOBAL_MEM_FENCE);
        if (thid == 0) {
            currKnodeD[bid] = offsetD[bid];
            lastKnodeD[bid] = offset_2D[bid];
        }
        barrier(CLK_GLOBAL_MEM_FENCE);
    }

    __global const knode *first_leaf = &knodesD[currKnodeD[bid]];
    if (first_leaf->keys[thid] == start) {
        RecstartD[bid] = first_leaf->indices[thid];
    }
    barrier(CLK_GLOBAL_MEM_FENCE);

    __global const knode *last_leaf = &knodesD[lastKnodeD[bid]];
    if (last_leaf->keys[thid] == end) {
        ReclenD[bid] = last_leaf->indices[thid] - RecstartD[bid] + 1;
    }
}
