"""The document is written a launch at a time."""

from __future__ import annotations

import json
from dataclasses import replace

from kcc.report.simulation.document import simulation_json, simulation_pieces
from kcc.report.simulation.run import FailedRun, SimulationRun
from tests.kcc.report.simulation.test_verdict import launch


def test_no_piece_has_two_launches():
    timings = [replace(launch(8, issued=4000), launch=n) for n in range(3)]
    runs = [
        SimulationRun((), timings),
        FailedRun("other", ("sm_count=1",), "no block fits"),
        SimulationRun(("sm_count=2",), timings[:1]),
    ]
    pieces = list(simulation_pieces("x.kct", runs))
    assert max(piece.count('"cpi_stack"') for piece in pieces) == 1
    text = "".join(pieces)
    assert text == simulation_json("x.kct", runs)
    found = json.loads(text)
    assert [row["launch"] for row in found["launches"]] == [0, 1, 2]
    assert [len(each["launches"]) for each in found["gpus"]] == [3, 1]
    assert found["gpus"][0]["launches"] == found["launches"]
    assert found["failed"] == [{"configuration": "other sm_count=1", "reason": "no block fits"}]
    assert text == json.dumps(found, separators=(",", ":")) + "\n"
