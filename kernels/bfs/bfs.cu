// Level-synchronous breadth-first search over a graph in compressed adjacency lists.
//
// The host launches BFS_1 and BFS_2 alternately, once per level, until BFS_2 leaves g_over at 0.
//   BFS_1  expands the frontier: every node in the mask visits its neighbours
//   BFS_2  makes the nodes found the next frontier
// Several parents may write one child's cost in the same launch; all write the same value.

typedef struct {
    int starting;    // index of the node's first edge
    int no_of_edges;
} Node;

__global__ void BFS_1(const Node *g_graph_nodes, const int *g_graph_edges,
                    char *g_graph_mask, char *g_updating_graph_mask,
                    char *g_graph_visited, int *g_cost, const int no_of_nodes)
{
    const int node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node < no_of_nodes && g_graph_mask[node]) {
        g_graph_mask[node] = false;
        const int first = g_graph_nodes[node].starting;
        const int last = first + g_graph_nodes[node].no_of_edges;
        for (int edge = first; edge < last; ++edge) {
            const int child = g_graph_edges[edge];
            if (!g_graph_visited[child]) {
                g_cost[child] = g_cost[node] + 1;
                g_updating_graph_mask[child] = true;
            }
        }
    }
}

__global__ void BFS_2(char *g_graph_mask, char *g_updating_graph_mask,
                    char *g_graph_visited, char *g_over,
                    const int no_of_nodes)
{
    const int node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node < no_of_nodes && g_updating_graph_mask[node]) {
        g_graph_mask[node] = true;
        g_graph_visited[node] = true;
        *g_over = true;
        g_updating_graph_mask[node] = false;
    }
}
