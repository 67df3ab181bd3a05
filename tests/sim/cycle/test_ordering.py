"""Instructions in the order of a compiler: what moves, what may not, and where addresses go."""

from __future__ import annotations

from pathlib import Path

import pytest

from kcc.base.gpu import load_gpu
from kcc.base.trace.reader import open_trace
from kcc.base.trace.tables import TracedInstruction
from kcc.cli import main
from kcc.sim.cycle.compiled import CompiledLaunch
from kcc.sim.cycle.ordering import Ordered, ordered
from kcc.sim.cycle.sources import simulate_trace

KERNEL = """
__kernel void k(__global float *x, __global const float *y, int n) {
    int i = get_global_id(0);
    BODY
}
"""
ROOT = Path(__file__).parents[3]
Row = tuple[tuple[str, str, int], list[int]]


def accesses(body: str, folder: Path) -> list[tuple[str, str]]:
    """Operations on memory in the order in which they are issued, with their arrays."""
    source, path = folder / "k.cl", folder / "k.kct"
    source.write_text(KERNEL.replace("BODY", body), encoding="utf-8")
    arguments = ["--global", "512", "--local", "64", "--arg", "n=3", "-o", str(path)]
    assert main(["trace", str(source), *arguments]) == 0
    with open_trace(path) as trace:
        tables = ordered(trace.tables[0]).tables
    return [(a.operation, a.array) for a in tables.accesses]


def test_loads_go_ahead_of_what_needs_others(tmp_path: Path) -> None:
    body = "float a = y[i]; a = a * a + 1; a = a * y[i + n]; x[i] = a;"
    assert accesses(body, tmp_path) == [("load", "y"), ("load", "y"), ("store", "x")]


def test_loads_stay_after_stores(tmp_path: Path) -> None:
    body = "x[i] = sqrt(y[i]) + 1; x[i + n] = y[i + n];"
    assert accesses(body, tmp_path) == [("load", "y"), ("store", "x")] * 2


def values(instructions: tuple[TracedInstruction, ...]) -> list[object]:
    """What each instruction is, with its operands spelled out two levels deep: the same whatever
    the order."""

    def spelled(number: int, depth: int) -> object:
        if number < 0:
            return number
        each = instructions[number]
        operands = tuple(spelled(o, depth - 1) for o in each.operands) if depth else ()
        return each.opcode, each.detail, each.type, each.block, each.segment, each.line, operands

    return sorted((repr(spelled(n, 2)) for n in range(len(instructions))), key=str)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", ["bfs", "matmul", "lud", "hotspot", "btree", "particlefilter"])
def test_everything_is_there_and_after_what_it_needs(name: str, tmp_path: Path) -> None:
    path = tmp_path / "k.kct"
    script = str(ROOT / "kernels" / name / "workload.py")
    assert main(["trace", script, "--size", "tiny", "-o", str(path)]) == 0
    with open_trace(path) as trace:
        for before in trace.tables:
            found: Ordered = ordered(before)
            after = found.tables
            assert values(after.instructions) == values(before.instructions)
            for segment in after.segments:
                for number in range(segment.first, segment.end):
                    each = after.instructions[number]
                    if each.opcode != "phi":
                        inside = [o for o in each.operands if segment.first <= o < segment.end]
                        assert all(o < number for o in inside)
                own = after.instructions[segment.first : segment.end]
                assert [i.access for i in own if i.access >= 0] == list(
                    range(segment.first_access, segment.end_access)
                )
            assert [after.instructions[a.instruction].access for a in after.accesses] == list(
                range(len(after.accesses))
            )
        compared = 0
        for launch in trace.launches[:4]:
            moved = ordered(launch.tables)
            names = [(a.operation, a.array, a.element_bytes) for a in launch.tables.accesses]
            renamed = [(a.operation, a.array, a.element_bytes) for a in moved.tables.accesses]
            for old in launch.batches():
                new = moved.batch(old)
                for segment in range(min(len(old), 50)):
                    was, now = list[Row](), list[Row]()
                    start, end = old.access_start[segment], old.access_start[segment + 1]
                    for row in range(int(start), int(end)):
                        was.append(
                            (names[int(old.access[row])], [int(a) for a in old.addresses[row]])
                        )
                        now.append(
                            (renamed[int(new.access[row])], [int(a) for a in new.addresses[row]])
                        )
                    assert sorted(was) == sorted(now)
                    compared += len(was)
        assert compared


def test_a_counter_needs_no_move(tmp_path: Path) -> None:
    """What reads a loop's variable goes ahead of what makes its next value."""
    source, path = tmp_path / "k.cl", tmp_path / "k.kct"
    body = "float s = 0; for (int j = 0; j < n; j++) s += y[j * 64 + i]; x[i] = s;"
    source.write_text(KERNEL.replace("BODY", body), encoding="utf-8")
    arguments = ["--global", "512", "--local", "64", "--arg", "n=50", "-o", str(path)]
    assert main(["trace", str(source), *arguments]) == 0
    with open_trace(path) as trace:
        tables = CompiledLaunch(trace.launches[0]).tables
    found = 0
    for phi, each in enumerate(tables.instructions):
        for made in each.operands if each.opcode == "phi" else ():
            if made >= 0 and tables.instructions[made].opcode == "add":
                segment = tables.instructions[made].segment
                readers = [
                    n for n, i in enumerate(tables.instructions)
                    if phi in i.operands and i.segment == segment and n != made
                ]  # fmt: skip
                assert all(n < made for n in readers)
                found += len(readers)
    assert found


@pytest.mark.parametrize(("kind", "latency"), [("float", 4), ("float4", 3 * 2 + 4)])
def test_a_vector_is_there_with_its_last_lane(kind: str, latency: int, tmp_path: Path) -> None:
    """A chain of products on a V100: four cycles each, and one lane of a vector every two."""
    cycles = list[float]()
    for length in (64, 128):
        source, path = tmp_path / f"{length}.cl", tmp_path / f"{length}.kct"
        source.write_text(
            f"__kernel void k(__global {kind} *x, float a) {{ {kind} s = x[get_global_id(0)];"
            + length * "s = s * a + 1;" + " x[get_global_id(0)] = s; }", encoding="utf-8",
        )  # fmt: skip
        arguments = ["--global", "32", "--local", "32", "--arg", "a=3", "-o", str(path)]
        assert main(["trace", str(source), *arguments]) == 0
        gpu = load_gpu("v100", ["code_line_cycles=0"])
        cycles += [t.cycles for t in simulate_trace(str(path), gpu)]
    assert cycles[1] - cycles[0] == 64 * latency
