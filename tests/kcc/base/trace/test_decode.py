"""The decoder gives what the plain reader of the words gives."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest

from kcc.base.trace import decode
from kcc.base.trace.decode import TraceBatch, TraceCounter, TraceDecoder, TraceWordsError
from kcc.base.trace.words import HEADER_MARK, SAME_MASK
from kcc.frontend.options import OptLevel
from kcc.tracegen.simt.program import TraceMode
from kcc.tracegen.trace_stream import TraceReader
from tests.kcc.base.trace.traces import Traced, trace_program, trace_workload
from tests.kernels.case import Case, label
from tests.kernels.test_kernels import CASES

Row = tuple[int, int, int, bool, int, list[tuple[int, list[int]]]]


def plainly(traced: Traced, *, addresses: bool) -> Iterator[Row]:
    reader = TraceReader(traced.ready.plan, addresses=addresses)
    for first, words in traced.pieces:
        for block in reader.read(first, words):
            accesses = [(a.instruction, a.addresses.tolist()) for a in block.accesses]
            yield (
                block.thread_block, block.warp, block.block, block.continued, block.mask, accesses,
            )  # fmt: skip


def batches(traced: Traced, *, addresses: bool) -> Iterator[TraceBatch]:
    decoder = TraceDecoder(traced.tables, addresses=addresses)
    for first, words in traced.pieces:
        yield from decoder.decode(first, words)


def decoded(traced: Traced, *, addresses: bool) -> Iterator[Row]:
    tables = traced.tables
    for batch in batches(traced, addresses=addresses):
        numbers: list[int] = batch.access.tolist()
        instructions = [tables.accesses[number].instruction for number in numbers]
        lanes = batch.addresses.tolist()
        starts = batch.access_start.tolist()
        rows = zip(
            batch.thread_block.tolist(), batch.warp.tolist(), batch.block.tolist(),
            batch.continued.tolist(), batch.mask.tolist(), strict=True,
        )  # fmt: skip
        for place, row in enumerate(rows):
            own = range(starts[place], starts[place + 1])
            yield (*row, [(instructions[i], lanes[i]) for i in own])


def check(traced: Traced, *, addresses: bool = True) -> None:
    assert traced.pieces
    rows = zip(
        decoded(traced, addresses=addresses), plainly(traced, addresses=addresses), strict=True
    )
    for found, wanted in rows:
        assert found == wanted


@pytest.mark.sampled(6)
@pytest.mark.parametrize("case", CASES[1::9], ids=label)
def test_workload(case: Case):
    check(trace_workload(case.name, case.kernel))


@pytest.mark.full
@pytest.mark.parametrize("width", [32, 64])
@pytest.mark.parametrize("case", CASES, ids=label)
def test_workload_at_both_widths(case: Case, width: int):
    check(trace_workload(case.name, case.kernel, width=width))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", range(3))
def test_random_program(seed: int):
    level = (OptLevel.O1, OptLevel.O2)[seed % 2]
    check(trace_program(seed, width=(32, 64)[seed % 3 % 2], level=level))


@pytest.mark.full
@pytest.mark.parametrize("first", range(3, 297, 42))
def test_many_random_programs(first: int):
    for seed in range(first, first + 42):
        level = (OptLevel.O1, OptLevel.O2)[seed % 2]
        check(trace_program(seed, width=(32, 64)[seed % 3 % 2], level=level))


def test_blocks_alone():
    check(trace_workload("lud", "lud_perimeter", mode=TraceMode.BLOCKS), addresses=False)


def test_small_batches_hold_the_same(monkeypatch: pytest.MonkeyPatch):
    traced = trace_workload("lud", "lud_perimeter")
    wanted = list(decoded(traced, addresses=True))
    monkeypatch.setattr(decode, "BATCH_SEGMENTS", 7)
    monkeypatch.setattr(decode, "BATCH_ACCESSES", 1)
    assert list(decoded(traced, addresses=True)) == wanted
    sizes = [len(batch) for batch in batches(traced, addresses=True)]
    assert len(sizes) > 10
    assert max(sizes) <= 7


def test_counts_are_those_of_the_engine():
    traced = trace_workload("reduction", "reduce_interleaved")
    found = [[0, 0] for _ in traced.tables.blocks]
    for batch in batches(traced, addresses=True):
        own = np.flatnonzero(~batch.continued)
        for block, mask in zip(batch.block[own].tolist(), batch.mask[own].tolist(), strict=True):
            found[block][0] += 1
            found[block][1] += mask.bit_count()
    assert [tuple(row) for row in found] == [(c.executions, c.lanes) for c in traced.done.counts]


START = [HEADER_MARK, 0, 0, 0]
TOUCHING = -1
"""Stands for a segment with an access."""


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([HEADER_MARK, 0, 0], "cut off"),
        ([*START, TOUCHING], "cut off"),
        ([*START, TOUCHING, 1], "cut off"),
        ([*START, TOUCHING, 1, 0, 1], "cut off"),
        ([*START, TOUCHING, 3, 4 << 29, 1], "cut off"),
        ([*START, 999, 1], "no such segment"),
        ([*START, 1 << 31, 1], "no such segment"),
        ([*START, TOUCHING, 0], "no active lane"),
        ([*START, SAME_MASK], "no active lane"),
        ([*START, TOUCHING, 1, 5 << 29], "no such kind"),
        ([*START, TOUCHING, 1, 0, 0, 0], "no such kind"),
        ([HEADER_MARK, 0, 1 << 31, 0], "too large"),
        ([HEADER_MARK, 0, 0, 1 << 31], "too large"),
    ],
)
def test_impossible_words(words: list[int], message: str):
    tables = trace_workload("saxpy", "saxpy").tables
    touching = tables.instructions[tables.accesses[0].instruction].segment
    given = [touching if w == TOUCHING else w for w in words]
    decoder = TraceDecoder(tables, addresses=True)
    with pytest.raises(TraceWordsError, match=message):
        list(decoder.decode(0, np.array(given, np.uint32)))
    if message != "no such kind":  # which counting does not look at
        with pytest.raises(TraceWordsError, match=message):
            TraceCounter(tables, addresses=True).add(0, np.array(given, np.uint32))


@pytest.mark.parametrize("mode", [TraceMode.ADDRESSES, TraceMode.BLOCKS])
def test_counting_alone(mode: TraceMode):
    traced = trace_workload("lud", "lud_perimeter", mode=mode)
    tracing = mode is TraceMode.ADDRESSES
    counted = TraceCounter(traced.tables, addresses=tracing)
    for first, words in traced.pieces:
        counted.add(first, words)
    found = list(batches(traced, addresses=tracing))
    done, totals = traced.done, counted.totals()
    assert totals.segments == sum(len(batch) for batch in found)
    assert totals.accesses == sum(len(batch.access) for batch in found)
    assert totals.warp_instructions == done.warp_instructions
    assert totals.thread_instructions == done.thread_instructions
    assert totals.counts == tuple((c.executions, c.lanes) for c in done.counts)
    assert counted.blocks.tolist() == [0, math.prod(traced.ready.launch.blocks) - 1]


def test_thread_blocks_must_ascend():
    tables = trace_workload("lud", "lud_perimeter", mode=TraceMode.BLOCKS).tables
    words = np.array([HEADER_MARK, 7, 0, 0, 0, 1, HEADER_MARK, 6, 0, 0, 0, 1], np.uint32)
    with pytest.raises(TraceWordsError, match="later"):
        TraceCounter(tables, addresses=False).add(0, words)
