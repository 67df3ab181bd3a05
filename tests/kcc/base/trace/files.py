"""Trace files for the tests, and what they hold in plain Python."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from kcc.base.trace.decode import TraceBatch
from kcc.base.trace.launches import DYNAMIC, TraceHeader
from kcc.base.trace.writer import TraceWriter
from kcc.tracegen.simt.program import TraceMode
from kcc.tracegen.trace_file import begin_launch, end_launch
from tests.kcc.base.trace.traces import Traced, trace_workload

HEADER = TraceHeader("0.0.0", DYNAMIC, "test.py")

Row = tuple[int, int, int, bool, int, list[tuple[int, list[int]]]]


def write(path: Path, launches: Iterable[Traced]) -> Path:
    """A file with these launches."""
    with TraceWriter(path, HEADER) as writer:
        for number, traced in enumerate(launches):
            add = begin_launch(writer, number, traced.ready)
            for first, words in traced.pieces:
                add(first, words)
            end_launch(writer, traced.done)
    return path


def small_launches() -> Iterator[Traced]:
    """Divergence, barriers, local memory; two launches of one kernel; blocks alone."""
    yield trace_workload("reduction", "reduce_interleaved")
    yield trace_workload("lud", "lud_diagonal")
    yield trace_workload("reduction", "reduce_interleaved", mode=TraceMode.BLOCKS)


def rows(batches: Iterable[TraceBatch]) -> Iterator[Row]:
    """Segment by segment; addresses of active lanes only."""
    for batch in batches:
        starts: list[int] = batch.access_start.tolist()
        numbers: list[int] = batch.access.tolist()
        lanes: list[list[int]] = batch.addresses.tolist()
        columns = zip(
            batch.thread_block.tolist(), batch.warp.tolist(), batch.segment.tolist(),
            batch.continued.tolist(), batch.mask.tolist(), strict=True,
        )  # fmt: skip
        for place, (thread_block, warp, segment, continued, mask) in enumerate(columns):
            own = range(starts[place], starts[place + 1])
            touched = [(numbers[i], _active(lanes[i], mask)) for i in own]
            yield (thread_block, warp, segment, continued, mask, touched)


def _active(lanes: Sequence[int], mask: int) -> list[int]:
    return [address for lane, address in enumerate(lanes) if mask >> lane & 1]


def as_text(value: object) -> str:
    return json.dumps(value, sort_keys=True)
