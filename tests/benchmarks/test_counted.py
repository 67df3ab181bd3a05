"""Counters of estimates beside those of the GPU."""

from __future__ import annotations

from benchmarks.counted import lines


def _row(
    registers: tuple[float, float], instructions: tuple[float, float]
) -> dict[str, dict[str, tuple[float, float]]]:
    return {"counters": {"registers": registers, "warp_instructions": instructions}}


def test_registers_and_instructions():
    rows = [_row((32, 32), (100, 101)), _row((32, 34), (100, 90)), _row((64, 40), (200, 100))]
    assert lines(rows) == [
        "registers equal in 33.3 %",
        "registers within 2 in 66.7 %",
        "warp instructions where they are equal: 1.00 1.00 1.0",
        "warp_instructions: 10.00 20.33 50.0",
    ]


def test_no_equal_row():
    assert lines([_row((32, 30), (100, 100))])[2].endswith(": -")
