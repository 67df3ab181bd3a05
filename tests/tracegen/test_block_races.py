"""A trace whose bytes depend on how workers share thread blocks says so, and where."""

from __future__ import annotations

from pathlib import Path

import pytest

from kcc.base.trace.decode import TraceBatch
from kcc.cli import main
from kcc.tracegen import block_races
from kcc.tracegen.block_races import BlockRaces
from kcc.tracegen.races import Rows

SCRIPT = """from pathlib import Path
import numpy as np
import kcc.opencl as cl
q = cl.CommandQueue(cl.create_some_context())
p = cl.Program(q.context, Path("k.cl").read_text()).build()
x = cl.Buffer(q.context, cl.mem_flags.READ_WRITE, 8192)
cl.enqueue_copy(q, x, np.zeros(2048, np.float32))
k = cl.Kernel(p, "k")
for _ in range(2):
    k(q, (1024,), (64,), x)
"""


def traced(body: str, folder: Path, monkeypatch: pytest.MonkeyPatch, *options: str) -> int:
    monkeypatch.chdir(folder)
    Path("run.py").write_text(SCRIPT)
    text = "__kernel void k(__global float *x)\n{\n    const int i = get_global_id(0);\n"
    Path("k.cl").write_text(f"{text}    {body}\n}}\n")
    return main(["trace", "run.py", "-o", "x.kct", *(options or ("--workers", "2"))])


@pytest.mark.parametrize(
    "body",
    [
        "x[i % 64] = i;",  # all thread blocks write the same
        "x[i + 1] = 2.0f * x[i];",  # the neighbour's
        "if (i == 1023) x[0] = 1.0f; else if (i) x[i] = x[0];",  # one writes what all read
        "atomic_add((__global int *)x, 1); x[i + 1] = x[0];",  # beside atomics
    ],
)
def test_races_are_told_once(
    body: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    assert traced(body, tmp_path, monkeypatch) == 0
    said = capsys.readouterr().err
    assert said.count("warning[K722]: data race") == 1
    assert "k.cl:4:" in said
    assert main(["run", "run.py", "--races"]) == 1
    assert "k.cl:4:" in capsys.readouterr().err


@pytest.mark.parametrize(
    "body",
    [
        "x[i] = x[i] * 2.0f + 1.0f;",
        "if (i % 3) x[0] = 1.0f;",  # whoever is first, the same is there
        "atomic_add((__global int *)x, i);",
        "if (i % 64) x[i] = x[i - 1];",  # within a thread block: in the same order in each run
    ],
)
def test_no_race_between_thread_blocks(
    body: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    assert traced(body, tmp_path, monkeypatch) == 0
    assert "K722" not in capsys.readouterr().err


def test_one_worker_has_one_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    assert traced("x[i % 64] = i;", tmp_path, monkeypatch, "--workers", "1") == 0
    assert "K722" not in capsys.readouterr().err


def test_what_is_kept_is_not_sorted_at_every_batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """It was: a launch of 65,536 work-items took 36 CPU seconds."""
    looks, joins = list[int](), list[int]()
    look, join = vars(BlockRaces)["_look"], block_races.two_blocks_each

    def counted(self: BlockRaces, batch: TraceBatch) -> None:
        looks.append(len(batch))
        look(self, batch)

    def sorted_rows(rows: Rows) -> Rows:
        joins.append(len(rows))
        return join(rows)

    monkeypatch.setattr(BlockRaces, "_look", counted)
    monkeypatch.setattr(block_races, "two_blocks_each", sorted_rows)
    monkeypatch.setattr(f"{__name__}.SCRIPT", SCRIPT.replace("8192", "262144")
                        .replace("2048", "65536").replace("1024", "65536"))  # fmt: skip
    assert traced("x[i] = x[i] * 2.0f + 1.0f;", tmp_path, monkeypatch) == 0
    assert len(looks) > 16
    assert len(joins) < len(looks) / 4
    assert sum(joins) < 8 * max(joins)
