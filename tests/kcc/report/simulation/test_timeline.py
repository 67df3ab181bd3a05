"""Timelines are in the Trace Event format that Perfetto and Chrome read: types of fields, thread
blocks of a place one after another, times in microseconds."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from kcc.report.simulation.document import timeline_json
from kcc.report.simulation.run import SimulationRun
from kcc.sim.result import BlockTiming, Interval
from tests.kcc.report.simulation.test_verdict import launch

PHASES = {"X", "C", "M"}
"""Complete events, counters and metadata; no B without its E, since there is neither."""

SLACK_US = 1e-9


@pytest.fixture
def events() -> list[dict[str, Any]]:
    """Two launches of 1,000 and 500 cycles at 1,000 MHz, on two SMs with two places each."""
    blocks = tuple(
        BlockTiming(n, n % 2, n // 2 % 2, 100 * (n // 4), 100 * (n // 4) + 100) for n in range(8)
    )
    intervals = (Interval(0, 500, 10, 3), Interval(500, 900, 5, 0))
    first = replace(
        launch(8, issued=4000), cycles=1000, time_us=1.0, blocks=blocks, intervals=intervals
    )
    second = replace(
        first, launch=1, cycles=500, time_us=0.5, blocks=blocks[:4], intervals=intervals[:1]
    )
    found: list[dict[str, Any]] = json.loads(timeline_json([SimulationRun((), (first, second))]))[
        "traceEvents"
    ]
    return found


def test_each_event_has_what_its_phase_needs(events: list[dict[str, Any]]):
    assert {each["ph"] for each in events} == PHASES
    for each in events:
        assert isinstance(each["name"], str)
        assert isinstance(each["pid"], int)
        if each["ph"] == "X":
            assert isinstance(each["tid"], int)
            assert isinstance(each["ts"], int | float)
            assert each["dur"] > 0
            assert isinstance(each["cat"], str)
        elif each["ph"] == "C":
            assert isinstance(each["ts"], int | float)
            assert each["args"]
            assert all(isinstance(v, int | float) for v in each["args"].values())
        else:
            assert each["name"] in {"process_name", "thread_name"}
            assert isinstance(each["args"]["name"], str)


def test_blocks_of_a_place_follow_each_other(events: list[dict[str, Any]]):
    places = dict[tuple[int, int], list[dict[str, Any]]]()
    for each in events:
        if each["ph"] == "X":
            places.setdefault((each["pid"], each["tid"]), []).append(each)
    assert len(places) == 4
    for own in places.values():
        own.sort(key=lambda each: each["ts"])
        for before, after in pairwise(own):
            assert before["ts"] + before["dur"] <= after["ts"] + SLACK_US
    named = {(e["pid"], e["tid"]) for e in events if e["name"] == "thread_name"}
    assert named == set(places)


def test_times_are_microseconds_and_launches_follow_each_other(events: list[dict[str, Any]]):
    blocks = [each for each in events if each["ph"] == "X"]
    cycles = 100 / 1000  # at 1,000 MHz
    assert all(each["dur"] == pytest.approx(cycles) for each in blocks)
    first = [each for each in blocks if each["cat"] == "launch 0"]
    second = [each for each in blocks if each["cat"] == "launch 1"]
    assert max(e["ts"] + e["dur"] for e in first) <= 1.0 + SLACK_US
    assert min(e["ts"] for e in second) >= 1.0 - SLACK_US
    assert max(e["ts"] + e["dur"] for e in second) <= 1.5 + SLACK_US
