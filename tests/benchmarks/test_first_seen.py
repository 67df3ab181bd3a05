"""Estimates made before anyone had looked at a table."""

from pathlib import Path

import pytest

from benchmarks.first_seen import (
    FOLDER,
    by_commit,
    by_table,
    every_first_estimate,
    first_estimates,
    within_twice,
)
from benchmarks.measured_tables import TABLES

FILE = """# of one table
table,row,measured_us,estimated_us,low_us,high_us,limiter,reason
stencils,0,100,50,40,120,dram_bandwidth,
stencils,1,100,201,150,300,l2_bandwidth,
stencils,2,100,,,,,unknown function
stencils,3,,70,60,90,sfu,
"""


def test_a_file_of_first_estimates_has_rows_that_were_refused_and_that_did_not_run(
    tmp_path: Path,
) -> None:
    path = tmp_path / "first_seen_0.csv"
    path.write_text(FILE, encoding="utf-8")
    rows = first_estimates(path)["stencils"]
    assert [row.compared for row in rows] == [True, True, False, False]
    assert [row.inside for row in rows[:2]] == [True, False]
    assert within_twice(rows) == pytest.approx(50)  # a half is within, 2.01 times is not


def test_each_table_that_was_blind_has_its_estimates_and_each_file_its_tables() -> None:
    blind = {table.name: table.first_seen for table in TABLES if table.first_seen}
    found = every_first_estimate()
    assert list(found) == list(blind)
    files = {path.stem.removeprefix("first_seen_") for path in FOLDER.glob("first_seen_*.csv")}
    assert files == set(blind.values())
    assert all(any(row.compared for row in rows) for rows in found.values())


def test_commits_stand_in_order_and_sum_up_their_tables() -> None:
    rows = [line.split(" | ") for line in by_commit()[2:]]
    assert [row[0].strip("| ") for row in rows][:2] == ["dd43b7f", "e9183d94"]
    assert sum(int(row[1]) for row in rows) == len(by_table({})) - 2
    first = every_first_estimate()
    assert sum(int(row[2]) for row in rows) == sum(map(len, first.values()))
