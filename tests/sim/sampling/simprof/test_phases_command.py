"""`kcc phases` and `kcc phases record` from the command line."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import xml.etree.ElementTree as ET
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

import kcc
from kcc.cli import main
from kcc.stages.recording.document import read_units, units_json
from kcc.stages.recording.parts import About, open_parts
from kcc.stages.recording.simulated import SIMULATION, record_trace
from tests.sim.sampling.simprof.streams import stream

SORT = ["sort", "--parallel=1"]
FEW = ["--max-phases", "4", "--draws", "5"]


def validate(document: dict[str, Any], schema: str) -> None:
    path = resources.files(kcc).joinpath(f"schemas/{schema}.json")
    jsonschema.validate(document, json.loads(path.read_text(encoding="utf-8")))


@pytest.fixture
def recorded(tmp_path: Path) -> list[str]:
    """A training input, one that is the same but for chance, one whose second phase is slower."""
    means = ([1.0, 2.0, 4.0], [1.0, 2.0, 4.0], [1.0, 2.9, 4.0])
    for n, own in enumerate(means):
        table, _ = stream([40, 30, 20], own, [0.02, 0.2, 0.1], seed=n)
        table = replace(table, source=f"input {n}")
        (tmp_path / f"{n}.json").write_text(units_json(table), encoding="utf-8")
    return [str(tmp_path / f"{n}.json") for n in range(3)]


def test_documents(recorded: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page, selection = tmp_path / "page.html", tmp_path / "selection.json"
    picture = tmp_path / "timeline.svg"
    command = ["phases", *recorded, *FEW, "--html", str(page), "--selection", str(selection)]
    command += ["--picture", str(picture)]
    assert main([*command, "--json", "-"]) == 0
    first = capsys.readouterr().out
    document = json.loads(first)
    validate(document, "phases-1")
    assert [one["units"] for one in document["phases"]] == [40, 30, 20]
    assert [one["sensitive"] for one in document["phases"]] == [False, True, False]
    assert sum(one["points"] for one in document["phases"]) == len(document["sample"]["units"])
    assert 0 < document["points_saved"] < 1
    chosen = json.loads(selection.read_text(encoding="utf-8"))
    validate(chosen, "selection-1")
    assert chosen["metric"] == "CPI: made up"
    assert [one["unit"] for one in chosen["units"]] == document["sample"]["units"]
    assert sum(one["weight"] for one in chosen["units"]) == pytest.approx(90)
    words = "".join(ET.fromstring(picture.read_text(encoding="utf-8")).itertext())
    assert "A: 40 units, mean " in words
    assert "phase0.a, phase0.b" in words
    assert "CPI: made up" in words
    text = page.read_text(encoding="utf-8")
    assert text.count("<svg") == 3
    for part in text.split("<svg")[1:]:
        ET.fromstring("<svg" + part[: part.index("</svg>")] + "</svg>")
    assert main([*command, "--json", "-"]) == 0
    assert capsys.readouterr().out == first


def test_text(recorded: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["phases", recorded[0], recorded[2], *FEW, "--error", "2%"]) == 0
    text = capsys.readouterr().out
    assert "input 0, recorded with test" in text
    assert "A" * 20 in text.split("Timeline")[1]
    assert "SimProf as printed" in text
    assert "sensitive" in text.split("Other inputs")[1]


def test_long_commands_are_cut_in_tables(
    recorded: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    path = Path(recorded[1])
    own = replace(read_units(path), source="java " + "--option " * 40 + "Main second.txt")
    path.write_text(units_json(own), encoding="utf-8")
    assert main(["phases", *recorded[:2], *FEW]) == 0
    table = capsys.readouterr().out.split("Other inputs")[1]
    assert "second" in table
    assert table.count("--option") < 12


def test_a_recording_that_was_cut_off_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table, _ = stream([8], [1.0], [0.1])
    path = tmp_path / "cut.json"
    path.write_text(units_json(replace(table, complete=False)), encoding="utf-8")
    assert main(["phases", str(path), *FEW]) == 0
    shown = capsys.readouterr()
    assert "K965" in shown.err
    assert "cut off" in shown.out


def test_recordings_that_do_not_go_together(
    recorded: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = read_units(Path(recorded[0]))
    other = tmp_path / "other.json"
    other.write_text(units_json(replace(table, feature="line")), encoding="utf-8")
    assert main(["phases", recorded[0], str(other)]) == 1
    assert "K964" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["phases", "record", "-o", "x.json"], "either a trace, or a command"),
        (["phases", "record", "x.kct", "-o", "y.json"], "--gpu is missing"),
        (["phases", "record", "-o", "x", "--input", "a", "--", "sort"], "have a {}"),
        (["phases", "record", "-o", "x", "--threads", "a", "--", "sort"], "--threads goes with"),
        (["phases", "record", "-o", "x", "--gpu", "v100", "--", "sort"], "go with a trace"),
        (["phases", "x.json", "--error", "0%"], "not a percentage"),
    ],
)
def test_usage(words: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    assert says in capsys.readouterr().err


def test_valgrind_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    target = tmp_path / "x.json"
    assert main(["phases", "record", "-o", str(target), "--", "sort"]) == 1
    assert "apt install valgrind" in capsys.readouterr().err
    assert main(["phases", "record", "-o", str(target), "--", "java", "Main"]) == 1
    assert "apt install openjdk" in capsys.readouterr().err
    assert not target.exists()


def test_resume_leaves_what_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))  # nothing can be recorded
    table, _ = stream([8], [1.0], [0.1])
    for name in "ab":
        own = replace(table, source=f"sort {name}")
        (tmp_path / f"{name}.json").write_text(units_json(own), encoding="utf-8")
    command = ["phases", "record", "-o", str(tmp_path / "{}.json"), "--input", "a", "--input", "b",
               "--resume", "--", "sort", "{}"]  # fmt: skip
    assert main(command) == 0
    cut = replace(table, source="sort b", complete=False)
    (tmp_path / "b.json").write_text(units_json(cut), encoding="utf-8")
    assert main(command) == 1
    assert "K961" in capsys.readouterr().err


@pytest.mark.slow
def test_a_trace_in_full(traced: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "units.json"
    gpu = ["--gpu", "macsim-fermi-tbpoint", "--set", "sm_count=4"]
    assert main(["phases", "record", str(traced), *gpu, "--unit", "30", "-o", str(target)]) == 0
    table = read_units(target)
    assert main(["simulate", str(traced), *gpu, "--json", "-"]) == 0
    run = json.loads(capsys.readouterr().out)["gpus"][0]
    assert table.cost.sum() == run["cycles"]
    assert "scale: last blocks" in table.features
    assert any(name.startswith("gather:") for name in table.features)


def test_a_trace_goes_on_where_it_was_ended(traced: Path, tmp_path: Path) -> None:
    """As if it had not been; what was done is readable, and not simulated again."""
    words = (str(traced), "macsim-fermi-tbpoint", "sm_count=4")
    options = ["--gpu", words[1], "--set", words[2], "--unit", "30", "-o"]
    whole, target = tmp_path / "whole.json", tmp_path / "units.json"
    assert main(["phases", "record", str(traced), *options, str(whole)]) == 0
    assert not list(tmp_path.glob("*.parts"))

    def until_half(share: int) -> None:
        if share >= 50:
            raise SystemExit  # nothing is written, as where the process is killed

    folder = open_parts(str(target), About(SIMULATION, words, 30, None))
    with pytest.raises(SystemExit):
        record_trace(folder, *words, count=30, watch=until_half)
    with np.load(folder / "launches.npz") as state:
        known = len(state["cost"])
    shares = list[int]()
    found = record_trace(folder, *words, count=30, watch=shares.append)
    assert known > 0
    assert len(shares) == len(found.cost) - known  # each other unit once
    assert units_json(found) == whole.read_text(encoding="utf-8")
    assert main(["phases", "record", str(traced), *options, str(target), "--resume"]) == 0
    assert target.read_bytes() == whole.read_bytes()
    assert not list(tmp_path.glob("*.parts"))


def test_a_trace_that_was_killed_can_be_read(traced: Path, tmp_path: Path) -> None:
    words, target = (str(traced), "macsim-fermi-tbpoint", "sm_count=4"), tmp_path / "units.json"
    folder = open_parts(str(target), About(SIMULATION, words, 30, None))
    recover = ["phases", "record", "--recover", "-o", str(target)]
    assert main(recover) == 1  # no launch yet
    whole = record_trace(folder, *words, count=30, watch=lambda _: None)
    state = dict(np.load(folder / "launches.npz"))
    np.savez(folder / "launches.npz", **{**state, "cost": state["cost"][:-4]})
    assert main(recover) == 0
    found = read_units(target)
    assert not found.complete
    assert found.cost.tolist() == whole.cost.tolist()[:-4]


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind is not there")
def test_callgrind(tmp_path: Path) -> None:
    words = tmp_path / "words.txt"
    words.write_text("\n".join(str(n * 7919 % 4001) for n in range(4001)), encoding="utf-8")
    target = tmp_path / "sort.json"
    command = ["phases", "record", "--unit", "50000", "-o", str(target), "--"]
    assert main([*command, *SORT, str(words), "-o", str(tmp_path / "out")]) == 0
    table = read_units(target)
    assert len(table) > 5
    # Dumps lose nothing: all but the last half unit is what one run without dumps executes.
    whole = tmp_path / "whole"
    plain = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={whole}", *SORT, str(words)]
    subprocess.run([*plain, "-o", str(tmp_path / "out")], check=True, capture_output=True)
    (instructions,) = re.findall(r"^totals: (\d+)", whole.read_text(), re.MULTILINE)
    assert abs(int(instructions) - table.work.sum()) < 0.55 * float(np.median(table.work))
    assert table.mean > 1
