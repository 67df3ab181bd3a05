"""Reads of a genome found in it: longest matches of all their suffixes by a suffix tree.

A read is a piece of the reference, of which by seed % 3 one letter in 50 is exchanged, one in 10,
none, where a quarter of the reference stands in it twice. 64 reads at most are compared with a
search of the reference.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import kcc.opencl as cl
from kcc import inputs, workload

EXCHANGED = (0.02, 0.1, 0.0)
GROUP, SAMPLE = 256, 64


def main(size: str, seed: int) -> None:
    s = workload.sizes(__file__, size)
    rng = inputs.generator(seed)
    reference: NDArray[Any] = rng.integers(0, 4, s.letters, np.uint8)
    if seed % 3 == 2:
        half = s.letters // 2
        reference[half : half + half // 2] = reference[: half // 2]
    begins = rng.integers(0, int(s.letters - s.length), int(s.count))
    queries: NDArray[Any] = reference[begins[:, None] + np.arange(s.length)]
    exchanged: NDArray[Any] = rng.random(queries.shape) < EXCHANGED[seed % 3]
    queries[exchanged] = rng.integers(0, 4, int(exchanged.sum()))

    device = workload.open_device(cl, __file__)
    (kernel,) = device.kernels("suffix_match")
    tables = [device.buffer(table) for table in suffix_tree(reference, s.length)]
    matches = device.zeros(2 * queries.size, np.int32)
    kernel(
        device.queue, (workload.roundup(s.count, GROUP),), (GROUP,), device.buffer(reference),
        *tables, device.buffer(queries), np.int32(s.count), np.int32(s.length), matches,
    )  # fmt: skip
    found = device.read(matches, np.int32).reshape(s.count, s.length, 2)
    sample = rng.permutation(s.count)[:SAMPLE]
    workload.check("matches", found[sample], longest_matches(reference, queries[sample]))


def suffix_tree(
    reference: NDArray[Any], depth: int
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Children, starts and ends of the nodes of the tree of all suffixes, cut to `depth` letters:
    no match is longer. Suffixes are put in one after the other, from the first."""
    text: list[int] = reference.tolist()
    children, starts, ends = [[0] * 4], [0], [0]
    for suffix in range(len(text)):
        node, at, stop = 0, suffix, min(suffix + depth, len(text))
        while at < stop:
            child = children[node][text[at]]
            if child == 0:
                children[node][text[at]] = len(starts)
                children.append([0] * 4)
                starts.append(at)
                ends.append(stop)
                break
            edge, end = starts[child], ends[child]
            while edge < end and at < stop and text[edge] == text[at]:
                edge, at = edge + 1, at + 1
            if edge < end and at < stop:
                # The edge is cut in two, and the suffix goes on from between them.
                between = len(starts)
                children[node][text[starts[child]]] = between
                children.append([0] * 4)
                children[between][text[edge]] = child
                starts.append(starts[child])
                ends.append(edge)
                starts[child] = edge
                child = between
            node = child
    as_table = [np.array(each, np.int32).ravel() for each in (children, starts, ends)]
    return as_table[0], as_table[1], as_table[2]


def longest_matches(reference: NDArray[Any], queries: NDArray[Any]) -> NDArray[Any]:
    """Where the longest beginning of each suffix of each query lies first, and how long it is, by a
    search of the whole reference."""
    text, found = reference.tobytes(), np.zeros((*queries.shape, 2), np.int32)
    for q, query in enumerate(queries):
        for suffix in range(query.size):
            own, length = query[suffix:].tobytes(), 0
            place = 0
            while length < len(own) and (at := text.find(own[: length + 1], place)) >= 0:
                place, length = at, length + 1
            found[q, suffix] = place, length
    return found
