// Minimum spanning forest by Boruvka's rounds. Every edge is stored at both ends; the weights of
// different edges differ. root[v] is the representative of v's component. The host launches, until
// no component finds an edge:
//   mst_reset         forgets the components' lightest edges
//   mst_find_minimum  lightest weight that leaves each component, by atomic minimum
//   mst_find_partner  the component at the other end of that edge
//   mst_hook          joins components along these edges and counts the weights
//   mst_flatten       the root of every node's component, at the end of a chain of dependent loads

#define NO_EDGE INT_MAX

__kernel void mst_reset(__global int *lightest, __global int *partner, const int nodes)
{
    const int node = get_global_id(0);
    if (node < nodes) {
        lightest[node] = NO_EDGE;
        partner[node] = node;
    }
}

__kernel void mst_find_minimum(__global const int *starts, __global const int *targets,
                               __global const int *weights, __global const int *root,
                               __global int *lightest, const int nodes)
{
    const int node = get_global_id(0);
    if (node >= nodes) {
        return;
    }
    const int own = root[node];
    int best = NO_EDGE;
    for (int edge = starts[node]; edge < starts[node + 1]; ++edge) {
        if (root[targets[edge]] != own) {
            best = min(best, weights[edge]);
        }
    }
    if (best != NO_EDGE) {
        atomic_min(&lightest[own], best);
    }
}

__kernel void mst_find_partner(__global const int *starts, __global const int *targets,
                               __global const int *weights, __global const int *root,
                               __global const int *lightest, __global int *partner,
                               const int nodes)
{
    const int node = get_global_id(0);
    if (node >= nodes) {
        return;
    }
    const int own = root[node];
    const int wanted = lightest[own];
    for (int edge = starts[node]; edge < starts[node + 1]; ++edge) {
        const int other = root[targets[edge]];
        if (weights[edge] == wanted && other != own) {
            partner[own] = other;
            break;
        }
    }
}

__kernel void mst_hook(__global int *root, __global const int *lightest,
                       __global const int *partner, __global int *total, __global int *joined,
                       const int nodes)
{
    const int node = get_global_id(0);
    if (node >= nodes || lightest[node] == NO_EDGE) {
        return; // not a root, or a finished component
    }
    const int other = partner[node];
    // Of two components that chose the same edge, the one with the smaller number stays a root.
    if (lightest[other] == lightest[node] && node < other) {
        return;
    }
    root[node] = other;
    atomic_add(total, lightest[node]);
    atomic_inc(joined);
}

__kernel void mst_flatten(__global int *flat, __global const int *root, const int nodes)
{
    const int node = get_global_id(0);
    if (node >= nodes) {
        return;
    }
    int top = root[node];
    while (top != root[top]) {
        top = root[top];
    }
    flat[node] = top;
}
