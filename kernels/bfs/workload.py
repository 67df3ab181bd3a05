"""Breadth-first search, level by level until no node is new, as in Rodinia.

Graphs by seed % 4: uniform (Rodinia's), power law, grid, roads. The source is the node with the
most neighbours. A launch of each kernel per level: about ten levels, but thousands in large grids
and roads.
"""

from __future__ import annotations

import numpy as np

import kcc.opencl as cl
from kcc import inputs, workload

GRAPHS = (inputs.uniform_graph, inputs.power_law_graph, inputs.grid_graph, inputs.road_graph)
LOCAL = 256


def main(size: str, seed: int) -> None:
    """Search a graph from one node; every node must get its number of steps from there."""
    s = workload.sizes(__file__, size)
    graph = GRAPHS[seed % len(GRAPHS)](s.nodes, s.edges, inputs.generator(seed))
    source = int(np.argmax(graph.degrees))
    nodes = np.stack([graph.starts[:-1], graph.degrees], axis=1)  # struct Node: two ints
    mask, cost = np.zeros(s.nodes, np.int8), np.full(s.nodes, -1, np.int32)
    mask[source], cost[source] = 1, 0

    device = workload.open_device(cl, __file__)
    expand, advance = device.kernels("BFS_1", "BFS_2")
    graph_nodes, graph_edges = device.buffer(nodes), device.buffer(graph.targets)
    frontier, updating = device.buffer(mask), device.zeros(s.nodes, np.int8)
    visited, costs = device.buffer(mask), device.buffer(cost)
    over, count = device.zeros(1, np.int8), np.int32(s.nodes)
    grid = (workload.roundup(s.nodes, LOCAL),), (LOCAL,)

    active = True
    while active:
        expand(
            device.queue, *grid, graph_nodes, graph_edges, frontier, updating, visited, costs, count
        )
        device.write(over, np.zeros(1, np.int8))
        advance(device.queue, *grid, frontier, updating, visited, over, count)
        active = device.read(over, np.int8)[0] != 0

    check(graph, source, device.read(costs, np.int32))


def check(graph: inputs.Graph, source: int, costs: np.ndarray) -> None:
    """The same search in numpy, all nodes of a level at once."""
    wanted = np.full(graph.nodes, -1, np.int32)
    wanted[source] = 0
    level, step = np.array([source]), 0
    while level.size:
        step += 1
        counts = graph.degrees[level]
        ends = np.cumsum(counts)
        entries = np.arange(ends[-1]) + np.repeat(graph.starts[level] - ends + counts, counts)
        found = np.unique(graph.targets[entries])
        level = found[wanted[found] < 0]
        wanted[level] = step
    workload.check("costs", costs, wanted)


if __name__ == "__main__":
    main("small", 0)
