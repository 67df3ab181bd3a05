"""Recordings: what callgrind and JFR write, read; kcc/units/1, whole and damaged."""

from __future__ import annotations

import json
import os
import shutil
import sys
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

import kcc
from kcc.base.diagnostics import DiagnosticError
from kcc.cli import main
from kcc.stages.recording.callgrind import read_callgrind
from kcc.stages.recording.document import read_units, units_json
from kcc.stages.recording.jvm import read_events, units_of
from kcc.stages.recording.parts import About, parts_folder
from kcc.stages.recording.running import find_tool, run_recorded
from tests.sim.sampling.simprof.streams import stream

ABOUT = About("callgrind", ("sort", "x"), 500, None)


def dump(folder: Path, number: int, scan: int, sort: int) -> None:
    """Main calls scan, and sort, which calls itself; names stand in the first dump only."""
    names = ("main", "scan", "sort", "sort'2") if number == 1 else ("", "", "", "")
    fn = [f"({n}) {name}".rstrip() for n, name in enumerate(names, 1)]
    total = 100 + scan + sort
    text = f"""# callgrind format
version: 1
events: Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw Bc Bcm Bi Bim
summary: {total} 0 0 1 20 3 0 2 1 9 5 0 1

fl=(1) a.c
fn={fn[0]}
10 60
+2 40
cfn={fn[1]}
calls=1 20
12 {scan}
cfn={fn[2]}
calls=1 30
* {sort}

fn={fn[1]}
20 {scan}

fn={fn[2]}
30 {sort // 2}
cfn={fn[3]}
calls=1 30
30 {sort // 2}

fn={fn[3]}
30 {sort // 2}
totals: {total}
"""
    (folder / f"units.callgrind.{number}").write_text(text, encoding="utf-8")


def test_callgrind_dumps(tmp_path: Path) -> None:
    dump(tmp_path, 1, 900, 0)
    dump(tmp_path, 2, 300, 600)
    dump(tmp_path, 10, 0, 1000)
    dump(tmp_path, 11, 0, 20)  # the rest after the last: too little for a unit
    table = read_callgrind(tmp_path, "sort x", 500, complete=True)
    assert table.features == ("main", "scan", "sort")
    expected = [[1, 0.9, 0], [1, 0.3, 0.6], [1, 0, 1000 / 1100]]
    assert table.shares == pytest.approx(np.array(expected))
    assert table.work.tolist() == [1000, 1000, 1100]
    penalty = 10 * (1 + 20 + 3 + 5 + 1) + 100 * (2 + 1)
    assert table.cost.tolist() == [1000 + penalty, 1000 + penalty, 1100 + penalty]
    assert table.counters["LL misses"].tolist() == [3, 3, 3]


