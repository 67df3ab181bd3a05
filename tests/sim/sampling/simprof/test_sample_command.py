"""`kcc simulate --sample simprof`: the usable mode, its documents, its limits."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

import kcc
from kcc.base.gpu import load_gpu
from kcc.base.trace.reader import open_trace
from kcc.cli import main
from kcc.sim.cycle.launch import CycleSimulator, LaunchSimulation
from kcc.sim.sampling.block_profile import profile_launch
from kcc.sim.sampling.simprof.launch_units import cut_launches
from kcc.stages.recording.document import read_units, units_json

SMALL = ["--gpu", "macsim-fermi-tbpoint", "--set", "sm_count=4", "--set", "max_blocks_per_sm=4"]


def validate(document: dict[str, Any], schema: str) -> None:
    path = resources.files(kcc).joinpath(f"schemas/{schema}.json")
    jsonschema.validate(document, json.loads(path.read_text(encoding="utf-8")))


def test_documents(traced: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    selection = tmp_path / "selection.json"
    command = ["simulate", str(traced), *SMALL]
    assert (
        main([*command, "--sample", "simprof", "--json", "-", "--selection", str(selection)]) == 0
    )
    document = json.loads(capsys.readouterr().out)
    validate(document, "sampling-1")
    (run,) = document["gpus"]
    assert sum(one["cycles"] for one in run["launches"]) == pytest.approx(run["cycles"])
    assert sum(one["cycles"] for one in run["phases"]) == pytest.approx(run["cycles"])
    assert sum(one["simulated"] for one in run["phases"]) == 20
    chosen = json.loads(selection.read_text(encoding="utf-8"))
    validate(chosen, "selection-1")
    assert sum(len(one["ranges"]) for one in chosen["launches"]) == 20
    assert main([*command, "--json", "-"]) == 0
    whole = json.loads(capsys.readouterr().out)["gpus"][0]
    assert run["cycles"] == pytest.approx(whole["cycles"], rel=0.1)


def test_all_units_are_the_whole(traced: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where every unit is drawn nothing is left to chance, and cycles are those of the launches
    simulated one after another."""
    command = ["simulate", str(traced), *SMALL, "--kernel", "scale", "--json", "-"]
    assert main([*command, "--sample", "simprof", "--points", "100000"]) == 0
    (run,) = json.loads(capsys.readouterr().out)["gpus"]
    assert run["half_width_cycles"] == 0
    assert main(command) == 0
    whole = json.loads(capsys.readouterr().out)["gpus"][0]
    assert run["cycles"] == pytest.approx(whole["cycles"], rel=0.01)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--sample", "simprof", "--warm", "2"], "--warm goes with --sample tbpoint"),
        (["--sample", "simprof", "--picture", "x.svg"], "--picture goes with --sample tbpoint"),
        (["--sample", "tbpoint", "--points", "5"], "--points goes with --sample simprof"),
        (["--points", "5"], "--points goes with --sample"),
        (["--sample", "tbpoint", "--reference", "x"], "--reference goes with --sample simprof"),
        (["--sample", "simprof", "--reference", "x"], "--reference is given twice at least"),
    ],
)
def test_usage(
    traced: Path, options: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["simulate", str(traced), *SMALL, *options]) == 2
    assert says in capsys.readouterr().err


def test_old_selections_are_valid() -> None:
    """As `--sample tbpoint` of earlier versions wrote them."""
    row = {"launch": 0, "kernel": "k", "thread_blocks": 8, "warp_instructions": 80, "scale": 2.0,
           "stands_for": [0, 1], "ranges": [{"first": 0, "end": 4, "warp_instructions": 40}],
           "weight": 2.0}  # fmt: skip
    validate(
        {"schema": "kcc/selection/1", "kcc_version": "0.1.0", "source": "x.kct", "trace": "1-a",
         "gpu": "v100", "method": "tbpoint", "seed": 0, "warp_instructions": 160,
         "launches": [row]},
        "selection-1",
    )  # fmt: skip


