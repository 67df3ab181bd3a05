"""A trace read back agrees with the counts, and its addresses with what the kernel computes."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from kcc.tracegen.execute import ExecutionOptions, NDRange, prepare
from kcc.tracegen.simt.program import TraceMode
from kcc.tracegen.trace_stream import TracedBlock, TraceReader
from tests.kernels.harness import launch_of
from tests.tracegen import engine


def traced(name: str, kernel: str, workers: int) -> tuple[list[TracedBlock], list[tuple[int, int]]]:
    """All blocks of a tiny launch, and the executions and lanes the engine counted."""
    launch = launch_of(name, kernel)
    unit = engine.compiled(name)
    chosen = engine.kernel_of(unit, kernel)
    pieces = list[tuple[int, NDArray[np.uint32]]]()

    def collect(first: int, words: NDArray[np.uint32]) -> None:
        pieces.append((first, words))

    options = ExecutionOptions(workers=workers, trace=TraceMode.ADDRESSES, on_trace=collect)
    shape = NDRange(tuple(launch.global_size), tuple(launch.local_size))
    ready = prepare(unit, chosen, shape, engine.arguments(chosen, launch), options)
    done = ready.run()
    reader = TraceReader(done.plan, addresses=True)
    blocks = [block for first, words in pieces for block in reader.read(first, words)]
    return blocks, [(c.executions, c.lanes) for c in done.counts]


@pytest.mark.parametrize(
    ("name", "kernel"),
    [("matmul", "matmul_tiled"), ("lud", "lud_perimeter"), ("reduction", "reduce_interleaved")],
)
def test_trace_has_what_was_counted(name: str, kernel: str):
    blocks, counts = traced(name, kernel, workers=1)
    found = [[0, 0] for _ in counts]
    for block in blocks:
        if not block.continued:
            found[block.block][0] += 1
            found[block.block][1] += block.mask.bit_count()
    assert [tuple(row) for row in found] == counts


def test_trace_does_not_depend_on_workers():
    def shown(blocks: list[TracedBlock]) -> list[object]:
        return [
            (
                b.thread_block,
                b.warp,
                b.block,
                b.continued,
                b.mask,
                [a.addresses.tolist() for a in b.accesses],
            )
            for b in blocks
        ]

    one, two = (traced("stencil3d", "naive_kernel", workers)[0] for workers in (1, 2))
    assert shown(one) == shown(two)


def test_addresses_of_a_copy():
    """Vector addition reads a[i] and b[i] and writes c[i]: lane by lane 4 bytes on."""
    blocks, _ = traced("vecadd", "vecadd", workers=1)
    starts = list[int]()
    for block in blocks:
        active = [lane for lane in range(32) if block.mask >> lane & 1]
        for access in block.accesses:
            lanes = access.addresses[active]
            assert (np.diff(lanes) == 4).all()
            if block.thread_block == 0 and block.warp == 0:
                starts.append(int(lanes[0]))
    assert len(starts) == 3
    assert len({start % 256 for start in starts}) == 1
