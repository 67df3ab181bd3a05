"""Rows of a trace as those of warps: what each warp goes through stays the same."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kcc.sim.cycle.record_layout import ROW
from kcc.sim.cycle.rows_native import sort_rows

TOUCHED = [1, 0, -1, 2, -1]
"""Accesses of each segment, -1 where the next one's code does not follow."""
WARPS, BEFORE = 3, 2

STEPS = st.lists(
    st.tuples(st.booleans(), st.integers(0, WARPS - 1), st.integers(0, 4)), max_size=60
)
"""Whether another block begins, the warp, and the segment."""


@given(steps=STEPS, gap=st.integers(0, 1))
def test_each_warp_goes_through_its_segments(steps: list[tuple[bool, int, int]], gap: int) -> None:
    rows, block, access = list[tuple[int, int, int, int]](), 0, 0
    for begins, warp, segment in steps:
        block += begins and bool(rows)
        rows.append((block, warp, segment, access))
        access += max(TOUCHED[segment], 0) + gap
    columns: Any = np.array(rows, np.int64).reshape(-1, 4).T
    starts = np.zeros((block + 1, WARPS, 2), np.int64)
    sorted_rows = np.zeros(BEFORE + len(rows), ROW)
    end = sort_rows(
        columns[0], columns[1], starts, columns[2], columns[3], np.array(TOUCHED), sorted_rows,
        BEFORE,
    )  # fmt: skip
    assert BEFORE <= end <= len(sorted_rows)
    for number in range(block + 1):
        for warp in range(WARPS):
            found = list[tuple[int, int]]()
            for row in sorted_rows[slice(*starts[number, warp])]:
                at = int(row["access"])
                for segment in range(int(row["segment"]), int(row["last"]) + 1):
                    found.append((segment, at))
                    at += TOUCHED[segment]
            assert found == [(s, a) for b, w, s, a in rows if (b, w) == (number, warp)]
