"""Short loops of a known number of rounds are taken apart."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kcc.base.diagnostics import DiagnosticError
from kcc.base.gpu import load_gpu
from kcc.base.trace.decode import TraceBatch, joined
from kcc.base.trace.reader import open_trace
from kcc.base.trace.tables import TraceTables
from kcc.cli import main
from kcc.sim.cycle.compiled import CompiledLaunch
from kcc.sim.cycle.sources import simulate_trace
from kcc.sim.cycle.unrolling import Unrolled, unrolled

SOURCE = """
__kernel void k(__global float *x, __global const float *y, int n) {
    int i = get_global_id(0), l = get_local_id(0);
    float s = i, t = 1;
    BODY
    x[i] = s + t;
}
"""

LONG = "int k = (j + l) * n; " + "".join(f"s = s * y[k + {512 * n}] + {n};" for n in range(24))
"""So much that LLVM leaves eight rounds of it as a loop."""


CHAIN = "float a = y[(j + l) * n]; " + "".join(f"s = s * a + {n};" for n in range(44))
"""A load, and more that hangs on it than it takes."""


def traced(folder: Path, body: str) -> Path:
    source, path = folder / "k.cl", folder / "k.kct"
    source.write_text(SOURCE.replace("BODY", body), encoding="utf-8")
    arguments = ["--global", "512", "--local", "128", "--arg", "n=8", "-o", str(path)]
    assert main(["trace", str(source), *arguments]) == 0
    return path


def own(path: Path) -> tuple[TraceTables, list[TraceBatch], Unrolled | None]:
    with open_trace(path) as trace:
        launch = trace.launches[0]
        batches = list(launch.batches())
        return launch.tables, batches, unrolled(launch.tables, batches[0])


def check_tables(tables: TraceTables) -> None:
    """All numbers lead somewhere; counts are those of the instructions that are left."""
    code = tables.instructions
    segments = tuple(
        replace(s, counted=sum(i.opcode != "phi" for i in code[s.first : s.end]))
        for s in tables.segments
    )
    blocks = tuple(
        replace(b, counted=sum(i.opcode != "phi" for i in code[b.first : b.end]))
        for b in tables.blocks
    )
    TraceTables.from_json(replace(tables, segments=segments, blocks=blocks).to_json())


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("body", "trips"),
    [
        (f"for (int j = 0; j < 8; j++) {{ {LONG} }}", 8),
        (f"for (int j = 7; j >= 0; j--) {{ {LONG} }}", 8),
        (f"for (int j = 1; j < 1024; j *= 2) {{ {LONG} }}", 10),
        (f"for (int m = 0; m < n; m++) for (int j = 0; j < 8; j++) {{ {LONG} }}", 8),
        (f"if (l % 3) for (int j = 0; j < 8; j++) {{ {LONG} }}", 8),
        (f"for (int j = 0; j < n; j++) {{ {LONG} }}", 0),  # an argument
        (f"for (int j = l; j < 128; j++) {{ {LONG} }}", 0),
        (f"for (int j = 0; j < 8; j++) {{ {LONG} if (s > 3) break; }}", 0),
        (f"for (int j = 0; j < 999; j++) {{ {LONG} }}", 0),  # too long
    ],
)
def test_which_loops(body: str, trips: int, tmp_path: Path) -> None:
    """Counters, comparisons and branches go; accesses stand once for each round."""
    path = traced(tmp_path, body)
    tables, batches, found = own(path)
    if not trips:
        assert found is None
        return
    assert found is not None
    assert sorted({*found.trips.tolist()}) == [1, trips]
    (loop,) = np.flatnonzero(found.trips > 1)
    old, new = tables.segments[loop], found.tables.segments[loop]
    assert new.end_access - new.first_access == trips * (old.end_access - old.first_access) > 0
    opcodes = [found.tables.instructions[n].opcode for n in range(new.first, new.end)]
    assert "icmp" not in opcodes
    assert opcodes.count("br") == 1
    assert new.counted == trips * old.counted  # what the trace counts
    check_tables(found.tables)
    rows = found.batch(batches[0])
    assert [a.instruction for a in found.tables.accesses] == sorted(
        a.instruction for a in found.tables.accesses
    )
    assert np.array_equal(rows.addresses, batches[0].addresses)
    inside = np.repeat(rows.segment, np.diff(rows.access_start)) == loop
    assert set(rows.access[inside].tolist()) == set(range(new.first_access, new.end_access))


def test_what_a_round_reads(tmp_path: Path) -> None:
    """A variable that is one round behind another is read of the round before that."""
    body = "float a = 1, b = 2; for (int j = 0; j < 8; j++) { float c = b; b = a; a = c * 3 + s; "
    path = traced(tmp_path, body + f"{LONG} }} t = a + b;")
    _, _, found = own(path)
    assert found is not None
    assert all(
        operand < number or each.opcode == "phi"
        for number, each in enumerate(found.tables.instructions)
        for operand in each.operands
    )
    (loop,) = np.flatnonzero(found.trips > 1)
    span = found.tables.segments[loop]
    phis = [n for n in range(span.first, span.end)
            if found.tables.instructions[n].opcode == "phi"]  # fmt: skip
    read = [o for n in range(span.first, span.end) for o in found.tables.instructions[n].operands]
    assert len(phis) == 3
    assert all(read.count(phi) >= 1 for phi in phis)
    assert all(len(found.tables.instructions[phi].incoming) == 1 for phi in phis)


def test_batches_may_end_within_a_loop(tmp_path: Path) -> None:
    path = traced(tmp_path, f"for (int j = 0; j < 8; j++) {{ {LONG} }}")
    _, (batch,), found = own(path)
    assert found is not None
    whole = found.batch(batch)
    for step in (1, 3, 7, 50):
        found.begin()
        parts = [found.batch(batch.part(start, min(start + step, len(batch))))
                 for start in range(0, len(batch), step)]  # fmt: skip
        again = joined(parts)
        assert all(
            np.array_equal(getattr(again, name), getattr(whole, name))
            for name in TraceBatch.__dataclass_fields__
        )


def test_rounds_that_are_missing(tmp_path: Path) -> None:
    path = traced(tmp_path, f"for (int j = 0; j < 8; j++) {{ {LONG} }}")
    _, (batch,), found = own(path)
    assert found is not None
    (loop,) = np.flatnonzero(found.trips > 1)
    row = int(np.flatnonzero(batch.segment == loop)[3])
    with pytest.raises(DiagnosticError, match="trip count that it cannot have"):
        found.batch(joined([batch.part(0, row), batch.part(row + 1, len(batch))]))


def test_loads_wait_together(tmp_path: Path) -> None:
    """The same work as a loop that stays one, which waits in each round; but for the code, of which
    there is more."""
    cycles = list[float]()
    for wish in ("", "#pragma unroll 1\n"):
        folder = tmp_path / str(len(wish))
        folder.mkdir()
        path = traced(folder, f"{wish}for (int j = 0; j < 8; j++) {{ {CHAIN} }}")
        (timing,) = simulate_trace(str(path), load_gpu("v100", ["code_line_cycles=0"]))
        cycles.append(timing.cycles)
        with open_trace(path) as trace:
            lanes = sum(
                int(np.bitwise_count(batch.mask) @ counted[batch.segment])
                for batch in trace.launches[0].batches()
                for counted in [np.array([s.counted for s in trace.tables[0].segments])]
            )
            assert timing.thread_instructions == lanes
            assert CompiledLaunch(trace.launches[0]).tables.kernel == "k"
        assert timing.statistics["loads"] == 16 * 8
    assert cycles[0] < 0.7 * cycles[1]
