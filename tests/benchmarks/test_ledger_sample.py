"""A fast sample of the ledger: tables whose kernels are our own become no worse beyond noise.

The kernels of the other tables are public and not kept here: `python -m benchmarks.ledger
--against` holds those where the sources are.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.ledger_cases import OWN, cases_of
from benchmarks.ledger_figures import NOISE_POINTS
from benchmarks.measured_tables import DATA, NO_TIMES, TABLES, Table
from kcc.stages.estimate import Question
from kcc.validation.outcome import figures
from kcc.validation.predict import Predictor

SAMPLE = OWN / "ledger_sample"
HELD = json.loads((SAMPLE / "held.json").read_text())
"""The mean error of each table's sample, in percent, and the commit at which it was that."""

MINE = [table for table in TABLES if table.repository == DATA]


def test_every_table_of_our_own_kernels_is_held_and_the_others_are_named() -> None:
    assert {table.name for table in MINE} == HELD["mean_error"].keys()
    assert {table.file for table in TABLES}.isdisjoint(NO_TIMES)


@pytest.mark.parametrize("table", MINE, ids=lambda table: table.name)
def test_no_table_is_worse_beyond_noise(table: Table) -> None:
    predictor = Predictor(Question())
    rows = [predictor.outcome(each) for each in cases_of(table, SAMPLE, Path("none"), 24, 1)]
    found = figures(row for row in rows if not row.marks)
    assert found.estimated == found.rows
    assert found.mean is not None
    assert found.mean <= HELD["mean_error"][table.name] + NOISE_POINTS
