"""Timings of many launches are in a file, and are the same there."""

from __future__ import annotations

import pickle
import zlib
from dataclasses import replace
from pathlib import Path

import pytest

from kcc.report.shared.style import Style
from kcc.report.simulation import kept as kept_in_file
from kcc.report.simulation.kept import IN_MEMORY, KeptTimings, packed, unpacked
from kcc.report.simulation.run import SimulationRun
from kcc.report.simulation.terminal import by_kernel, simulation_text
from kcc.sim.result import Timing
from tests.kcc.report.simulation.test_verdict import launch


def test_they_are_the_same_and_in_order():
    rows = [
        replace(launch(4, issued=n % 7 + 1, idle=3), launch=n, kernel="fg"[n % 2],
                scheduler_stacks=((1.0, 2.0),))
        for n in range(IN_MEMORY + 100)
    ]  # fmt: skip
    kept = KeptTimings(rows)
    assert len(kept) == len(rows)
    assert [t.launch for t in kept] == list(range(len(rows)))
    assert kept[-1] == replace(rows[-1], scheduler_stacks=())
    assert kept[:2] == rows[:2]
    assert list(pickle.loads(pickle.dumps(kept))) == list(kept)
    assert SimulationRun((), kept).cycles == sum(t.cycles for t in rows)
    groups = by_kernel(kept, each_launch=False)
    assert [len(own) for own in groups.values()] == [len(rows) // 2] * 2
    assert groups["g"][-1].launch == len(rows) - 1


def test_the_report_looks_at_few_launches_twice(monkeypatch: pytest.MonkeyPatch):
    """Those in the file are read: some 50 times each for one report, before sums were kept."""
    kept, read = KeptTimings([launch(4, issued=1, idle=3)] * (IN_MEMORY + 10)), list[int]()
    unpacked = kept_in_file.unpacked

    def counted(data: bytes) -> Timing:
        read.append(len(data))
        return unpacked(data)

    monkeypatch.setattr(kept_in_file, "unpacked", counted)
    assert simulation_text("x", [SimulationRun((), kept)], Style(), {}, each_launch=False)
    assert len(read) <= 5 * 10


def test_the_longest_keeps_its_schedulers():
    rows = [launch(4, issued=1, idle=3)] * IN_MEMORY
    longest = replace(launch(4, issued=90, idle=3), scheduler_stacks=((1.0, 2.0),))
    assert KeptTimings([*rows, longest])[-1].scheduler_stacks


def test_a_file_makes_no_other_objects():
    row = launch(4, issued=1, idle=3)
    assert unpacked(packed(row)) == row
    for other in (print, Path, [row], row.occupancy):
        with pytest.raises(ValueError, match=r"no timing|builtins|pathlib"):
            unpacked(zlib.compress(pickle.dumps(other)))
