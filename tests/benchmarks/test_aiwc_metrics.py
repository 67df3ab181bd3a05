"""The replay of AIWC's bookkeeping, against the same by hand."""

from __future__ import annotations

from collections import Counter
from math import log2

import numpy as np
import pytest
from numpy.typing import NDArray

from benchmarks.aiwc_metrics import MemoryMetrics, MemoryReplay
from benchmarks.opendwarfs_counts import rand
from kcc.base.trace.decode import TraceDecoder
from kcc.frontend import compile_source
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.tracegen.execute import ExecutionOptions, NDRange, prepare
from kcc.tracegen.simt.program import TraceMode
from kcc.tracegen.trace_file import describe_launch
from kcc.tracegen.trace_tables import tables_of

SOURCE = """
kernel void shift(global const float *a, global float *b) {
    int i = get_local_id(0), g = get_group_id(0);
    b[get_global_id(0)] = a[i];
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (i < 3)
        b[g] = a[39 - i];
}
"""
GROUPS, ITEMS = 2, 40


def replayed() -> MemoryMetrics:
    """Of a launch of two warps per group, the second not full."""
    unit = compile_source(SourceText("s.cl", SOURCE, "."), BuildOptions(opt_level=OptLevel.O1))
    kernel = unit.kernels[0]
    arguments = [np.ones(ITEMS, np.float32), np.zeros(GROUPS * ITEMS, np.float32)]
    shape = NDRange((GROUPS * ITEMS,), (ITEMS,))
    options = ExecutionOptions(trace=TraceMode.ADDRESSES)
    ready = prepare(unit, kernel, shape, arguments, options)
    tables = tables_of(ready.plan, kernel, unit)
    replay = MemoryReplay(tables, describe_launch(ready, 0, 0, addresses=True))
    decoder = TraceDecoder(tables, addresses=True)

    def take(first_block: int, words: NDArray[np.uint32]) -> None:
        for batch in decoder.decode(first_block, words):
            replay.add(batch)

    ready.options = ExecutionOptions(trace=TraceMode.ADDRESSES, on_trace=take)
    ready.run()
    return replay.finish()


def by_hand() -> list[list[tuple[str, int]]]:
    """Each group's accesses as an interpreter makes them, work-item by work-item."""
    groups = list[list[tuple[str, int]]]()
    for g in range(GROUPS):
        accesses = list[tuple[str, int]]()
        for i in range(ITEMS):
            accesses += [("a", 4 * i), ("b", 4 * (g * ITEMS + i))]
        for i in range(3):
            accesses += [("a", 4 * (39 - i)), ("b", 4 * g)]
        groups.append(accesses)
    return groups


def test_replay_keeps_the_later_half_of_each_group_and_no_buffers():
    ours, groups = replayed(), by_hand()
    assert ours.accesses == sum(map(len, groups))
    assert ours.whole_footprint == len({access for group in groups for access in group})
    kept = [place for group in groups for _, place in group[len(group) // 2 :]]
    counts = Counter(kept)
    assert ours.footprint == len(counts)
    done, most = 0, 0
    for _, count in counts.most_common():
        if done < 0.9 * len(kept):
            done, most = done + count, most + 1
    assert ours.ninety_percent == most
    for bits, entropy in enumerate(ours.entropies):
        shares = [n / len(kept) for n in Counter(p >> bits for p in kept).values()]
        assert entropy == pytest.approx(-sum(s * log2(s) for s in shares))


def test_random_numbers_are_those_of_glibc():
    # What a C program linked with glibc prints for rand() without srand().
    assert rand(1, 3).tolist() == [1804289383, 846930886, 1681692777]
