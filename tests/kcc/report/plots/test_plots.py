"""Charts by Vega-Lite: what they show is what records say; without the extra there are none."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

import pytest

from kcc.base.diagnostics import DiagnosticError
from kcc.base.profile.model import AccessCount, LaunchProfile
from kcc.commands.charts import chart_outputs
from kcc.report.estimate.charts import estimate_charts, overview_charts
from kcc.report.estimate.record import Counted, EstimateRecord, LineShare
from kcc.report.plots.heat import heat_chart
from kcc.report.plots.parallel import parallel_chart
from kcc.report.plots.pareto import pareto_chart
from kcc.report.plots.render import Chart, has_plots, png_of, shown
from kcc.report.plots.reuse import reuse_chart, reuse_curve
from kcc.report.plots.roofline import roofline_chart, roofline_of
from kcc.report.plots.sensitivity import sensitivity_chart
from kcc.report.plots.space import DesignSpace, SpacePoint
from kcc.report.plots.stacks import stacks_chart
from kcc.report.shared.cause_colors import cause_color
from kcc.stages.estimate import Configuration

PEAKS = {"fma": 128.0, "tensor": 1024.0, "l1_bytes": 256.0, "l2_bytes": 64.0, "dram_bytes": 16.0}

RECORD = EstimateRecord(
    Configuration("f", "f.cl", {}, (64,), (64,)), "v100", 10.0, (8.0, 12.0), 10_000.0, "",
    cpi=4.0, cpi_stack={"issue": 1.0, "dram": 2.0, "launch": 1.0},
    bounds_cycles={"fma": 2000.0, "dram_bandwidth": 8000.0, "l2_bandwidth": 1000.0},
    counts=Counted(
        1000.0, {"fma": 500.0}, 0, 0, 3000.0, 1000.0, 1500.0, 500.0, 8000.0, 4000.0
    ),
    lines=(LineShare(3, 0.75), LineShare(2, 0.25)), kernel_us=8.0, peaks=PEAKS,
)  # fmt: skip
OTHER = replace(RECORD, gpu="a100", time_us=5.0, lines=(LineShare(3, 1.0),))
SOURCES = {"f.cl": ["", "int i = 0;", "a[i] = b[i];"]}


SPACE = DesignSpace(
    {"warps": ("8", "16", "32"), "scheduler": ("gto", "lrr")},
    tuple(
        SpacePoint((a, b), 10.0 / (a + 1) + b, float(a + b), is_best=b == 0)
        for a in range(3)
        for b in range(2)
    ),
)


def charts() -> list[Chart | None]:
    return [
        roofline_chart(RECORD),
        reuse_chart([(128, 0.3), (1024, 0.5)]),
        *overview_charts([RECORD, OTHER], SOURCES),
        pareto_chart([("a", 1.0, 9.0), ("b", 2.0, 4.0), ("c", 3.0, 5.0)], ["a", "b"]),
        parallel_chart(SPACE),
        sensitivity_chart(SPACE),
    ]


def test_rates_and_intensities_follow_from_counts_and_peaks():
    found = roofline_of(RECORD)
    assert found is not None
    operations = 500 * 32 + 4000
    assert found.peaks == {"FMA pipeline": 128.0, "tensor cores": 1024.0}  # 1 cycle is 1 ns
    assert found.bandwidths == {"L1": 256.0, "L2": 64.0, "DRAM": 16.0}
    assert found.intensities["L1"] == pytest.approx(operations / (32 * 8000))
    assert found.intensities["L2"] == pytest.approx(operations / (32 * 4000))
    assert found.intensities["DRAM"] == pytest.approx(operations / (32 * 2000))
    assert found.reached == pytest.approx(operations / 8000)
    for level, rate in found.bandwidths.items():
        assert found.reached <= min(found.peaks["tensor cores"], rate * found.intensities[level])


def test_a_kernel_without_floating_point_has_the_roof_of_its_pipeline():
    assert RECORD.counts is not None
    integers = replace(RECORD.counts, by_unit={"alu": 500.0}, tensor_multiply_adds=0.0)
    found = roofline_of(replace(RECORD, counts=integers, peaks=PEAKS | {"alu": 64.0}))
    assert found is not None
    assert found.peaks == {"ALU pipeline": 64.0}
    assert found.reached == pytest.approx(500 * 32 / 8000)
    doubles = replace(RECORD.counts, by_unit={"fp64": 500.0, "alu": 9.0}, tensor_multiply_adds=0.0)
    found = roofline_of(replace(RECORD, counts=doubles, peaks=PEAKS | {"fp64": 4.0}))
    assert found is not None
    assert found.peaks["FP64 pipeline"] == 4.0
    assert found.reached == pytest.approx(500 * 32 / 8000)


def test_no_roofline_without_operations():
    bare = EstimateRecord(RECORD.configuration, "v100", 10.0, None, 10_000.0, "")
    assert roofline_of(bare) is None
    assert roofline_chart(bare) is None
    assert shown(None) == ""


def profile(reuse: dict[int, int], first: int) -> LaunchProfile:
    access = AccessCount(0, 1, 1, 32, {}, {}, {}, {}, reuse, first)
    found = LaunchProfile.__new__(LaunchProfile)
    object.__setattr__(found, "accesses", (access, access))
    return found


def test_the_curve_counts_what_a_cache_of_a_size_hits():
    curve = reuse_curve(profile({0: 3, 7: 2}, 5))
    assert curve == [(128, 0.3), (1024, 0.5)]
    assert reuse_curve(profile({}, 0)) == []
    assert reuse_chart([]) is None


def test_stacks_add_up_to_the_time_of_each_configuration():
    found = stacks_chart([("x", {"issue": 3.0, "dram": 1.0}), ("y", {"issue": 1.0})])
    assert found is not None
    assert found.spec is not None
    rows = found.spec["data"]["values"]
    sums = {n: sum(r["us"] for r in rows if r["bar"] == n) for n in "01"}
    assert sums == {"0": 4.0, "1": 1.0}
    scale = found.spec["hconcat"][0]["encoding"]["color"]["scale"]
    assert scale["range"] == [cause_color("issue"), cause_color("dram")]
    assert stacks_chart([("x", {"issue": 3.0})]) is None


def test_times_of_stacks_are_written_out():
    found = stacks_chart([("x", {"issue": 25.0}), ("y", {"issue": 10.0})])
    assert found is not None
    assert ">20<" in found.svg()
    assert "e+" not in found.svg()


def test_heat_has_the_lines_in_the_order_of_the_source():
    heat = {3: {"a": 0.5, "b": 0.2}, 2: {"a": 0.3}, 9: {"a": 0.0001}}
    found = heat_chart(heat, ("a", "b", "c"), SOURCES["f.cl"])
    assert found is not None
    assert found.spec is not None
    cells = [(r["line"].strip(), r["column"], r["share"]) for r in found.spec["data"]["values"]]
    assert [(line.split("\N{NO-BREAK SPACE}")[-1], c, s) for line, c, s in cells] == [
        ("int i = 0;", "a", 0.3), ("a[i] = b[i];", "a", 0.5), ("a[i] = b[i];", "b", 0.2),
    ]  # fmt: skip
    assert heat_chart({}, ("a",), ()) is None


def test_charts_of_estimates_name_their_files_once():
    names = [each.name for each in estimate_charts([RECORD, OTHER], SOURCES)]
    assert names == ["stacks", "lines", "roofline-1", "roofline-0"]


def test_pictures_have_no_scripts_and_a_name():
    pytest.importorskip("vl_convert", reason="kcc[plots] is not installed")
    for chart in charts():
        assert chart is not None
        on_page = shown(chart)
        assert "<svg" in on_page
        assert f'aria-label="{chart.words}"' in on_page
        assert "<script" not in on_page
        assert "href" not in on_page.replace("xlink:href", "").replace("xmlns:xlink", "")
        assert "var(--ink)" in on_page  # the page's own colours, light or dark
        assert "var(--" not in chart.svg()  # a file of its own has none
        assert png_of(chart.svg()).startswith(b"\x89PNG")


def test_specifications_are_those_of_altair():
    altair = pytest.importorskip("altair", reason="altair is not installed")
    for chart in charts():
        assert chart is not None
        altair.Chart.from_dict(chart.spec, validate=True)


def test_without_the_extra_pages_have_no_charts(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    assert not has_plots()
    assert shown(roofline_chart(RECORD)) == ""
    drawn = Chart("own", "what kcc draws itself", drawn="<svg></svg>")
    assert "<svg>" in shown(drawn)
    with pytest.raises(DiagnosticError, match="vl-convert"):
        chart_outputs("charts", [drawn])


def test_lines_cross_each_axis_at_their_value():
    drawn = parallel_chart(SPACE)
    assert drawn is not None
    assert drawn.spec is not None
    others, best = (layer["data"]["values"] for layer in drawn.spec["layer"][1:3])
    assert {row["axis"] for row in best} == {"warps", "scheduler", "cost", "time, us"}
    assert {row["height"] for row in best if row["axis"] == "warps"} == {0.0, 0.5, 1.0}
    assert {row["height"] for row in best if row["axis"] == "scheduler"} == {0.0}
    times = sorted(row["height"] for row in (*best, *others) if row["axis"] == "time, us")
    assert times[0] == 0.0
    assert times[-1] == 1.0


def test_of_many_points_the_best_and_an_even_choice_are_drawn():
    many = DesignSpace(
        {"a": tuple(map(str, range(100))), "b": tuple(map(str, range(100)))},
        tuple(SpacePoint((n // 100, n % 100), 1.0 + n) for n in range(10_000)),
    )
    drawn = parallel_chart(many)
    assert drawn is not None
    assert drawn.spec is not None
    others, best = (layer["data"]["values"] for layer in drawn.spec["layer"][1:3])
    assert len({row["point"] for row in (*others, *best)}) <= 241
    assert len({row["point"] for row in best}) == 12


def test_names_on_a_front_have_room():
    """Two points one above the other at a distance of less than a line: one name."""
    points = [("first", 1.0, 9.0), ("second", 2.0, 4.0), ("third", 2.1, 3.95), ("fourth", 9.0, 1.0)]
    chart = pareto_chart(points, [name for name, _, _ in points])
    assert chart is not None
    assert chart.spec is not None
    layers: list[Any] = chart.spec["layer"]
    named: list[str] = [
        row["name"]
        for layer in layers if layer["mark"]["type"] == "text"
        for row in layer["data"]["values"]
    ]  # fmt: skip
    assert named == ["first", "second", "fourth"]
