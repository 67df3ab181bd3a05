// Single-source shortest paths with positive integer weights: Bellman-Ford by frontiers. The host
// launches sssp_relax and sssp_update alternately until sssp_update leaves *changed at 0.
//
//   sssp_initialize  distance 0 at the source, "infinite" elsewhere
//   sssp_relax       every node of the frontier offers its neighbours a path, by atomic minimum
//   sssp_update      takes over the improved distances: those nodes are the next frontier
// Node i has the edges starts[i] .. starts[i + 1].

#define INFINITE INT_MAX

__kernel void sssp_initialize(__global int *distance, __global int *offer, __global uchar *frontier,
                              const int source, const int nodes)
{
    const int node = get_global_id(0);
    if (node < nodes) {
        const int start = (node == source) ? 0 : INFINITE;
        distance[node] = start;
        offer[node] = start;
        frontier[node] = node == source;
    }
}

__kernel void sssp_relax(__global const int *starts, __global const int *targets,
                         __global const int *weights, __global const int *distance,
                         __global int *offer, __global const uchar *frontier, const int nodes)
{
    const int node = get_global_id(0);
    if (node >= nodes || !frontier[node]) {
        return;
    }
    const int here = distance[node];
    const int end = starts[node + 1];
    for (int edge = starts[node]; edge < end; ++edge) {
        const int target = targets[edge];
        const int length = here + weights[edge];
        // The plain test spares most of the atomics.
        if (length < distance[target]) {
            atomic_min(&offer[target], length);
        }
    }
}

__kernel void sssp_update(__global int *distance, __global const int *offer,
                          __global uchar *frontier, __global int *changed, const int nodes)
{
    const int node = get_global_id(0);
    if (node < nodes) {
        const bool better = offer[node] < distance[node];
        if (better) {
            distance[node] = offer[node];
            *changed = 1;
        }
        frontier[node] = better;
    }
}
