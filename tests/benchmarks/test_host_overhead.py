"""What a host adds to a launch, from the smallest rows of other programs."""

from __future__ import annotations

from benchmarks.host_overhead import overhead, with_host
from benchmarks.suite_outcome import Outcome


def row(program: str, measured: float, kernel: float, *, smallest: bool = False) -> Outcome:
    """A row of which 10 is the launch."""
    ours = kernel + 10.0
    return Outcome(
        (), "", "gpu", program, "", measured, ours, 0.8 * ours, 1.2 * ours, 10.0, "", "", {},
        smallest,
    )  # fmt: skip


ROWS = (
    row("a", 91.0, 1.0, smallest=True),
    row("b", 103.0, 1.0, smallest=True),
    row("b", 300.0, 1.0, smallest=True),
    row("a", 150.0, 50.0),
    row("b", 150.0, 50.0),
)


def test_it_is_the_least_that_other_programs_leave() -> None:
    assert [overhead(each, ROWS) for each in ROWS[3:]] == [102.0, 90.0]


def test_the_smallest_rows_are_no_test_any_more() -> None:
    found = with_host(ROWS)
    assert [each.ours for each in found] == [152.0, 140.0]
    assert [each.launch for each in found] == [102.0, 90.0]
    assert found[1].low == 0.8 * 60.0 + 80.0


def test_a_launch_takes_no_less_than_was_known() -> None:
    rows = (row("a", 5.0, 1.0, smallest=True), row("b", 60.0, 50.0))
    assert with_host(rows)[0].ours == 60.0


def test_nothing_is_known_of_another_gpu_or_of_the_same_program() -> None:
    rows = (row("b", 91.0, 1.0, smallest=True), row("b", 60.0, 50.0))
    assert with_host(rows)[0].ours == 60.0
