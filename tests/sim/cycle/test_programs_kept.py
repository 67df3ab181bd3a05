"""A simulator keeps the programs of some launches: each scalar argument may make another."""

from __future__ import annotations

import gc
import weakref
from dataclasses import replace
from pathlib import Path

import pytest

from kcc.base.gpu import load_gpu
from kcc.base.trace.reader import open_trace
from kcc.sim.cycle import launch
from kcc.sim.cycle.compiled import compiled_launch
from kcc.sim.cycle.launch import CycleSimulator
from tests.sim.cycle.test_compiled_code import traced


def test_programs_of_earlier_launches_are_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(launch, "PROGRAMS_KEPT", 2)
    gpu = load_gpu("a100")
    simulator = CycleSimulator(gpu)
    with open_trace(traced("sums", 32, tmp_path)) as trace:
        compiled = compiled_launch(trace.launches[0], gpu, None)
        tables = [replace(compiled.tables) for _ in range(4)]
        programs, cycles = list[weakref.ref[object]](), list[float]()
        for own in [*tables, tables[0], tables[0]]:
            simulator.memory = None
            simulation = simulator.begin(own, compiled.launch)
            programs.append(weakref.ref(simulation.program.ops))
            for batch in compiled.batches():
                simulation.feed(batch)
            cycles.append(simulation.finish().cycles)
            del simulation
    gc.collect()
    assert [program() is not None for program in programs] == [False] * 3 + [True] * 3
    assert programs[-2]() is programs[-1]()
    assert len(set(cycles)) == 1