def test_what_a_killed_recording_has_left_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whole dumps are units; the one that was being written is not."""
    monkeypatch.chdir(tmp_path)
    assert main(["phases", "record", "--recover", "-o", "x.json"]) == 1
    assert "no 'x.json.parts'" in capsys.readouterr().err
    with parts_folder("x.json", ABOUT):
        for number in range(1, 4):
            dump(tmp_path / "x.json.parts", number, 900, 100)
        last = tmp_path / "x.json.parts" / "units.callgrind.3"
        last.write_text(last.read_text(encoding="utf-8").split("totals")[0], encoding="utf-8")
        shutil.copytree("x.json.parts", "kept")
    assert not Path("x.json.parts").exists()
    Path("kept").rename("x.json.parts")
    assert main(["phases", "record", "--recover", "-o", "x.json"]) == 0
    table = read_units(Path("x.json"))
    assert (len(table), table.complete, table.source) == (2, False, "sort x")
    assert not Path("x.json.parts").exists()
    Path("x.json.parts").mkdir()
    with pytest.raises(DiagnosticError, match="in the way"), parts_folder("x.json", ABOUT):
        pass


def test_nothing_recorded(tmp_path: Path) -> None:
    with pytest.raises(DiagnosticError, match="K963"):
        read_callgrind(tmp_path, "true", 500, complete=True)


def sample(when: float, thread: str, number: int, *methods: str) -> dict[str, Any]:
    frames = [{"method": {"type": {"name": m.split(".")[0]}, "name": m.split(".")[1]}}
              for m in methods]  # fmt: skip
    return {"type": "jdk.ExecutionSample", "values": {
        "startTime": f"1970-01-01T00:00:{when:012.9f}Z",
        "sampledThread": {"javaName": thread, "osName": thread, "osThreadId": number},
        "stackTrace": {"truncated": False, "frames": frames}}}  # fmt: skip


def allocated(when: float, number: int, size: int) -> dict[str, Any]:
    return {"type": "jdk.ThreadAllocationStatistics", "values": {
        "startTime": f"1970-01-01T00:00:{when:012.9f}Z", "allocated": size,
        "thread": {"osThreadId": number}}}  # fmt: skip


def jfr_document() -> dict[str, Any]:
    """A worker that runs for two seconds of CPU time in four seconds, allocating 10 MB in its
    first second and 40 in its second; another thread that is idle."""
    events = [sample(0.2 * n + 0.1, "worker-1", 7, "A.map" if n < 10 else "A.reduce",
                     "R$$Lambda$14.run", "R$$Lambda$14.run") for n in range(20)]  # fmt: skip
    events.append(sample(1.0, "GC", 8, "G.collect"))
    events += [allocated(0, 7, 1000), allocated(2, 7, 10_001_000), allocated(4, 7, 50_001_000)]
    return {"recording": {"events": events}}


def test_flight_recordings() -> None:
    clocks = {7: np.array([[0.0, 5.0], [2.0, 6.0], [4.0, 7.0]]), 8: np.array([[0.0, 0.0]])}
    events = read_events(jfr_document())
    table = units_of("java Main", events, clocks, 500, None, complete=True)
    assert table.features == ("A.map", "A.reduce", "R$.run")
    assert table.shares.tolist() == [[1, 0, 1], [1, 0, 1], [0, 1, 1], [0, 1, 1]]
    assert table.ratio == pytest.approx(np.array([10, 10, 40, 40]))
    assert table.counters["samples"].tolist() == [5, 5, 5, 5]
    with pytest.raises(DiagnosticError, match="K963"):
        units_of("java Main", events, clocks, 500, "no such thread", complete=True)


def test_units_survive_a_file(tmp_path: Path) -> None:
    table, _ = stream([5, 4], [1.0, 2.0], [0.1, 0.1])
    path = tmp_path / "units.json"
    path.write_text(units_json(table), encoding="utf-8")
    schema = json.loads(resources.files(kcc).joinpath("schemas/units-1.json").read_text("utf-8"))
    jsonschema.validate(json.loads(path.read_text(encoding="utf-8")), schema)
    found = read_units(path)
    assert (found.features, found.metric, found.unit) == (table.features, table.metric, table.unit)
    assert found.shares == pytest.approx(table.shares, abs=1e-6)
    assert found.cost.tolist() == table.cost.tolist()


def change(document: dict[str, Any], key: str, value: object) -> str:
    return json.dumps({**document, key: value})


def test_damaged_files_are_told(tmp_path: Path) -> None:
    table, _ = stream([3, 2], [1.0, 2.0], [0.1, 0.1])
    whole = units_json(table)
    document = json.loads(whole)
    broken = [
        whole[: len(whole) // 2], "", "[1, 2]", "\x00\xff", '{"schema": "kcc/phases/1"}',
        change(document, "cost", document["cost"][:-1]), change(document, "work", [0] * 5),
        change(document, "cost", []), change(document, "shares", [[[99, 1.0]]] * 5),
        change(document, "shares", [[[0, "much"]]] * 5), change(document, "cost", ["a"] * 5),
        change(document, "features", ["same"] * len(document["features"])),
        change(document, "metric", None), change(document, "counters", [{"name": "x"}]),
        whole.replace('"cost":[', '"cost":[NaN,', 1), change(document, "cost", [0] * 5),
    ]  # fmt: skip
    path = tmp_path / "units.json"
    for text in broken:
        path.write_text(text, encoding="utf-8")
        with pytest.raises(DiagnosticError, match="K960"):
            read_units(path)
    with pytest.raises(DiagnosticError, match="K960"):
        read_units(tmp_path / "missing.json")


def test_missing_tools_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", os.devnull)
    with pytest.raises(DiagnosticError, match="K961: 'valgrind' is not there") as error:
        find_tool("valgrind", "valgrind")
    assert error.value.diagnostics[0].hint == "Debian and Ubuntu: apt install valgrind"


def test_programs_that_fail() -> None:
    ticks = list[int]()
    slow = [sys.executable, "-c", "import time; time.sleep(0.3)"]
    assert run_recorded(slow, {}, ticks.append, 0.05)
    assert ticks
    with pytest.raises(DiagnosticError, match=r"K962.*cannot be started"):
        run_recorded(["/no/such/program"], {}, ticks.append, 1)
    with pytest.raises(DiagnosticError, match=r"K962.*exit code 3"):
        run_recorded([sys.executable, "-c", "raise SystemExit(3)"], {}, ticks.append, 1)
