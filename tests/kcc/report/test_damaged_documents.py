"""Documents whose values are of other types are refused where they are read, or can be used."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import Any, cast

import pytest

from kcc.base.trace.rows import RowError, from_json
from kcc.commands.explore_work import EXPLORED
from kcc.commands.journal import ESTIMATES
from kcc.report.comparison import of_estimates
from kcc.report.comparison_markdown import comparison_markdown
from kcc.report.estimate.comparison import changes
from kcc.report.estimate.record import (
    AssumedValue,
    CacheUse,
    Confidence,
    Guessed,
    Held,
    HitRate,
    ReductionErrors,
    document_json,
    read_document,
)
from kcc.report.validation import Validation, validation_json
from kcc.sim.interval.explore import PointSummary
from kcc.validation.case import Measures
from kcc.validation.outcome import Outcome, read_outcome
from tests.kcc.report.test_comparison import document, record

VALUES: tuple[Any, ...] = (None, True, -1, 1e308, float("nan"), "x", [], {}, [1], {"x": 1})
RATE = HitRate(0.5, None)
WHOLE = document(record("f", 10, 0.5, 0.2), record("g", 3, 0.5, 0.2))
FULL = {
    "occupancy": asdict(Held(1, 2, 64, 0.1, None, 0, ("warps",))),
    "confidence": asdict(
        Confidence(
            assumed_launch=False, assumed_share=0.1, unattributed_share=0.0,
            accesses_without_addresses=0,
            assumed_gpu_values=(AssumedValue("l1.ports", "x", "none"),),
            weak_gpu_values=("l2.size_bytes",),
            guesses=(Guessed("loop", "k.cl", 3, 16.0, "unknown", "--assume"),),
        )
    ),
    "caches": [asdict(CacheUse(0, 7, "a", "load", 4.0, "L1", RATE, RATE, RATE))],
    "reduction_errors": asdict(ReductionErrors(("rows",), 0.1, 0.1, 0.1)),
}  # fmt: skip


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Each container inside a value, with each of its keys."""
    keys = list(cast("Any", value)) if isinstance(value, dict) else range(len(value))
    for key in keys:
        yield value, key
        if isinstance(value[key], dict | list):
            yield from places(value[key])


def damaged(content: Any) -> Iterator[Any]:
    """The content with each value in turn as each of :data:`VALUES`, or not there."""
    for holder, key in places(content):
        before = holder[key]
        for value in VALUES:
            holder[key] = value
            yield copy.deepcopy(content)
        del holder[key]
        yield copy.deepcopy(content)
        if isinstance(holder, dict):
            holder[key] = before
        else:
            holder.insert(key, before)


def test_estimates_that_are_read_can_be_compared_and_written():
    content = json.loads(json.dumps(document_json(WHOLE)))
    content["estimates"][0] |= FULL
    taken = refused = 0
    for each in damaged(content):
        try:
            found = read_document(each)
        except ValueError:
            refused += 1
            continue
        taken += 1
        json.dumps(document_json(found), allow_nan=False)
        comparison_markdown(of_estimates(changes(WHOLE, found, {}), 0.05, ()))
    assert taken > 100
    assert refused > 500


def test_a_journal_holds_records_that_can_be_written():
    line = json.loads(json.dumps(ESTIMATES.write((((0, 1), WHOLE.estimates[0]),))))
    for each in damaged(line):
        try:
            found = ESTIMATES.read(each)
        except (ValueError, TypeError, KeyError):
            continue
        json.dumps(ESTIMATES.write(found), allow_nan=False)


def test_a_journal_of_design_points():
    point = PointSummary(("sms=40",), "v100", 1000.0, 4, 10.0, 1.0, 5.0, {"dram": 1.0})
    line = json.loads(json.dumps(EXPLORED.write({"a": point, "cycle by cycle: a": 4.0})))
    assert EXPLORED.read(line) == {"a": point, "cycle by cycle: a": 4.0}
    for each in damaged(line):
        try:
            found = EXPLORED.read(each)
        except (ValueError, TypeError, KeyError, AttributeError):
            continue
        json.dumps(EXPLORED.write(found), allow_nan=False)


def test_a_journal_of_a_validation():
    row = Outcome("t.csv", 1, "k", "v100", "volta", 10.0, failed=False, time_us=9.0)
    row = replace(row, counters={"d": (1, 2)})
    line = json.loads(json.dumps(asdict(row)))
    assert read_outcome(line) == row
    for each in damaged(line):
        try:
            found = read_outcome(each)
        except RowError:
            continue
        validation_json(
            Validation("t.csv", "k.cl", "pipeline", {}, Measures.LAUNCH, (), 1, (found,))
        )


@pytest.mark.parametrize("value", [float("inf"), 1 << 70, True, "1"])
def test_numbers_are_finite_numbers(value: object):
    with pytest.raises(RowError):
        from_json(
            PointSummary, {**asdict(PointSummary((), "", 1, 1, 1, 1, 1, {})), "cycles": value}
        )
