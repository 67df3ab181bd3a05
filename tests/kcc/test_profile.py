"""`kcc profile` as a user calls it."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from kcc.base.diagnostics import DiagnosticError
from kcc.base.profile.document import from_json
from kcc.base.profile.merge import merge
from kcc.cli import main

BFS = str(Path(__file__).parents[2] / "kernels" / "bfs" / "workload.py")


def profiled(capsys: pytest.CaptureFixture[str], *options: str) -> str:
    """What the command prints."""
    assert main(["profile", BFS, "--size", "tiny", *options]) == 0
    return capsys.readouterr().out


def test_json_follows_its_schema_and_reads_back(capsys: pytest.CaptureFixture[str]):
    text = profiled(capsys, "--json", "-")
    schema: Any = json.loads(
        resources.files("kcc").joinpath("schemas/profile-1.json").read_text(encoding="utf-8")
    )
    jsonschema.validate(json.loads(text), schema)
    profile = from_json(text, "bfs.json")
    assert [k.name for k in profile.kernels] == ["BFS_1", "BFS_2"]
    numbers = [launch.number for launch in profile.launches]
    assert numbers == list(range(len(numbers)))
    # Every node is expanded once in all: the loop is entered by each node that has edges.
    first = merge([x for x in profile.launches if x.kernel == 0])
    (loop,) = first.loops
    assert loop.entries == next(n.ecount for n in first.nodes if n.block == 2)
    assert [b.name for b in first.buffers][:2] == ["g_graph_nodes", "g_graph_edges"]


def test_report_sums_launches_or_shows_each(capsys: pytest.CaptureFixture[str]):
    together = profiled(capsys, "--kernel", "BFS_2")
    apart = profiled(capsys, "--kernel", "BFS_2", "--launches")
    assert "BFS_1" not in together
    assert together.count("Control flow") == 1
    assert apart.count("Control flow") > 3
    assert "launch 1, 512 in blocks of 256" in apart


def test_drawing_has_the_fields_of_the_graph(capsys: pytest.CaptureFixture[str]):
    text = profiled(capsys, "--dot", "dfsg", "--kernel", "BFS_1")
    assert text.startswith("digraph dfsg {")
    assert text.endswith("}\n")
    for field in ("ECount ", "LCount ", "SCount ", "OE ", "IE ", "T "):
        assert field in text


def test_unknown_kernel_is_refused(capsys: pytest.CaptureFixture[str]):
    assert main(["profile", BFS, "--size", "tiny", "--kernel", "BFS_3"]) == 2
    assert "no kernel 'BFS_3' was launched" in capsys.readouterr().err


@pytest.mark.parametrize(
    "text",
    ["", "{}", "[]", '{"schema": "kcc/profile/2"}', '{"schema": "kcc/profile/1", "run": 3}'],
)
def test_what_is_no_profile_is_refused(text: str):
    with pytest.raises(DiagnosticError, match="K780"):
        from_json(text, "x.json")
