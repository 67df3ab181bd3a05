"""What is written to a trace file is read from it again."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from kcc.base.diagnostics import DiagnosticError, InternalError
from kcc.base.trace import reader as reading
from kcc.base.trace import writer as writing
from kcc.base.trace.decode import TraceDecoder, gathered
from kcc.base.trace.launches import LaunchTotals
from kcc.base.trace.reader import open_trace
from kcc.base.trace.writer import TraceWriter
from kcc.frontend import compile_source
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.tracegen.execute import KernelArgument, LocalMemory, NDRange
from kcc.tracegen.simt.program import TraceMode
from kcc.tracegen.trace_file import begin_launch
from tests.kcc.base.trace.files import HEADER, Row, rows, small_launches, write
from tests.kcc.base.trace.traces import Traced, trace, trace_program, trace_workload

Words = NDArray[np.uint32]


def wanted(traced: Traced) -> list[Row]:
    addresses = traced.ready.options.trace is TraceMode.ADDRESSES
    decoder = TraceDecoder(traced.tables, addresses=addresses)
    return [row for first, words in traced.pieces for row in rows(decoder.decode(first, words))]


def test_several_launches(tmp_path: Path):
    launches = list(small_launches())
    path = write(tmp_path / "x.kct", launches)
    with open_trace(path) as found:
        assert found.header == HEADER
        assert [t.kernel for t in found.tables] == ["reduce_interleaved", "lud_diagonal"]
        assert [t.launch.tables for t in found.launches] == [0, 1, 0]
        for launch, traced in zip(found.launches, launches, strict=True):
            assert launch.tables == traced.tables
            assert list(rows(launch.batches())) == wanted(traced)
            assert launch.totals.warp_instructions == traced.done.warp_instructions
        total = sum(t.done.thread_instructions for t in launches)
        assert found.totals.thread_instructions == total
    assert list(tmp_path.iterdir()) == [path]


def test_launches_beyond_the_first_are_read_when_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    path = write(tmp_path / "x.kct", list(small_launches()))
    with open_trace(path) as found:
        whole = [(x.launch, x.totals, list(rows(x.batches()))) for x in found.launches]
    monkeypatch.setattr(reading, "KEPT_LAUNCHES", 1)
    with open_trace(path) as found:
        assert found.launches[0] is found.launches[0]
        assert found.launches[2] is not found.launches[2]
        assert [x.number for x in found.launches[1:]] == [1, 2]
        again = [(x.launch, x.totals, list(rows(x.batches()))) for x in found.launches]
    assert again == whole


def test_small_batches_come_together():
    traced = trace_workload("saxpy", "saxpy")
    decoder = TraceDecoder(traced.tables, addresses=True)
    apart = [batch for first, words in traced.pieces for batch in decoder.decode(first, words)]
    together = list(gathered(apart))
    assert len(together) == 1 < len(apart)
    assert list(rows(together)) == list(rows(apart))


def test_launch_is_described(tmp_path: Path):
    traced = trace_workload("saxpy", "saxpy")
    with open_trace(write(tmp_path / "x.kct", [traced])) as found:
        launch = found.launches[0].launch
    shape, kernel = traced.ready.launch, traced.kernel
    assert (launch.global_size, launch.local_size) == (shape.global_size, shape.local_size)
    names = [a.name for a in kernel.arguments]
    values = {names[s.argument]: s.text for s in launch.scalars}
    given = dict(zip(names, traced.ready.arguments, strict=True))
    buffers = {b.name: b for b in launch.buffers}
    assert buffers.keys() | values.keys() == set(names)
    assert all(values[name] == str(given[name]) for name in values)
    assert all(b.size_bytes == getattr(given[name], "nbytes", 0) for name, b in buffers.items())
    assert all(b.space == "global" and b.address > 0 for b in buffers.values())


STRUCT = """
struct pair { int a; float b; };
kernel void fill(global int *out, struct pair by_value, local int *room, float4 v) {
    room[get_local_id(0)] = by_value.a;
    out[get_global_id(0)] = room[get_local_id(0)] + (int)v.y;
}
"""


def test_struct_vector_and_local_memory(tmp_path: Path):
    unit = compile_source(SourceText("fill.cl", STRUCT, "."), BuildOptions(opt_level=OptLevel.O2))
    pair = np.array([(3, 0.5)], [("a", np.int32), ("b", np.float32)])
    vector = np.array([1, 2, 3, 4], np.float32)
    given: list[KernelArgument] = [np.zeros(64, np.int32), pair, LocalMemory(128), vector]
    traced = trace(unit, unit.kernels[0], NDRange((64,), (32,)), given)
    with open_trace(write(tmp_path / "x.kct", [traced])) as found:
        launch = found.launches[0].launch
    assert [(b.name, b.space, b.size_bytes) for b in launch.buffers] == [
        ("out", "global", 256), ("by_value", "private", 8), ("room", "local", 128),
    ]  # fmt: skip
    bytes_of = {s.argument: bytes.fromhex(s.data) for s in launch.scalars}
    assert bytes_of == {1: pair.tobytes(), 3: vector.tobytes()}
    assert {s.text for s in launch.scalars} == {""}
    assert launch.local_bytes == 128


@pytest.fixture(scope="module")
def many_chunks(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Row]]:
    """A launch in small records, with chunks that go on in the next one."""
    traced = trace_program(1, width=64, level=OptLevel.O1, blocks=70)
    pieces = list[tuple[int, Words]]()
    patch = pytest.MonkeyPatch()
    patch.setattr(writing, "RECORD_WORDS_BYTES", 4000)
    path = tmp_path_factory.mktemp("chunks") / "x.kct"
    decoder = TraceDecoder(traced.tables, addresses=True)
    for first, words in traced.pieces:
        pieces += [(first, part) for part in cut(decoder, first, words)]
    write(path, [replace(traced, pieces=pieces)])
    patch.undo()
    return path, wanted(traced)


def cut(decoder: TraceDecoder, first: int, words: Words) -> list[Words]:
    """The words of a chunk in several pieces, each ending where a segment ends."""
    places = [0]
    if decoder.chunk != first:
        decoder.chunk = first
        decoder.restart()
    patch = pytest.MonkeyPatch()
    patch.setattr("kcc.base.trace.decode.BATCH_SEGMENTS", 700)
    while places[-1] < len(words):
        places.append(decoder.step(words, places[-1])[0])
    patch.undo()
    return [words[a:b] for a, b in itertools.pairwise(places)]


def test_records_and_pieces(many_chunks: tuple[Path, list[Row]]):
    path, expected = many_chunks
    with open_trace(path) as found:
        (launch,) = found.launches
        assert len(launch.contents) > 10
        firsts = [row.first for row in launch.contents]
        assert firsts == sorted(firsts)
        assert list(rows(launch.batches())) == expected


@pytest.mark.parametrize(("first", "count"), [(0, 1), (3, 1), (64, 1), (63, 3), (69, 1), (60, 99)])
def test_some_thread_blocks(many_chunks: tuple[Path, list[Row]], first: int, count: int):
    path, expected = many_chunks
    with open_trace(path) as found:
        (launch,) = found.launches
        part = list(rows(launch.batches(first, count)))
    assert part == [row for row in expected if first <= row[0] < first + count]
    assert {row[0] for row in part} == set(range(first, min(first + count, 70)))


def test_workers_and_runs_give_the_same_bytes(tmp_path: Path):
    files = [
        write(tmp_path / f"{i}.kct", [trace_workload("stencil3d", "naive_kernel", workers=workers)])
        for i, workers in enumerate((1, 2, 1))
    ]
    one, two, again = (path.read_bytes() for path in files)
    assert one == two == again


def test_nothing_is_left_of_a_run_that_fails(tmp_path: Path):
    path = tmp_path / "x.kct"
    path.write_bytes(b"before")
    traced = trace_workload("saxpy", "saxpy")

    def fail() -> None:
        with TraceWriter(path, HEADER) as writer:
            begin_launch(writer, 0, traced.ready)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert [p.name for p in tmp_path.iterdir()] == ["x.kct"]
    assert path.read_bytes() == b"before"


@pytest.mark.parametrize("name", ["missing/x.kct", "."])
def test_file_that_cannot_be_written(tmp_path: Path, name: str):
    with pytest.raises(DiagnosticError) as caught, TraceWriter(tmp_path / name, HEADER):
        pass
    assert caught.value.diagnostics[0].code == "K008"


def test_counts_that_differ_are_a_bug(tmp_path: Path):
    traced = replace(trace_workload("saxpy", "saxpy"), pieces=[])
    with pytest.raises(InternalError):
        write(tmp_path / "x.kct", [traced])
    assert list(tmp_path.iterdir()) == []


def test_empty_trace(tmp_path: Path):
    with open_trace(write(tmp_path / "x.kct", [])) as found:
        assert not found.launches
        assert found.totals == LaunchTotals(0, 0, 0, 0, ())
