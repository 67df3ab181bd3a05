"""Findings with a price, from sources."""

from __future__ import annotations

from kcc.base.diagnostics import Span
from kcc.base.gpu import load_gpu
from kcc.base.launch import LaunchRequest
from kcc.base.launch_language import parse_dimensions
from kcc.frontend.options import BuildOptions, SourceText
from kcc.report.analysis.costs import sectors
from kcc.report.analysis.model import CostUnit, Finding
from kcc.stages.analyze import AnalysisRequest, LaunchInputs, analyze


def findings(source: str, global_size: str, local_size: str, gpu: str = "v100") -> list[Finding]:
    at = Span("test", 1, 1)
    request = LaunchRequest(parse_dimensions(global_size, at), parse_dimensions(local_size, at))
    wanted = AnalysisRequest(
        SourceText("k.cl", source, "."),
        BuildOptions(),
        other_launch=LaunchInputs(request),
        gpu=load_gpu(gpu),
    )
    (kernel,) = analyze(wanted).kernels
    return [each for each in kernel.findings if each.cost is not None]


def test_column_of_a_matrix():
    source = "kernel void k(global float *a) {\n    a[32 * get_global_id(0)] = 0;\n}\n"
    (found,) = findings(source, "1024", "256")
    assert found.cost is not None
    assert (found.cost.unit, found.cost.spent, found.cost.excess) == (CostUnit.SECTORS, 32, 28)
    assert found.cost.total == 28 * 32  # 32 warps
    assert found.lines == (2,)
    assert "lanes are 128 bytes apart" in found.message


def test_most_expensive_first_and_equal_ones_together():
    source = """kernel void k(global float *a, global float *b) {
    local float t[32][32];
    int x = get_local_id(0);
    for (int i = 0; i < 8; ++i) {
        t[x][i] = a[x];
        t[x][i] += 1;
    }
    a[x] = t[0][x];
    b[2 * x] = 0;
}
"""
    first, second = findings(source, "32", "32")
    assert first.cost is not None
    assert first.cost.unit is CostUnit.BANK_PASSES
    assert first.lines[0] == 5
    assert first.cost.excess == 31
    assert second.cost is not None
    assert second.cost.total == 4, "8 sectors, ideal 4"


def test_what_costs_nothing_is_not_reported():
    source = """kernel void k(global float4 *a, global float *b, int n) {
    a[get_global_id(0)] = (float4)(b[n]);
    b[get_global_id(0) + 1] = 1;
}
"""
    assert findings(source, "1024", "256") == []


POINTS = """
struct P { float x, y, z, w; } __attribute__((aligned(ALIGNED)));
kernel void k(global struct P *a) {
    global struct P *p = a + get_global_id(0);
    float x = p->x, y = p->y, z = p->z, w = p->w;
    p->x = w;
    p->y = x;
    p->z = y;
    p->w = z;
}
"""


def test_what_compilers_join_as_wide_as_lanes_lie_apart_is_not_reported() -> None:
    assert not findings(POINTS.replace("ALIGNED", "16"), "1024", "256")
    for aligned in ("8", "4"):
        assert findings(POINTS.replace("ALIGNED", aligned), "1024", "256")


def test_banks_are_those_of_the_gpu():
    source = """kernel void k(global float *a) {
    local float t[1024];
    int x = get_local_id(0);
    t[16 * x] = 0;
    a[x] = t[x];
}
"""
    (modern,), (old,) = (findings(source, "32", "32", gpu) for gpu in ("v100", "conf1"))
    assert modern.cost is not None
    assert old.cost is not None
    assert (modern.cost.spent, modern.cost.excess) == (16, 15)
    assert (old.cost.spent, old.cost.excess) == (32, 30), "16 banks serve half a warp at a time"


def test_one_sector_is_singular() -> None:
    assert [sectors(n) for n in (1, 1.0, 1.25, 4, 0)] == [
        "1 sector", "1 sector", "1.25 sectors", "4 sectors", "0 sectors",
    ]  # fmt: skip
