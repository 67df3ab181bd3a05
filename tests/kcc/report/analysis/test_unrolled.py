"""What becomes of a source's loops at -O2."""

from __future__ import annotations

from kcc.base.diagnostics import Span
from kcc.base.launch import LaunchRequest
from kcc.base.launch_language import parse_dimensions
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.passes.unknown import Unknown
from kcc.report.analysis.model import Analysis, Loop
from kcc.report.analysis.terminal import render_report
from kcc.report.shared.style import Style
from kcc.stages.analyze import AnalysisRequest, LaunchInputs, analyze


def report(source: str, level: OptLevel = OptLevel.O2) -> Analysis:
    at = Span("test", 1, 1)
    request = LaunchRequest(parse_dimensions("64", at), parse_dimensions("64", at))
    text = SourceText("k.cl", source, ".")
    options = BuildOptions(opt_level=level)
    return analyze(AnalysisRequest(text, options, other_launch=LaunchInputs(request)))


def loops(source: str, level: OptLevel = OptLevel.O2) -> dict[int, Loop]:
    """Loops by line."""
    (kernel,) = report(source, level).kernels
    assert [loop.id for loop in kernel.loops] == list(range(len(kernel.loops)))
    return {loop.line: loop for loop in kernel.loops}


SHORT = """kernel void k(global float *a) {
    int i = get_global_id(0);
    for (int step = 0; step < 3; ++step) {
        a[i + 64 * step] += 1;
    }
}
"""


def test_a_short_loop_is_unrolled_wholly():
    loop = loops(SHORT)[3]
    assert loop.unrolled is True
    assert loop.header is None
    assert loop.blocks == ()
    assert loop.trip.least == 3
    assert loops(SHORT, OptLevel.O1)[3].unrolled is False


def test_a_report_shows_it():
    text = render_report(report(SHORT), Style(100))
    assert "loop 0: fully unrolled; the trip count is that of the source" in text


def test_a_pragma_keeps_a_loop():
    source = SHORT.replace("    for", "    #pragma unroll 1\n    for")
    assert loops(source)[4].unrolled is False


def test_a_loop_inside_another():
    source = """kernel void k(global float *a, int n) {
    int i = get_global_id(0);
    #pragma unroll 1
    for (int row = 0; row < 100; ++row) {
        for (int step = 0; step < 2; ++step) {
            a[i + 64 * step] += row;
        }
    }
}
"""
    found = loops(source)
    assert found[4].unrolled is False
    assert found[5].unrolled is True
    assert found[5].parent == found[4].id


def test_an_unknown_count_leaves_it_open():
    source = SHORT.replace("step < 3", "step < a[i]")
    assert isinstance(loops(source)[3].unrolled, Unknown)
