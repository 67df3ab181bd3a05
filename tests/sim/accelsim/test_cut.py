"""Accel-Sim lists cut by a selection: the same as what the writer makes of the blocks chosen."""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import Any

import pytest

from kcc.cli import main
from kcc.sim.accelsim.reader import read_kernel
from tests.sim.accelsim.checker import check_list
from tests.sim.accelsim.test_writer import trace

GPU = ["--gpu", "macsim-fermi-tbpoint", "--set", "sm_count=1", "--set", "max_blocks_per_sm=2"]


def bodies(folder: Path) -> list[str]:
    """What follows the header of each kernel of a list, in order."""
    lines = (folder / "kernelslist.g").read_text("utf-8").split()
    names = [line for line in lines if line.startswith("kernel")]
    return [(folder / name).read_text("utf-8").split("#BEGIN_TB", 1)[1] for name in names]


@pytest.fixture(scope="module")
def lists(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Path]:
    """A list of all of bfs, a selection of it, and what sampling writes for Accel-Sim."""
    folder = tmp_path_factory.mktemp("cut")
    path, whole = trace("bfs", folder), folder / "whole"
    selection, written = folder / "selection.json", folder / "written"
    assert main(["trace", str(path), "--format", "accelsim", "-o", str(whole)]) == 0
    sample = ["--sample", "simprof", "--points", "6", "--selection", str(selection)]
    assert main(["simulate", str(path), *GPU, *sample, "--accelsim", str(written)]) == 0
    return whole, selection, written


def cut(whole: Path, selection: Path, target: Path) -> int:
    listed = str(whole / "kernelslist.g")
    return main(["trace", listed, "--selection", str(selection), "-o", str(target)])


def test_cut_list(lists: tuple[Path, Path, Path], tmp_path: Path) -> None:
    whole, selection, written = lists
    assert cut(whole, selection, tmp_path / "cut") == 0
    assert bodies(tmp_path / "cut") == bodies(written)
    assert len(bodies(tmp_path / "cut")) < len(bodies(whole))
    check_list(tmp_path / "cut")
    assert (tmp_path / "cut" / "selection.json").read_text() == selection.read_text()


def test_old_selections_and_compressed_kernels(tmp_path: Path) -> None:
    """As `--sample tbpoint` of earlier versions wrote them: no phases, no weights of ranges."""
    path, whole = trace("reduction", tmp_path), tmp_path / "whole"
    assert main(["trace", str(path), "--format", "accelsim", "--xz", "-o", str(whole)]) == 0
    kernel = read_kernel(whole / "kernel-1.traceg.xz", 0)
    row: dict[str, Any] = {
        "launch": 0, "kernel": kernel.name, "thread_blocks": kernel.thread_blocks,
        "warp_instructions": 80, "scale": 2.0, "stands_for": [0, 1], "weight": 2.0,
        "ranges": [{"first": 1, "end": 2, "warp_instructions": 40},
                   {"first": 3, "end": 4, "warp_instructions": 40}],
    }  # fmt: skip
    old = {"schema": "kcc/selection/1", "kcc_version": "0.1.0", "source": "x.kct", "trace": "1-a",
           "gpu": "v100", "method": "tbpoint", "seed": 0, "launches": [row]}  # fmt: skip
    selection = tmp_path / "old.json"
    selection.write_text(json.dumps(old), encoding="utf-8")
    assert cut(whole, selection, tmp_path / "cut") == 0
    found = lzma.decompress((tmp_path / "cut" / "kernel-1.traceg.xz").read_bytes()).decode()
    assert found.count("#BEGIN_TB") == found.count("#END_TB") == 2
    assert "-grid dim = (2,1,1)\n" in found
    assert [f"thread block = {n},0,0\n" in found for n in range(3)] == [True, True, False]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"schema": "kcc/phases/1"}, "K966"),
        ({"launches": []}, "K966"),
        ({"launches": 3}, "K966"),
        ({"thread_blocks": 7}, "K967"),
        ({"launch": 4000}, "K967"),
        ({"ranges": [{"first": 0, "end": 10**9}]}, "K966"),
        ({"ranges": [{"first": 1, "end": 1}]}, "K966"),
        ({"ranges": [{"first": 1, "end": 2}, {"first": 0, "end": 1}]}, "K966"),
    ],
)
def test_selections_that_do_not_fit(
    lists: tuple[Path, Path, Path], change: dict[str, Any], code: str, tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    whole, selection, _ = lists
    document = json.loads(selection.read_text("utf-8"))
    for key, value in change.items():
        (document if key in document else document["launches"][0])[key] = value
    wrong = tmp_path / "wrong.json"
    wrong.write_text(json.dumps(document), encoding="utf-8")
    assert cut(whole, wrong, tmp_path / "cut") == 1
    assert code in capsys.readouterr().err
    assert sorted(p.name for p in tmp_path.iterdir()) == ["wrong.json"]


def test_usage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words, says in (
        (["trace", "x/kernelslist.g", "-o", "y"], "--selection FILE says what is kept"),
        (["trace", "x.kct", "--selection", "s.json", "-o", "y"], "--selection cuts lists"),
        (["trace", "x.g", "--selection", "s.json"], "-o FOLDER is missing"),
        (["trace", "x.g", "--selection", "s.json", "-o", "y", "--xz"], "--xz does not go with"),
    ):
        assert main(words) == 2
        assert says in capsys.readouterr().err
    (tmp_path / "s.json").write_text("{", encoding="utf-8")
    (tmp_path / "kernelslist.g").write_text("", encoding="utf-8")
    assert cut(tmp_path, tmp_path / "s.json", tmp_path / "out") == 1
    assert "K966" in capsys.readouterr().err
