"""B+ tree queries: a batch of points, then a batch of ranges.

Queries by seed % 3: anywhere in the tree, half of them near a few places, ascending. Half of the
points are not in the tree. tiny: 20 queries, 3,000 keys; small: 512 queries, 65,536 keys; large:
100,000 queries, 1,000,000 keys, a node of 256 keys each.
"""

from __future__ import annotations

import numpy as np

import kcc.opencl as cl
from kcc import inputs, workload

LONGEST_RANGE = 100


def main(size: str, seed: int) -> None:
    s = workload.sizes(__file__, size)
    rng = inputs.generator(seed)
    keys = np.cumsum(rng.integers(1, 4, s.keys)).astype(np.int32)
    records = rng.integers(0, 1_000_000, s.keys, np.int32)
    nodes, height = build_tree(keys, s.DEFAULT_ORDER)

    device = workload.open_device(cl, __file__)
    queue = device.queue
    find, find_range = device.kernels("findK", "findRangeK")
    tree, record_d = device.buffer(nodes), device.buffer(records)
    grid = (s.queries * s.DEFAULT_ORDER,), (s.DEFAULT_ORDER,)
    shape = np.int64(height), tree, np.int64(len(nodes))

    def walk() -> cl.Buffer:
        return device.zeros(s.queries, np.int64)

    place = chosen(s.keys, s.queries, seed % 3, rng)
    wanted = keys[place] + rng.integers(0, 2, s.queries, np.int32)
    answer = device.buffer(np.full(s.queries, -1, np.int32))
    find(queue, *grid, *shape, record_d, walk(), walk(), device.buffer(wanted), answer)
    at = np.minimum(np.searchsorted(keys, wanted), s.keys - 1)
    found = np.where(keys[at] == wanted, records[at], -1)
    workload.check("ansD", device.read(answer, np.int32), found)

    last = np.minimum(place + rng.integers(0, LONGEST_RANGE, s.queries), s.keys - 1)
    ends = device.buffer(keys[place]), device.buffer(keys[last])
    start, length = device.zeros(s.queries, np.int32), device.zeros(s.queries, np.int32)
    find_range(queue, *grid, *shape, walk(), walk(), walk(), walk(), *ends, start, length)
    workload.check("RecstartD", device.read(start, np.int32), place)
    workload.check("ReclenD", device.read(length, np.int32), last - place + 1)


def chosen(keys: int, queries: int, shape: int, rng: np.random.Generator) -> np.ndarray:
    """Which keys are asked for."""
    place = rng.integers(0, keys, queries)
    if shape == 1:
        place[::2] = place[0] + rng.integers(0, 64, place[::2].size)
    return np.sort(place) if shape == 2 else np.minimum(place, keys - 1)


def build_tree(keys: np.ndarray, order: int) -> tuple[np.ndarray, int]:
    """Nodes of a tree over ascending keys, half full, the root first; and the levels above the
    leaves."""
    layout = [("location", "i4"), ("indices", "i4", order + 1), ("keys", "i4", order + 1)]
    layout += [("is_leaf", "i4"), ("num_keys", "i4")]
    half = order // 2
    levels: list[np.ndarray] = []
    firsts = keys
    while not levels or len(levels[0]) > 1:
        count = -(-firsts.size // half)
        nodes = np.zeros(count, layout)
        nodes["is_leaf"] = not levels
        nodes["num_keys"] = np.minimum(half, firsts.size - half * np.arange(count))
        nodes["keys"] = np.iinfo(np.int32).max
        slot = np.arange(firsts.size)
        nodes["keys"][slot // half, slot % half] = firsts
        nodes["indices"][slot // half, slot % half] = slot
        levels.insert(0, nodes)
        firsts = nodes["keys"][:, 0].copy()
        firsts[0] = np.iinfo(np.int32).min  # no key is below the first
    base = 0
    for level in levels[:-1]:
        base += len(level)
        level["indices"] += base
    tree = np.concatenate(levels)
    tree["location"] = np.arange(len(tree))
    return tree, len(levels) - 1
