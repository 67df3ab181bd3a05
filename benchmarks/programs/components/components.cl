// Connected components by hooking and jumping (Soman, Kishore and Narayanan, IPDPSW 2010).
__kernel void hook(__global const int2 *edges, __global int *parent, __global int *changed, int n)
{
    const int i = get_global_id(0);
    if (i >= n) return;
    const int a = parent[edges[i].x], b = parent[edges[i].y];
    if (a != b) {
        atomic_min(&parent[max(a, b)], min(a, b));
        changed[0] = 1;
    }
}
__kernel void jump(__global int *parent, int n)
{
    const int i = get_global_id(0);
    if (i >= n) return;
    int root = parent[i];
    while (root != parent[root]) root = parent[root];
    parent[i] = root;
}
