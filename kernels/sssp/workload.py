"""Single-source shortest paths: relax and update by turns until the frontier is empty.

Graphs by seed % 4: power law, grid, uniform, roads; weights from 1 to 100. The source is the node
with the most neighbours. tiny: 500 nodes; small: 4,096; large: 1,048,576.
"""

from __future__ import annotations

import numpy as np

import kcc.opencl as cl
from kcc import inputs, workload

GRAPHS = (inputs.power_law_graph, inputs.grid_graph, inputs.uniform_graph, inputs.road_graph)


def main(size: str, seed: int) -> None:
    s = workload.sizes(__file__, size)
    rng = inputs.generator(seed)
    graph = GRAPHS[seed % len(GRAPHS)](s.nodes, s.edges, rng)
    graph = inputs.with_weights(graph, rng)
    source = int(np.argmax(graph.degrees))

    device = workload.open_device(cl, __file__)
    queue = device.queue
    initialize, relax, update = device.kernels("sssp_initialize", "sssp_relax", "sssp_update")
    starts, targets = device.buffer(graph.starts), device.buffer(graph.targets)
    weights = device.buffer(graph.weights)
    distance, offer = device.zeros(s.nodes, np.int32), device.zeros(s.nodes, np.int32)
    frontier, changed = device.zeros(s.nodes, np.uint8), device.zeros(1, np.int32)
    nodes = np.int32(s.nodes)
    grid = (workload.roundup(s.nodes, 256),), (256,)

    initialize(queue, *grid, distance, offer, frontier, np.int32(source), nodes)
    for _ in range(s.nodes):  # no path has more edges
        relax(queue, *grid, starts, targets, weights, distance, offer, frontier, nodes)
        device.write(changed, np.zeros(1, np.int32))
        update(queue, *grid, distance, offer, frontier, changed, nodes)
        if device.read(changed, np.int32)[0] == 0:
            break

    check(graph, source, device.read(distance, np.int32))


def check(graph: inputs.Graph, source: int, distance: np.ndarray) -> None:
    """With positive weights, distances are right if and only if the source has 0 and every other
    node the best that a neighbour offers."""
    offers = distance[graph.targets].astype(np.int64) + graph.weights
    best = np.minimum.reduceat(offers, graph.starts[:-1])
    best[source] = 0
    workload.check("distance", distance, best)
