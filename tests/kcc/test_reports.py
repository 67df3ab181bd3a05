"""Reports on kernels of kernels/: golden files, and facts counted by hand in their sources."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import kcc
from kcc import cli
from tests.golden import Golden
from tests.kcc.report.dot_grammar import check_dot

ROOT = Path(__file__).parents[2]

Analyze = Callable[..., str]


@pytest.fixture
def analyze(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Analyze:
    """What `kcc analyze` prints about a source of kernels/."""
    monkeypatch.chdir(ROOT)

    def run(name: str, *options: str) -> str:
        assert cli.main(["analyze", f"kernels/{name}/{name}.cl", *options]) == 0
        captured = capsys.readouterr()
        assert captured.err == ""
        return captured.out

    return run


def kernels(text: str) -> dict[str, Any]:
    """The kernels of a JSON document by name."""
    return {kernel["name"]: kernel for kernel in json.loads(text)["kernels"]}


def accesses(kernel: dict[str, Any]) -> Counter[tuple[str, str, str]]:
    """How many accesses there are of each kind to each array."""
    return Counter((a["op"], a["address_space"], a["array"]) for a in kernel["accesses"])


def loops(kernel: dict[str, Any]) -> list[tuple[int, int, int | None]]:
    """Line, depth and parent of each loop."""
    return [(loop["line"], loop["depth"], loop["parent"]) for loop in kernel["loops"]]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ["bfs", "hotspot", "matmul", "nw", "spmv"])
def test_report(analyze: Analyze, golden: Golden, name: str):
    golden(f"analyze/{name}.txt", analyze(name))


def test_control_flow_graph(analyze: Analyze, golden: Golden):
    text = analyze("bfs", "--dot", "cfg")
    check_dot(text)
    golden("analyze/bfs.dot", text)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("level", ["0", "1", "2"])
@pytest.mark.parametrize("name", ["bfs", "hotspot", "matmul", "reduction"])
def test_documents_follow_the_schema(analyze: Analyze, name: str, level: str):
    schema = resources.files(kcc).joinpath("schemas/analysis-1.json").read_text(encoding="utf-8")
    jsonschema.validate(json.loads(analyze(name, "--json", "-", f"-O{level}")), json.loads(schema))


def test_bfs(analyze: Analyze):
    found = kernels(analyze("bfs", "--json", "-"))
    first, second = found["BFS_1"], found["BFS_2"]
    assert loops(first) == [(22, 1, None)]
    assert [branch["line"] for branch in first["branches"]] == [18, 18, 22, 24]
    assert accesses(first) == Counter(
        {
            ("load", "global", "g_graph_mask"): 1,
            ("store", "global", "g_graph_mask"): 1,
            ("load", "global", "g_graph_nodes"): 2,
            ("load", "global", "g_graph_edges"): 1,
            ("load", "global", "g_graph_visited"): 1,
            ("load", "global", "g_cost"): 1,
            ("store", "global", "g_cost"): 1,
            ("store", "global", "g_updating_graph_mask"): 1,
        }
    )
    assert {a["array"]: a["element_bytes"] for a in first["accesses"]} == {
        "g_graph_mask": 1,
        "g_graph_nodes": 4,
        "g_graph_edges": 4,
        "g_graph_visited": 1,
        "g_cost": 4,
        "g_updating_graph_mask": 1,
    }
    assert first["branches"][0]["condition"] == "get_global_id(0) < no_of_nodes"
    assert loops(second) == []
    assert [branch["line"] for branch in second["branches"]] == [37, 37]
    assert Counter(a["op"] for a in second["accesses"]) == {"load": 1, "store": 4}
    assert first["barriers"] == second["barriers"] == 0
    assert first["local_bytes"] == second["local_bytes"] == 0


def test_hotspot(analyze: Analyze):
    kernel = kernels(analyze("hotspot", "--json", "-"))["hotspot"]
    assert loops(kernel) == [(61, 1, None)]
    assert [site["line"] for site in kernel["barrier_sites"]] == [45, 73, 80]
    assert [site["loop"] for site in kernel["barrier_sites"]] == [None, 0, 0]
    assert kernel["local_bytes"] == 3 * 16 * 16 * 4
    assert accesses(kernel) == Counter(
        {
            ("load", "global", "temp_src"): 1,
            ("load", "global", "power"): 1,
            ("store", "global", "temp_dst"): 1,
            ("load", "local", "old_temp"): 5,
            ("store", "local", "old_temp"): 2,
            ("load", "local", "heat"): 1,
            ("store", "local", "heat"): 1,
            ("load", "local", "new_temp"): 2,
            ("store", "local", "new_temp"): 1,
        }
    )
    lines = Counter(branch["line"] for branch in kernel["branches"])
    # Four comparisons in each IN_RANGE pair, short-circuited; break and the two ifs on `computed`.
    assert (lines[41], lines[61], lines[63], lines[64]) == (4, 1, 4, 4)
    assert (lines[74], lines[77], lines[84]) == (1, 1, 1)
    assert kernel["instruction_mix"]["fp_div"] == 4
    assert kernel["launch"]["global_size"] == ["352", "352"]  # 16 * ceil(256 / 12)


def test_matmul(analyze: Analyze):
    found = kernels(analyze("matmul", "--json", "-"))
    naive, tiled, blocked = (found[f"matmul_{name}"] for name in ("naive", "tiled", "float4"))
    assert loops(naive) == [(20, 1, None)]
    assert accesses(naive) == Counter(
        {("load", "global", "A"): 1, ("load", "global", "B"): 1, ("store", "global", "C"): 1}
    )
    assert loops(tiled) == [(39, 1, None), (45, 2, 0)]
    assert tiled["local_bytes"] == 2 * 16 * 16 * 4
    assert tiled["required_local_size"] == [16, 16, 1]
    assert [site["line"] for site in tiled["barrier_sites"]] == [43, 48]
    assert loops(blocked) == [(82, 1, None), (86, 1, None), (102, 2, 1), (115, 1, None)]
    assert blocked["local_bytes"] == 2 * 16 * 64 * 4
    wide = [a for a in blocked["accesses"] if a["address_space"] == "global"]
    assert [(a["line"], a["op"], a["element_bytes"]) for a in wide] == [
        (90, "load", 16),
        (93, "load", 16),
        (118, "store", 16),
    ]


@pytest.mark.parametrize("name", ["nw_kernel1", "nw_kernel2"])
def test_nw(analyze: Analyze, name: str):
    kernel = kernels(analyze("nw", "--json", "-"))[name]
    assert loops(kernel) == [(30, 1, None), (41, 1, None), (51, 1, None), (61, 1, None)]
    assert [site["line"] for site in kernel["barrier_sites"]] == [38, 48, 58]
    assert kernel["local_bytes"] == 0
    assert kernel["dynamic_local_args"] == ["input_itemsets_l", "reference_l"]
    assert accesses(kernel) == Counter(
        {
            ("load", "global", "reference_d"): 1,
            ("load", "global", "input_itemsets_d"): 3,
            ("store", "global", "input_itemsets_d"): 1,
            ("store", "local", "reference_l"): 1,
            ("load", "local", "reference_l"): 2,
            ("store", "local", "input_itemsets_l"): 5,
            ("load", "local", "input_itemsets_l"): 7,
        }
    )
    lines = {line["line"]: line for line in kernel["lines"]}
    assert lines[62]["loop_depth"] == 1
    assert lines[36]["loop_depth"] == 0


def test_registers_of_an_amd_gpu(capsys: pytest.CaptureFixture[str]):
    source = str(ROOT / "kernels" / "transpose" / "transpose.cl")
    options = ["--kernel", "transpose_tiled", "--json", "-", "--registers", "amdgpu"]
    assert cli.main(["analyze", source, *options, "--gpu", "mi100"]) == 0
    (kernel,) = json.loads(capsys.readouterr().out)["kernels"]
    assert kernel["registers_source"] == "amdgpu"
    assert 4 <= kernel["registers"] <= 32
    assert kernel["occupancy"]["gpu"] == "amd-mi100"
    assert cli.main(["analyze", source, *options, "--gpu", "v100"]) == 2
    assert "no GPU of AMD is named" in capsys.readouterr().err


def test_machine_code_of_an_amd_gpu(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    source = str(ROOT / "kernels" / "transpose" / "transpose.cl")
    options = ["--kernel", "transpose_tiled", "--gpu", "mi210", "--machine-code"]
    document, page = tmp_path / "a.json", tmp_path / "a.html"
    files_ = ["--json", str(document), "--html", str(page)]
    assert cli.main(["analyze", source, *options, *files_]) == 0
    content = json.loads(document.read_text(encoding="utf-8"))
    schema = resources.files(kcc).joinpath("schemas/analysis-1.json").read_text(encoding="utf-8")
    jsonschema.validate(content, json.loads(schema))
    (kernel,) = content["kernels"]
    rows = kernel["machine_code"]["instructions"]
    told = capsys.readouterr().out
    assert "Machine code" in told
    for row in rows:
        assert row["instruction"] in told
    loads = [row for row in rows if row["instruction"].startswith("global_load")]
    assert loads
    assert {row["line"] for row in loads} <= {line["line"] for line in kernel["lines"]}
    assert "global_load" in page.read_text(encoding="utf-8")
