"""kcc.api gives what the commands print: the same documents, graphs and errors."""

from __future__ import annotations

import dataclasses
import doctest
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import networkx
import pytest

import kcc.api
import kcc.api.runs
import kcc.api.sources
from kcc import cli
from kcc.api import DiagnosticError, Result

ROOT = Path(__file__).parents[3]
VECADD = "kernels/vecadd/vecadd.cl"
SCRIPT = "kernels/vecadd/workload.py"
SPENT = "cpu_seconds"


@pytest.fixture(autouse=True)
def at_root(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(ROOT)


def timeless(value: Any) -> Any:
    """A document without the CPU time that it took."""
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value)
        return {k: timeless(v) for k, v in members.items() if k != SPENT}
    return [timeless(v) for v in cast("list[Any]", value)] if isinstance(value, list) else value


def of_command(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    capsys.readouterr()
    assert cli.main([*words, "--json", "-"]) == 0
    return json.loads(capsys.readouterr().out)


TRACED = ("trace", VECADD, "--kernel", "vecadd", "--size", "tiny")

CALLS: dict[str, tuple[Callable[[], Result], tuple[str, ...]]] = {
    "analyze": (
        lambda: kcc.api.analyze(VECADD, args={"n": 512}, grid=4, block=(128,), gpu="a100"),
        ("analyze", VECADD, "--arg", "n=512", "--grid", "4", "--block", "128", "--gpu", "a100"),
    ),
    "estimate": (
        lambda: kcc.api.estimate(VECADD, gpu=("v100", "a100"), size="large", ablate=True),
        ("estimate", VECADD, "--gpu", "v100", "--gpu", "a100", "--size", "large", "--ablate"),
    ),
    "run": (
        lambda: kcc.api.run(SCRIPT, size="tiny", options=("--workers", "1")),
        ("run", SCRIPT, "--size", "tiny", "--workers", "1"),
    ),
    "profile": (
        lambda: kcc.api.profile(SCRIPT, size="tiny", seed=1),
        ("profile", SCRIPT, "--size", "tiny", "--seed", "1"),
    ),
    "simulate": (
        lambda: kcc.api.simulate(SCRIPT, gpu="v100", size="tiny", sweep={"sm_count": "2,4"}),
        ("simulate", SCRIPT, "--gpu", "v100", "--size", "tiny", "--sweep", "sm_count=2,4"),
    ),
    "explore": (
        lambda: kcc.api.explore(
            VECADD, gpu="v100", kernel="vecadd", sweep={"warps": "8,16"}, options=("--size", "tiny")
        ),
        ("explore", VECADD, "--gpu", "v100", "--kernel", "vecadd", "--sweep", "warps=8,16",
         "--size", "tiny"),
    ),
    "memory": (
        lambda: kcc.api.memory(SCRIPT, gpu="v100", trials=2, options=("--size", "tiny")),
        ("memory", SCRIPT, "--gpu", "v100", "--trials", "2", "--size", "tiny"),
    ),
}  # fmt: skip


SLOW = ("simulate", "explore", "memory")
NAMES = [pytest.param(n, marks=pytest.mark.slow) if n in SLOW else n for n in CALLS]


@pytest.mark.parametrize("name", NAMES)
def test_the_document_of_the_command(name: str, capsys: pytest.CaptureFixture[str]):
    call, words = CALLS[name]
    found = call()
    assert timeless(found.to_dict()) == timeless(of_command(capsys, *words))
    assert found.rows()
    shown = found._repr_html_()  # pyright: ignore[reportPrivateUsage] -- notebooks call it
    assert shown.startswith("<iframe srcdoc=" if found.page() else "<table>")
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.messages = "x"  # pyright: ignore[reportAttributeAccessIssue]


def test_a_trace_and_what_takes_traces(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    target = tmp_path / "x.kct"
    found = kcc.api.trace(VECADD, target, kernel="vecadd", options=("--size", "tiny"))
    assert found.to_dict() == of_command(capsys, "trace", "--show", str(target))
    assert [row["kernel"] for row in found.rows()] == ["vecadd"]
    profile = kcc.api.profile(target)
    assert profile.to_dict() == of_command(capsys, "profile", str(target))
    assert capsys.readouterr().err == ""


@pytest.mark.slow
def test_a_miniature(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    found = kcc.api.synth(SCRIPT, tmp_path / "a", size="tiny", reduction=1)
    assert (tmp_path / "a" / "kernel.cl").exists()
    words = ("synth", SCRIPT, "-o", str(tmp_path / "b"), "--size", "tiny", "--reduction", "1")
    assert found.to_dict() == of_command(capsys, *words)
    assert found.rows()


@pytest.mark.slow
def test_phases(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    units = tmp_path / "units.json"
    trace = tmp_path / "x.kct"
    kcc.api.trace(SCRIPT, trace, options=("--size", "tiny"))
    assert cli.main(["phases", "record", str(trace), "--gpu", "v100", "-o", str(units)]) == 0
    found = kcc.api.phases(units, options=("--draws", "0"))
    assert found.to_dict() == of_command(capsys, "phases", str(units), "--draws", "0")


def test_a_comparison(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    paths = [tmp_path / "a.json", tmp_path / "b.json"]
    for path, changes in zip(paths, ((), ("--set", "sm_count=20")), strict=True):
        found = kcc.api.estimate(VECADD, gpu="v100", size="large", options=changes)
        path.write_text(found.to_json(), encoding="utf-8")
    compared = kcc.api.compare(*paths, fail_above="5%")
    assert compared.failed
    assert cli.main(["compare", *map(str, paths), "--fail-above", "5%", "--json", "-"]) == 1
    assert compared.to_dict() == json.loads(capsys.readouterr().out)
    assert "| configuration |" in compared.to_markdown()


def test_the_graphs_are_those_of_dot(capsys: pytest.CaptureFixture[str]):
    source = "kernels/bfs/bfs.cl"
    found = kcc.api.analyze(source, kernel="BFS_1")
    graph = found.control_flow("BFS_1")
    assert cli.main(["analyze", source, "--kernel", "BFS_1", "--dot", "cfg"]) == 0
    drawn = re.findall(r"(\w+) -> (\w+)", capsys.readouterr().out)
    assert len(drawn) == graph.number_of_edges() > 5
    known = found.divergence_flow("BFS_1")
    assert known.number_of_edges() == graph.number_of_edges()
    assert known.nodes[0]["executions"] == known.nodes[0]["threads"] > 0
    for each in (graph, known):
        back = networkx.parse_graphml(kcc.api.graphml(each), node_type=int)
        assert set(back.nodes) == set(each.nodes)
        assert set(back.edges) == set(each.edges)
        assert back.nodes[0]["line"] == each.nodes[0]["line"]
    flow = kcc.api.profile(SCRIPT, size="tiny").divergence_flow("vecadd")
    assert all(data["threads"] > 0 for _, data in flow.nodes(data=True))
    assert all(data["tcount"] > 0 for *_, data in flow.edges(data=True))


def test_errors_have_code_and_place(tmp_path: Path):
    bad = tmp_path / "bad.cl"
    bad.write_text("__kernel void f(__global int *a)\n{\n    a[0] = b;\n}\n", encoding="utf-8")
    with pytest.raises(DiagnosticError) as caught:
        kcc.api.analyze(bad)
    error = caught.value
    assert (error.code, error.file, error.line, error.column) == ("K301", str(bad), 3, 12)
    with pytest.raises(DiagnosticError, match="there is no GPU") as caught:
        kcc.api.estimate(VECADD, gpu="nothing")
    assert (caught.value.code, caught.value.line) == ("K800", 0)
    with pytest.raises(DiagnosticError, match="--gpu is missing"):
        kcc.api.estimate(VECADD, gpu=())
    script = tmp_path / "ends.py"
    script.write_text("import sys\nsys.exit(3)\n", encoding="utf-8")
    with pytest.raises(DiagnosticError, match="exit code 3"):
        kcc.api.run(script)
    with pytest.raises(ValueError, match="command line"):
        kcc.api.analyze(VECADD, options=("--help",))


def test_pandas_is_imported_when_it_is_wanted(monkeypatch: pytest.MonkeyPatch):
    import sys

    asked = list[list[Any]]()

    class Frames:
        @staticmethod
        def DataFrame(rows: list[Any]) -> str:  # noqa: N802 -- pandas' name
            asked.append(rows)
            return "frame"

    found = kcc.api.analyze("kernels/bfs/bfs.cl")
    monkeypatch.setitem(sys.modules, "pandas", Frames)
    assert found.to_pandas() == "frame"
    assert asked == [list(found.rows())]
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError):
        found.to_pandas()


@pytest.mark.parametrize("module", [kcc.api.sources, kcc.api.runs])
def test_the_examples(module: Any):
    found = doctest.testmod(module)
    assert found.attempted > 3
    assert not found.failed


def test_the_examples_of_the_page():
    found = doctest.testfile(str(ROOT / "docs" / "reference" / "python.md"), module_relative=False)
    assert found.attempted > 5
    assert not found.failed


def test_a_result_is_short_at_a_prompt() -> None:
    found = kcc.api.estimate(VECADD, args={"n": 512}, grid=4, block=(128,), gpu="a100")
    first, *rows = repr(found).splitlines()
    assert first == f"<EstimateResult of {len(found.rows())}:"
    assert len(rows) == len(found.rows())
    assert all("kernel=" in row and "gpu=nvidia-a100-pcie-40gb" in row for row in rows)
