"""Minimum spanning forest: Boruvka's rounds until no component finds an edge.

Graphs by seed % 4: power law, grid, uniform, roads; all weights differ. `total` is the forest's
weight modulo 2 ** 32. tiny: 400 nodes; small: 4,096; large: 1,048,576.
"""

from __future__ import annotations

import numpy as np

import kcc.opencl as cl
from kcc import inputs, workload

GRAPHS = (inputs.power_law_graph, inputs.grid_graph, inputs.uniform_graph, inputs.road_graph)
NO_EDGE = np.iinfo(np.int32).max


def main(size: str, seed: int) -> None:
    s = workload.sizes(__file__, size)
    rng = inputs.generator(seed)
    graph = GRAPHS[seed % len(GRAPHS)](s.nodes, s.edges, rng)
    graph = inputs.with_weights(graph, rng, distinct=True)

    device = workload.open_device(cl, __file__)
    queue = device.queue
    reset, find_minimum, find_partner, hook, flatten = device.kernels(
        "mst_reset", "mst_find_minimum", "mst_find_partner", "mst_hook", "mst_flatten"
    )
    edges = [device.buffer(part) for part in (graph.starts, graph.targets, graph.weights)]
    root = device.buffer(np.arange(s.nodes, dtype=np.int32))
    flat, lightest, partner = (device.zeros(s.nodes, np.int32) for _ in range(3))
    total, joined = device.zeros(1, np.int32), device.zeros(1, np.int32)
    nodes = np.int32(s.nodes)
    grid = (workload.roundup(s.nodes, 256),), (256,)

    for _ in range(s.nodes.bit_length()):  # a round at least halves the components that can join
        device.write(joined, np.zeros(1, np.int32))
        reset(queue, *grid, lightest, partner, nodes)
        find_minimum(queue, *grid, *edges, root, lightest, nodes)
        find_partner(queue, *grid, *edges, root, lightest, partner, nodes)
        hook(queue, *grid, root, lightest, partner, total, joined, nodes)
        flatten(queue, *grid, flat, root, nodes)
        root, flat = flat, root
        if device.read(joined, np.int32)[0] == 0:
            break

    wanted = spanning_weight(graph) % 2**32
    workload.check("total", device.read(total, np.uint32), [wanted])
    # The graphs are connected.
    roots = device.read(root, np.int32)
    workload.check("root", roots == roots[0], np.ones(s.nodes, bool))


def spanning_weight(graph: inputs.Graph) -> int:
    """The weight of the minimum spanning tree, by rounds over the edges that are left."""
    heaviest_first = np.argsort(-graph.weights)
    own, other = graph.sources[heaviest_first], graph.targets[heaviest_first]
    weight = graph.weights[heaviest_first]
    root = np.arange(graph.nodes)
    total = 0
    while own.size:
        lightest = np.full(graph.nodes, NO_EDGE)
        lightest[own] = weight  # of a component's edges the last stays, the lightest
        chosen = weight == lightest[own]
        a, b = own[chosen], other[chosen]
        # Two that chose each other have one edge; the one with the smaller number stays.
        partner = np.arange(graph.nodes)
        partner[a] = b
        joins = (partner[b] != a) | (a > b)
        total += int(weight[chosen][joins].sum(dtype=np.int64))
        root[a[joins]] = b[joins]
        while (root[root] != root).any():
            root = root[root]
        own, other = root[own], root[other]
        apart = own != other
        own, other, weight = own[apart], other[apart], weight[apart]
    return total
