"""Fixes of findings: proposed where an analysis of the changed program proves a gain."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kcc.base.arguments import Argument, Scalar
from kcc.base.diagnostics import Span
from kcc.base.expressions import Number
from kcc.base.launch import LaunchRequest
from kcc.base.launch_language import parse_dimensions
from kcc.cli import main
from kcc.frontend.options import BuildOptions, MacroOption, SourceText
from kcc.stages.analyze import AnalysisRequest, LaunchInputs, analyze

ROOT = Path(__file__).parents[4]
AT = Span("test", 1, 1)


def fixes(
    source: str, global_size: str, local_size: str, macros: tuple[str, ...] = (), **scalars: int
) -> dict[str, list[str]]:
    """The fixes proposed for each kernel."""
    request = LaunchRequest(parse_dimensions(global_size, AT), parse_dimensions(local_size, AT))
    given = tuple(Argument(name, Scalar(Number(n)), AT) for name, n in scalars.items())
    options = BuildOptions(macros=tuple(MacroOption(*m.split("=")) for m in macros))
    text = SourceText("k.cl", source, ".")
    wanted = AnalysisRequest(text, options, other_launch=LaunchInputs(request, {}, given))
    return {
        kernel.name: [each.fix for each in kernel.findings if each.cost is not None]
        for kernel in analyze(wanted).kernels
    }


def source_of(name: str) -> str:
    return (ROOT / f"kernels/{name}/{name}.cl").read_text(encoding="utf-8")


def test_padding_removes_the_conflicts_of_a_tile():
    found = fixes(
        source_of("transpose"), "128,32", "32,8", ("TILE=32", "ROWS=8"), width=128, height=128
    )
    assert found["transpose_tiled"] == ["pad rows of 32 elements to 33: no bank conflicts"]
    assert found["transpose_padded"] == []
    (naive,) = found["transpose_naive"]
    assert naive.startswith("transpose odata")
    assert naive.endswith("4 sectors per request instead of 32")


def test_transposition_of_points_and_features():
    source = """kernel void k(global const float *points, global float *sums, int n) {
    int i = get_global_id(0);
    float sum = 0;
    for (int f = 0; f < 16; ++f) sum += points[16 * i + f];
    sums[i] = sum;
}
"""
    (fix,) = fixes(source, "1024", "128", n=1024)["k"]
    assert fix.startswith("transpose points (rows of 64 bytes)")
    assert fix.endswith("4 sectors per request instead of 32")


def test_members_of_a_structure_become_one_access():
    source = """typedef struct { int first; int count; } Node;
kernel void k(global const Node *nodes, global int *out) {
    int i = get_global_id(0);
    out[i] = nodes[i].first + nodes[i].count;
}
"""
    (fix,) = fixes(source, "1024", "128")["k"]
    assert fix == "2 scalar accesses of nodes as one of 8 bytes: 4 sectors per request instead of 8"


def test_dimensions_change_places_where_all_accesses_together_gain():
    source = """kernel void k(global const float *a, global float *b) {
    int row = get_global_id(0), column = get_global_id(1);
    b[256 * row + column] = 2 * a[256 * row + column];
}
"""
    found = fixes(source, "256,256", "16,16")["k"]
    words = "exchange the work-item ids of dimensions 0 and 1"
    assert found
    assert all(fix.startswith(words) or "transpose" in fix for fix in found)
    assert all(fix.endswith("4 sectors per request instead of 16") for fix in found)


@pytest.mark.parametrize("index", ["i * i", "(i * 7919) % 1024"])
def test_nothing_is_proposed_where_nothing_helps(index: str):
    source = f"kernel void k(global float *a) {{ int i = get_global_id(0); a[{index}] = 1; }}"
    assert fixes(source, "1024", "128")["k"] == [""]


HOTSPOT = {
    "iteration": 2, "grid_cols": 256, "grid_rows": 256, "border_cols": 2, "border_rows": 2
}  # fmt: skip


def test_rows_that_start_with_a_sector():
    """Blocks of 16 columns overlap by 4. Of the loads, what is left is at the rim of the grid; of
    the store, whose lanes at the rim of each block are inactive, nothing would be saved."""
    found = fixes(source_of("hotspot"), "352,352", "16,16", ("BLOCK_SIZE=16",), **HOTSPOT)
    aligned = "starting each work-group's rows at a multiple of 8 floats removes 98% of them"
    assert found["hotspot"] == [aligned, aligned, ""]


def test_rows_that_start_with_a_sector_everywhere():
    source = """kernel void k(global const float *in, global float *out) {
    int x = 24 * get_group_id(0) + get_local_id(0) + 4;
    int y = get_global_id(1);
    out[y * 512 + get_global_id(0)] = in[y * 512 + x];
}
"""
    (fix,) = fixes(source, "256,64", "16,16")["k"]
    assert fix == "starting each work-group's rows at a multiple of 8 floats removes them"


def test_accesses_that_share_sectors_say_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """Three floats of one struct: each load touches the 12 sectors of 32 structs of 12 bytes."""
    file = tmp_path / "k.cl"
    file.write_text(
        "typedef struct { float x, y, z; } P;\n"
        "__kernel void k(__global const P *p, __global float *o) { int i = get_global_id(0);"
        " o[i] = p[i].x + p[i].y * p[i].z; }\n"
        "__kernel void far(__global const float *p, __global float *o) { int i = get_global_id(0);"
        " o[i] = p[64 * i] + p[64 * i + 8]; }\n",
        encoding="utf-8",
    )
    assert main(["analyze", str(file), "--global", "4096", "--local", "64", "--json", "-"]) == 0
    kernels = json.loads(capsys.readouterr().out)["kernels"]
    near, far = (k["findings"][0]["message"] for k in kernels)
    assert "together they touch 12 sectors, which they share in L1" in near
    assert "together" not in far
