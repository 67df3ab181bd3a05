from __future__ import annotations

from dataclasses import replace

import pytest

from kcc.passes.mix.instruction_classes import InstructionClass
from kcc.report.analysis.annotated import annotate
from kcc.report.analysis.line_costs import mean_text
from kcc.report.analysis.model import LineFacts
from tests.kcc.report.sample import FILE, LINES, kernel


def test_a_function_far_from_the_kernel_is_an_excerpt_of_its_own():
    helper, own = annotate(kernel(), {FILE: LINES})
    assert [line.number for line in helper.lines] == [2, 3, 4, 5]
    assert [line.number for line in own.lines] == list(range(14, 25))


def test_lines_without_instructions_are_as_deep_as_both_neighbours():
    _, own = annotate(kernel(), {FILE: LINES})
    depths = {line.number: line.depth for line in own.lines}
    assert depths[18] == depths[19] == 1
    assert depths[15] == depths[22] == 0


def test_accesses_and_barriers_are_marked():
    _, own = annotate(kernel(), {FILE: LINES})
    marks = {line.number: line.memory for line in own.lines if line.memory}
    assert marks == {20: "rG wL", 21: "bar", 23: "rL wG <id"}


def test_lines_say_how_often_they_run():
    _, own = annotate(kernel(), {FILE: LINES})
    runs = {line.number: line.runs for line in own.lines if line.runs}
    assert runs[16] == "1"
    assert runs[17] == "x<=40"
    assert runs[23] == "?"


def test_the_worst_access_of_a_line_is_priced():
    _, own = annotate(kernel(), {FILE: LINES})
    assert {line.number: line.cost for line in own.lines if line.cost} == {
        20: "16-way!",
        23: "16-way!",
    }


def test_findings_stand_at_their_line():
    _, own = annotate(kernel(), {FILE: LINES})
    assert [line.number for line in own.lines if line.findings] == [21]


def test_tabs_are_expanded_and_control_characters_shown():
    lines = [*LINES]
    lines[15] = "\tint\x1b[31m x;"
    _, own = annotate(kernel(), {FILE: lines})
    assert own.lines[2].text == "    int?[31m x;"
    assert own.lines[3].text.startswith("    for")


def test_a_file_that_is_not_known_is_left_out():
    elsewhere = LineFacts("header.h", 3, {InstructionClass.INT: 1}, (), (), 0, 0)
    report = replace(kernel(), lines=(*kernel().lines, elsewhere))
    assert {excerpt.file for excerpt in annotate(report, {FILE: LINES})} == {FILE}


def test_an_included_file_comes_after_the_kernels_own():
    elsewhere = LineFacts("a.h", 1, {InstructionClass.INT: 1}, (), (), 0, 0)
    report = replace(kernel(), lines=(elsewhere, *kernel().lines))
    excerpts = annotate(report, {FILE: LINES, "a.h": ["int x;"]})
    assert [excerpt.file for excerpt in excerpts] == [FILE, FILE, "a.h"]


def test_a_line_past_the_end_of_the_file_is_left_out():
    beyond = LineFacts(FILE, 999, {InstructionClass.INT: 1}, (), (), 0, 0)
    report = replace(kernel(), lines=(*kernel().lines, beyond))
    assert len(annotate(report, {FILE: LINES})) == 2


@pytest.mark.parametrize(
    ("mean", "text"),
    [(0, "0"), (1, "1"), (0.5, "0.5"), (0.004, "<0.01"), (12.345, "12.35"), (12345.6, "12,346")],
)
def test_means(mean: float, text: str):
    assert mean_text(mean) == text
