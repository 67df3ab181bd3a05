"""Rows of a tuning table whose machine code is the same."""

from pathlib import Path

import pytest

from benchmarks.same_code import best_error, errors_by_others, groups, unbound

TABLE = """block_x,block_y,grid_x,tile,blocks_per_sm,time_ms,status
64,1,9,1,1,1.0,ok
64,1,9,1,4,2.0,ok
64,1,9,1,0,9.0,ok
128,1,9,1,1,3.0,ok
128,1,9,1,4,4.0,ok
64,1,9,2,1,5.0,ok
64,1,9,2,2,,failed
"""


def test_rows_are_of_the_same_code_where_their_bound_binds_nothing(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text(TABLE, encoding="utf-8")
    found = groups(table, unbound("blocks_per_sm"), ["blocks_per_sm"], 0)
    assert found == [[1.0, 2.0]]  # no bound, and 128 registers a thread, may be other code


def test_what_times_of_the_same_code_leave_to_a_model() -> None:
    assert errors_by_others([1.0, 4.0]) == [pytest.approx(3), pytest.approx(0.75)]
    assert best_error([1.0, 4.0]) == pytest.approx(0.375)
