"""What `kcc compare` says of a change, as rows and as Markdown."""

from __future__ import annotations

from dataclasses import replace

from kcc.report.comparison import of_estimates
from kcc.report.comparison_markdown import MOST_ROWS, comparison_markdown
from kcc.report.estimate.comparison import changes
from kcc.report.estimate.record import EstimateDocument, EstimateRecord, LineShare
from kcc.stages.estimate import Configuration


def record(kernel: str, time_us: float, dram: float, hot: float) -> EstimateRecord:
    place = Configuration(kernel, "k.cl", {}, (64,), (64,))
    return EstimateRecord(
        place, "v100", time_us, (time_us / 2, 2 * time_us), None, "",
        cpi=1.0, cpi_stack={"dram": dram, "issue": 1 - dram},
        lines=(LineShare(7, hot), LineShare(9, 1 - hot)),
    )  # fmt: skip


def document(*records: EstimateRecord) -> EstimateDocument:
    return EstimateDocument("pipeline", records)


def test_the_cause_and_the_line_that_moved_most():
    before, after = document(record("f", 10, 0.5, 0.2)), document(record("f", 16, 0.75, 0.5))
    (row,) = of_estimates(changes(before, after, {}), 0.05, ()).rows
    assert row.cause is not None
    assert (row.cause.name, row.cause.before_us, row.cause.after_us) == ("dram", 5, 12)
    assert row.line is not None
    assert (row.line.name, row.line.change_us) == ("k.cl:7", 6)
    assert row.failed
    assert row.within_range  # of 5 to 20 us


def test_markdown_marks_what_fails_and_what_is_within_the_range():
    before = document(record("slow|er", 10, 0.5, 0.2), record("same", 1, 0.5, 0.2),
                      record("gone", 3, 0.5, 0.2))  # fmt: skip
    after = document(record("slow|er", 30, 0.5, 0.2), record("same", 1, 0.5, 0.2),
                     record("new", 3, 0.5, 0.2), record("other", 3, 0.5, 0.2))  # fmt: skip
    text = comparison_markdown(of_estimates(changes(before, after, {}), 0.05, ["made <otherwise>"]))
    lines = text.splitlines()
    assert lines[0].startswith("### Kernel times: 2 beyond the limit of 5 %")
    assert "| slow\\|er on v100, 64/64 | 10 us | 30 us | **+200.0 %** ❌ | dram +10 us | " in text
    assert "±" not in text
    assert "1 configuration unchanged." in lines
    assert "made \\<otherwise\\>" in text
    assert not any(line.startswith("| same") for line in lines)
    passed = comparison_markdown(of_estimates(changes(before, before, {}), 0.05, ()))
    assert passed.startswith("### Kernel times: gate passed (3 same)")
    near = document(record("f", 11, 0.5, 0.2))
    old = document(record("f", 10, 0.5, 0.2))
    assert "+10.0 % ±" in comparison_markdown(of_estimates(changes(old, near, {}), None, ()))


def test_a_comment_has_no_more_rows_than_a_host_takes():
    many = [record(f"k{n}", 10, 0.5, 0.2) for n in range(MOST_ROWS + 5)]
    slower = [replace(each, time_us=20.0) for each in many]
    found = of_estimates(changes(document(*many), document(*slower), {}), None, ())
    text = comparison_markdown(found)
    assert text.count("\n| k") == MOST_ROWS
    assert "5 further changes are not shown." in text
