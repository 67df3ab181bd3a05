"""Charts by Vega-Lite: what they show is what records say; without the extra there are none."""

from __future__ import annotations

import sys

import pytest

from kcc.base.profile.model import AccessCount, LaunchProfile
from kcc.report.estimate.record import Counted, EstimateRecord
from kcc.report.plots.render import chart, has_plots, png_of
from kcc.report.plots.reuse import reuse_curve, reuse_spec
from kcc.report.plots.roofline import roofline_of, roofline_spec
from kcc.stages.estimate import Configuration

RECORD = EstimateRecord(
    Configuration("f", "f.cl", {}, (64,), (64,)), "v100", 10.0, (8.0, 12.0), 10_000.0, "",
    bounds_cycles={"fma": 2000.0, "dram_bandwidth": 8000.0, "l2_bandwidth": 1000.0},
    counts=Counted(1000.0, {"fma": 500.0}, 0, 0, 3000.0, 1000.0, 1500.0, 500.0), kernel_us=8.0,
)  # fmt: skip


def test_rates_and_intensities_follow_from_counts_and_bounds():
    found = roofline_of(RECORD)
    assert found is not None
    assert found.peak == pytest.approx(500 * 32 / 2000)  # 1 cycle is 1 ns
    assert found.bandwidths["DRAM"] == pytest.approx(2000 * 32 / 8000)
    assert found.bandwidths["L2"] == pytest.approx(4000 * 32 / 1000)
    assert found.intensities["DRAM"] == pytest.approx(500 / 2000)
    assert found.reached == pytest.approx(500 * 32 / 8000)
    for level, rate in found.bandwidths.items():
        assert found.reached <= min(found.peak, rate * found.intensities[level])


def test_no_roofline_without_operations():
    bare = EstimateRecord(RECORD.configuration, "v100", 10.0, None, 10_000.0, "")
    assert roofline_of(bare) is None
    assert roofline_spec(None) is None
    assert chart(None, "") == ""


def profile(reuse: dict[int, int], first: int) -> LaunchProfile:
    access = AccessCount(0, 1, 1, 32, {}, {}, {}, {}, reuse, first)
    found = LaunchProfile.__new__(LaunchProfile)
    object.__setattr__(found, "accesses", (access, access))
    return found


def test_the_curve_counts_what_a_cache_of_a_size_hits():
    curve = reuse_curve(profile({0: 3, 7: 2}, 5))
    assert curve == [(128, 0.3), (1024, 0.5)]
    assert reuse_curve(profile({}, 0)) == []
    assert reuse_spec([]) is None


def test_pictures_have_no_scripts_and_a_name():
    pytest.importorskip("vl_convert", reason="kcc[plots] is not installed")
    for spec in (roofline_spec(roofline_of(RECORD)), reuse_spec([(128, 0.3), (1024, 0.5)])):
        shown = chart(spec, "what it shows")
        assert "<svg" in shown
        assert 'aria-label="what it shows"' in shown
        assert "<script" not in shown
        assert "href" not in shown.replace("xlink:href", "").replace("xmlns:xlink", "")
        svg = shown[shown.index("<svg") : shown.index("</svg>") + 6]
        assert png_of(svg).startswith(b"\x89PNG")


def test_without_the_extra_pages_have_no_charts(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    assert not has_plots()
    assert chart(roofline_spec(roofline_of(RECORD)), "") == ""