def test_an_interrupt_keeps_the_launches_that_are_done(
    traced: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target, gpu = tmp_path / "units.json", load_gpu("macsim-fermi-tbpoint", SMALL[3::2])
    command = ["phases", "record", str(traced), *SMALL, "--unit", "40", "-o", str(target)]
    with open_trace(traced) as trace:
        launches = list(trace.launches)
        units = cut_launches(launches, list(map(profile_launch, launches)), gpu, count=40)
    whole = sum(unit.place < 2 for unit in units)
    begin, begun = CycleSimulator.begin, list[object]()

    def third_is_interrupted(self: CycleSimulator, *own: Any) -> LaunchSimulation:
        begun.append(own)
        if len(begun) == 3:
            raise KeyboardInterrupt
        return begin(self, *own)

    monkeypatch.setattr(CycleSimulator, "begin", third_is_interrupted)
    assert main(command) == 130
    found = read_units(target)
    assert not found.complete
    assert len(found) == whole
    monkeypatch.undo()
    assert main(command) == 0
    again = read_units(target)
    assert again.complete
    assert again.cost[:whole].tolist() == found.cost.tolist()
    assert len(again) == len(units)


def test_phases_that_inputs_do_not_change_are_not_simulated(
    traced: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The control: of an input that was recorded nothing is simulated, and its cycles are as
    recorded. Where another input makes one kernel slower, that one is simulated again."""
    recorded, apart, slower = (
        tmp_path / f"{name}.json" for name in ("recorded", "apart", "slower")
    )
    assert main(["phases", "record", str(traced), *SMALL, "-o", str(recorded)]) == 0
    table = read_units(recorded)
    kernels = [name for name in table.features if ":" not in name]
    first, last = (table.shares[:, table.features.index(kernels[n])] for n in (0, -1))
    far = table.cost * (1 + 2 * last)  # so that the kernels are phases of their own
    apart.write_text(units_json(table.with_cost(far)), encoding="utf-8")
    slower.write_text(units_json(table.with_cost(far * (1 + 0.5 * first))), encoding="utf-8")

    def sampled(*references: Path) -> dict[str, Any]:
        command = ["simulate", str(traced), *SMALL, "--sample", "simprof", "--json", "-"]
        for one in references:
            command += ["--reference", str(one)]
        assert main([*command, "--selection", str(tmp_path / "selection.json")]) == 0
        document = json.loads(capsys.readouterr().out)
        validate(document, "sampling-1")
        (run,) = document["gpus"]
        return run

    same = sampled(recorded, recorded)
    assert same["reused"]["units"] == len(table)
    assert same["simulated_instructions"] == 0
    assert same["half_width_cycles"] == 0
    assert same["cycles"] == pytest.approx(table.cost.sum())
    found = sampled(apart, slower)
    assert 0 < found["reused"]["units"] < len(table)
    assert found["simulated_instructions"] > 0
    assert sum(one["cycles"] for one in found["phases"]) == pytest.approx(found["cycles"])
    assert sum(one["cycles"] for one in found["launches"]) == pytest.approx(found["cycles"])
    own = np.where(first > 0, table.cost, far)  # what is not simulated is as recorded
    assert found["cycles"] == pytest.approx(own.sum(), rel=0.1)
    chosen = json.loads((tmp_path / "selection.json").read_text(encoding="utf-8"))
    validate(chosen, "selection-1")
    assert chosen["reused_cycles"] == pytest.approx(found["reused"]["cycles"])
    named = {one["kernel"] for one in chosen["launches"]}
    assert named == {kernels[0]}
    other = ["simulate", str(traced), *SMALL[:2], "--sample", "simprof"]
    assert main([*other, "--reference", str(recorded), "--reference", str(slower)]) == 1
    assert "K964" in capsys.readouterr().err
