"""Classes of warps, read from a file, give back what every warp did."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kcc.base.diagnostics import DiagnosticError
from kcc.base.trace import classes
from kcc.base.trace.decode import TraceDecoder
from kcc.base.trace.launches import CLASSES, STATIC, TraceHeader
from kcc.base.trace.reader import open_trace
from kcc.base.trace.writer import TraceWriter
from kcc.tracegen.simt.program import TraceMode
from kcc.tracegen.trace_file import describe_launch
from tests.kcc.base.trace.files import Row, rows
from tests.kcc.base.trace.grouping import group
from tests.kcc.base.trace.traces import Traced, trace_workload

KERNELS = [("stencil3d", "naive_kernel"), ("reduction", "reduce_interleaved"), ("nw", "nw_kernel1")]


def dynamic(traced: Traced) -> list[Row]:
    decoder = TraceDecoder(traced.tables, addresses=True)
    return [row for first, words in traced.pieces for row in rows(decoder.decode(first, words))]


def write(path: Path, traced: Traced, *, by_event: bool = False) -> int:
    """The launch as classes; gives how many there are."""
    tables, count = traced.tables, 0
    with TraceWriter(path, TraceHeader("0.0.0", STATIC, "test.cl")) as writer:
        launch = describe_launch(traced.ready, 0, writer.add_tables(tables), addresses=True)
        writer.begin(replace(launch, form=CLASSES))
        for found, parts in group(dynamic(traced), launch, tables, by_event=by_event):
            writer.add_class(found, parts)
            count += 1
        writer.end(tuple((c.executions, c.lanes) for c in traced.done.counts))
    return count


@pytest.mark.sampled(3)
@pytest.mark.parametrize("by_event", [False, True])
@pytest.mark.parametrize(("name", "kernel"), KERNELS)
def test_expansion_is_the_dynamic_trace(
    tmp_path: Path, name: str, kernel: str, by_event: bool, monkeypatch: pytest.MonkeyPatch
):
    traced = trace_workload(name, kernel)
    count = write(tmp_path / "x.kct", traced, by_event=by_event)
    wanted = dynamic(traced)
    assert count < len({row[:2] for row in wanted})
    with open_trace(tmp_path / "x.kct") as trace:
        (launch,) = trace.launches
        assert list(rows(launch.batches())) == wanted
        assert list(rows(launch.batches(1, 2))) == [row for row in wanted if 1 <= row[0] < 3]
        monkeypatch.setattr(classes, "KEPT_BYTES", 0)
        monkeypatch.setattr(classes, "JOINED_SEGMENTS", 3)
        assert list(rows(launch.batches())) == wanted
        assert launch.totals.warp_instructions == traced.done.warp_instructions


def test_what_was_assumed_is_marked(tmp_path: Path):
    traced = trace_workload("saxpy", "saxpy")
    write(tmp_path / "x.kct", traced)
    with open_trace(tmp_path / "x.kct") as trace:
        found = trace.launches[0].classes()
        for number in range(len(found.classes)):
            parts = list(found.representative(number))
            marks = np.concatenate([p.assumed_segments for p in parts])
            assert (marks == (np.arange(len(marks)) % 3 == 0)).all()
            marks = np.concatenate([p.assumed_accesses for p in parts])
            assert (marks == (np.arange(len(marks)) % 2 == 0)).all()


def test_regular_kernel_has_few_classes(tmp_path: Path):
    traced = trace_workload("saxpy", "saxpy", names={"n": 1024})
    assert write(tmp_path / "x.kct", traced) == 1
    with open_trace(tmp_path / "x.kct") as trace:
        (found,) = trace.launches[0].classes().classes
    assert found.warps == 32
    assert found.boxes.tolist() == [[[0, 4, 1], [0, 1, 1], [0, 1, 1], [0, 8, 1]]]
    shifts: list[list[int]] = found.shifts.tolist()
    assert all(row == [1024, 0, 0, 128] for row in shifts)


def test_warp_in_two_classes_or_none(tmp_path: Path):
    traced = trace_workload("saxpy", "saxpy", names={"n": 1024})
    tables = traced.tables
    with TraceWriter(tmp_path / "x.kct", TraceHeader("0.0.0", STATIC, "test.cl")) as writer:
        launch = describe_launch(traced.ready, 0, writer.add_tables(tables), addresses=True)
        writer.begin(replace(launch, form=CLASSES))
        ((found, parts),) = group(dynamic(traced), launch, tables, by_event=False)
        twice = found.boxes.copy()
        twice[0, 0, 1] = 2
        writer.add_class(replace(found, boxes=np.concatenate([twice, twice])), parts)
        writer.end()
    with open_trace(tmp_path / "x.kct") as trace:
        classes_ = trace.launches[0].classes()
        with pytest.raises(DiagnosticError) as caught:
            classes_.members(0)
        assert "two classes" in str(caught.value)
        with pytest.raises(DiagnosticError) as caught:
            classes_.members(3)
        assert "no class" in str(caught.value)
        assert {d.code for d in caught.value.diagnostics} == {"K764"}


def test_blocks_alone(tmp_path: Path):
    traced = trace_workload("saxpy", "saxpy", mode=TraceMode.BLOCKS)
    tables = traced.tables
    decoder = TraceDecoder(tables, addresses=False)
    wanted = [r for first, words in traced.pieces for r in rows(decoder.decode(first, words))]
    with TraceWriter(tmp_path / "x.kct", TraceHeader("0.0.0", STATIC, "test.cl")) as writer:
        launch = describe_launch(traced.ready, 0, writer.add_tables(tables), addresses=False)
        launch = replace(launch, form=CLASSES)
        writer.begin(launch)
        for found, parts in group(wanted, launch, tables, by_event=False):
            writer.add_class(found, parts)
        writer.end()
    with open_trace(tmp_path / "x.kct") as trace:
        assert list(rows(trace.launches[0].batches())) == wanted
