"""Posted times of Triton's tutorial."""

from __future__ import annotations

import csv

import pytest

from benchmarks.triton_matmul import TABLE, measured_us, of_host


def test_times_from_rates() -> None:
    """2 * 1024^3 operations at 100 TFLOPS."""
    assert measured_us({"size": "1024", "triton_tflops": "100"}) == pytest.approx(21.47, abs=0.01)


def test_rows_of_the_host() -> None:
    """256^3 takes 132 us: so do all products up to 2048^3 or so."""
    with TABLE.open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(line for line in stream if not line.startswith("#")))
    own = [row for row in rows if row["triton"] == "3.5.1"]
    assert of_host(own) == pytest.approx(1.5 * 132.1, rel=0.01)
    assert [int(r["size"]) for r in own if measured_us(r) >= of_host(own)][:2] == [2176, 2560]
