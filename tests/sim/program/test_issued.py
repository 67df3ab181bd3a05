"""What the timing models issue for a kernel: the same, whether its source or its trace is looked
at."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kcc.base.diagnostics import DiagnosticError
from kcc.base.gpu.loading import load_gpu
from kcc.base.trace.decode import TraceBatch
from kcc.base.trace.reader import LaunchTrace, open_trace
from kcc.commands.sources import SourceLines
from kcc.commands.static_trace import static_parser, static_request
from kcc.passes.graph.loops import Loops
from kcc.sim.cycle.compiled import compiled_launch
from kcc.sim.estimate.subject import Subject
from kcc.sim.interval.inputs import interval_inputs
from kcc.sim.machine.costs import generation_of_gpu
from kcc.sim.program.issued import IssuedTables, issued, lowering_notes
from kcc.sim.program.loop_overhead import UNROLL_LIMIT
from kcc.sim.program.of_trace import program_of_trace
from kcc.sim.program.replay import Idle, Replay
from kcc.stages.analyze import AnalysisRequest
from kcc.stages.estimate import Workshop
from kcc.stages.static_tracing import trace_source

ROOT = Path(__file__).parents[3]
SAMPLE = ROOT / "docs" / "sample.kct"
OLDER = ROOT / "tests" / "kcc" / "base" / "trace" / "version2.kct"
EVERY = sorted(ROOT.glob("kernels/*/*.cl"))
SOME = ("convolution.cl", "fft.cl", "nbody.cl", "reduction.cl")
"""Loops that are unrolled, wholly and in part, merged loads, barriers, divisions."""


def requested(path: Path, *words: str) -> AnalysisRequest:
    arguments = static_parser("kcc trace").parse_args([str(path), *words])
    return static_request(arguments, str(path), SourceLines())[0]


def known_in_the_mean(subject: Subject) -> frozenset[int]:
    """Blocks of loops of which warps go round differently often, or less often than they are
    unrolled, or that not all iterations come to: what iterations share, whoever looks at the source
    knows there in the mean only."""
    loops, flow = subject.facts[Loops], subject.flow
    return frozenset(
        block for loop in loops.loops for block in loop.blocks
        if flow.executions[block] != flow.executions[loop.header] or flow.trips[loop.id] % 1
        or flow.trips[loop.id] < UNROLL_LIMIT
    )  # fmt: skip


def estimated_counts(subject: Subject, gpu: str) -> Counter[tuple[str, int]]:
    """Warp instructions by class and memory, as the pipeline model has them."""
    program = subject.program(generation_of_gpu(load_gpu(gpu, [])))
    found, skipped = Counter[tuple[str, int]](), known_in_the_mean(subject)
    for number, block in enumerate(program.blocks):
        executions = subject.flow.executions[number]
        for own in (program.operations[n] for n in block):
            if own.every > 1 and number in skipped:
                continue
            found[own.kind.value, own.memory] += executions * own.slots  # type: ignore[assignment]
    return found


def traced_counts(
    launch: LaunchTrace, gpu: str, skipped: frozenset[int]
) -> tuple[Counter[tuple[str, int]], int]:
    """The same of a trace, and how many more the interval model issues than in these."""
    described = load_gpu(gpu, [])
    compiled = compiled_launch(launch, described)
    tables = compiled.tables
    assert isinstance(tables, IssuedTables)
    executed = np.zeros(len(tables.segments), np.int64)
    for batch in compiled.batches():
        executed += np.bincount(batch.segment, minlength=len(executed))
    found, beside = Counter[tuple[str, int]](), 0
    for segment, times in zip(tables.segments, executed.tolist(), strict=True):
        for own in tables.operations[segment.first : segment.end]:
            if own.every > 1 and segment.block in skipped:
                beside += times * round(own.at_once)
            else:
                found[own.kind.value, own.memory] += times * round(own.at_once)
    _, operations = interval_inputs(described, tables, compiled.launch, {})
    slots = [operations.issue_slots[s.first : s.end].sum() for s in tables.segments]
    return found, int(executed @ np.array(slots)) - beside - sum(found.values())


def compare(path: Path, gpu: str, folder: Path) -> int:
    """How many kernels of a source were compared: those of which nothing is assumed."""
    request, target, compared = requested(path, "--size", "tiny"), folder / "k.kct", 0
    with contextlib.suppress(DiagnosticError):  # what takes memory that no launch file describes
        trace_source(request, target)
        subjects = {p.subject.kernel.name: p.subject for p in Workshop().prepare(request)}
        with open_trace(str(target)) as trace:
            for launch in trace.launches:
                subject = subjects[launch.tables.kernel]
                if subject.flow.assumed:
                    continue
                own = estimated_counts(subject, gpu)
                traced, more = traced_counts(launch, gpu, known_in_the_mean(subject))
                for key in {*own, *traced}:
                    assert traced[key] == pytest.approx(own[key]), (launch.tables.kernel, key)
                assert more == 0
                compared += 1
    return compared


@pytest.mark.parametrize("name", SOME)
def test_all_models_issue_the_same(name: str, tmp_path: Path):
    path = next(each for each in EVERY if each.name == name)
    assert compare(path, "v100", tmp_path)


@pytest.mark.full
@pytest.mark.parametrize("gpu", ["v100", "k40", "mi100"])
@pytest.mark.parametrize("path", EVERY, ids=lambda path: path.stem)
def test_all_models_issue_the_same_of_every_kernel(path: Path, gpu: str, tmp_path: Path):
    if not compare(path, gpu, tmp_path):
        pytest.skip("no kernel of it whose executions are known before a run")


# which iterations pay what an unrolled loop shares

LOOP, REST = 0, 1


def replay(times: int, group: int = -1) -> Replay:
    """Of a loop that is segment 0, or 2 where it does not pay, or ``group`` where all iterations
    are one, after which comes segment 1. Its second access is that of two of the trace."""
    return Replay(
        np.array([0, -1], np.int32), np.array([True, False]), np.array([times, 1]),
        np.array([2, -1], np.int32), np.array([group, -1], np.int32),
        np.array([[0, 2], [2, 2], [2, 3], [3, 5]]), np.array([0, 1, 3, 3, 4, 5]),
        np.array([2, 0, 1, 0, 3]), np.array([0, 0, 4096, 0, 0]),
        Idle(np.full((2, 2), -1), np.full((4, 2), -1)),
    )  # fmt: skip


def executed(blocks: list[int], warps: list[int], segments: list[int]) -> TraceBatch:
    count = len(segments)
    return TraceBatch(
        np.array(blocks), np.array(warps, np.int32), np.array(segments, np.int32),
        np.array(segments, np.int32), np.zeros(count, np.bool_), np.full(count, 3, np.uint64),
        np.zeros(count + 1, np.int64), np.zeros(0, np.int32), np.zeros((0, 0), np.int64),
    )  # fmt: skip


def paid(segments: list[int], times: int) -> list[int]:
    count = len(segments)
    found = replay(times).batch(executed([0] * count, [0] * count, segments), 1)
    return found.segment.tolist()


@pytest.mark.parametrize(
    ("iterations", "expected"),
    [
        (1, [0]), (3, [0, 0, 0]), (4, [2, 2, 2, 0]), (7, [0, 0, 0, 2, 2, 2, 0]),
        (8, [2, 2, 2, 0, 2, 2, 2, 0]), (9, [0, 2, 2, 2, 0, 2, 2, 2, 0]),
    ],
)  # fmt: skip
def test_iterations_that_are_left_over_pay_for_themselves(iterations: int, expected: list[int]):
    body = [REST, *[LOOP] * iterations, REST]
    assert paid(body, 4) == [1, *expected, 1]
    assert paid([*body, *body], 4) == [1, *expected, 1, 1, *expected, 1]


def test_warps_issue_round_robin():
    """Two warps of two thread blocks, row by row in turn: three and five iterations."""
    own = {0: [REST, *[LOOP] * 3, REST, REST, REST], 1: [REST, *[LOOP] * 5, REST]}
    rows = [(b, w, own[w][n]) for b in (0, 1) for n in range(7) for w in (0, 1)]
    blocks, warps, segments = (list(column) for column in zip(*rows, strict=True))
    found = replay(2).batch(executed(blocks, warps, segments), 2)
    for block in (0, 1):
        for warp, expected in ((0, [1, 0, 2, 0, 1, 1, 1]), (1, [1, 0, 2, 0, 2, 0, 1])):
            chosen = (found.thread_block == block) & (found.warp == warp)
            assert found.segment[chosen].tolist() == expected


def test_of_a_loop_that_goes_on_elsewhere_nothing_is_left_over():
    assert paid([REST, *[LOOP] * 5], 4) == [1, 0, 2, 2, 2, 0]
    assert paid([*[LOOP] * 5, REST], 4) == [0, 2, 2, 2, 0, 1]


def test_merged_loads_take_the_lowest_address():
    """Two iterations, of which the first does not pay and has one access, with a fixed address."""
    addresses = [[8, 12], [4, 16], [96, 64]]
    both = replace(
        executed([0, 0], [0, 0], [LOOP, LOOP]), access_start=np.array([0, 3, 6]),
        access=np.array([0, 1, 2] * 2, np.int32), addresses=np.array(addresses * 2),
    )  # fmt: skip
    found = replay(2).batch(both, 1)
    assert found.segment.tolist() == [2, 0]
    assert found.access_start.tolist() == [0, 1, 3]
    assert found.access.tolist() == [2, 0, 1]
    assert found.addresses.tolist() == [[4096, 4096], [96, 64], [4, 12]]


def test_iterations_by_the_same_lanes_are_one_row():
    """Five iterations of which two are one; then three, whose lanes differ in the last."""
    rows = [LOOP] * 5 + [REST] + [LOOP] * 3
    count = len(rows)
    batch = replace(
        executed([0] * count, [0] * count, rows),
        mask=np.array([3] * (count - 1) + [1], np.uint64), access_start=np.arange(count + 1) * 3,
        access=np.zeros(3 * count, np.int32),
        addresses=np.arange(6 * count).reshape(-1, 2),
    )  # fmt: skip
    found = replay(2, group=3).batch(batch, 1)
    assert found.segment.tolist() == [0, 3, 3, 1, 0, 2, 0]
    begin = int(found.access_start[1])
    assert found.access[begin : begin + 2].tolist() == [3, 4]
    assert found.addresses[begin : begin + 2].tolist() == [[6, 7], [12, 13]]


# traces and their IR


@contextlib.contextmanager
def first_launch(path: Path) -> Generator[LaunchTrace]:
    with open_trace(str(path)) as trace:
        yield trace.launches[0]


def test_older_traces_are_lowered_by_their_tables_and_say_so():
    with first_launch(OLDER) as old, first_launch(SAMPLE) as new:
        gpu = load_gpu("v100", [])
        assert not old.tables.ir
        assert lowering_notes(compiled_launch(old, gpu).tables)
        tables = compiled_launch(new, gpu).tables
        assert isinstance(tables, IssuedTables)
        assert not lowering_notes(tables)


@pytest.mark.parametrize(
    "change",
    [
        {"ir": "nonsense"}, {"symbol": "other"}, {"ir": "; nothing"}, {"language": "C"},
        {"arguments": ()}, {"instructions": ()},
    ],
)  # fmt: skip
def test_ir_of_something_else_is_an_error(change: dict[str, Any]):
    with first_launch(SAMPLE) as launch:
        tables = replace(launch.tables, **change)
        gpu = load_gpu("v100", [])
        with pytest.raises(ValueError, match=r"IR|Language"):
            program_of_trace(tables, launch.launch, gpu)


def test_a_result_has_one_register_wherever_its_operation_stands():
    with first_launch(SAMPLE) as launch:
        found = program_of_trace(launch.tables, launch.launch, load_gpu("v100", []))
        assert found is not None
        tables, _ = issued(found)
        assert len(tables.numbers) == len(tables.operations) == len(tables.instructions)
        for number, own in zip(tables.numbers, tables.operations, strict=True):
            assert found.program.operations[number] is own
