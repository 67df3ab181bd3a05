"""What memory decides, dealt out as a profile of runs has it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kcc import cli
from kcc.base.profile.document import read_profile
from kcc.base.profile.merge import merge
from kcc.base.trace.reader import open_trace
from kcc.tracegen.static.dealing import Dealer
from kcc.tracegen.static.observed import Draws, Way

ROOT = Path(__file__).parents[3]
ALL = 0xFFFFFFFF

Capture = pytest.CaptureFixture[str]


def dealt(first: Way, second: Way, times: int = 200) -> list[int]:
    dealer = Dealer()
    return [dealer.lanes(0, [first, second], ALL)[0] for _ in range(times)]


def test_lanes_that_part_are_dealt_to_every_warp():
    found = dealt(Way(0.25, 1), Way(0.75, 1))
    assert {mask.bit_count() for mask in found} == {8}
    assert len(set(found)) > 1


def test_warps_that_part_are_dealt_as_a_whole():
    found = dealt(Way(0.25, 0.25), Way(0.75, 0.75))
    assert set(found) == {0, ALL}
    assert found.count(ALL) == 50


def test_shares_and_reach_come_out_both():
    """Two fifths of the warps have some lanes, on the average a tenth of all lanes."""
    found = dealt(Way(0.1, 0.4), Way(0.9, 1))
    assert sum(mask > 0 for mask in found) == 80
    assert sum(mask.bit_count() for mask in found) == pytest.approx(0.1 * 32 * 200, rel=0.02)


def test_three_ways():
    dealer = Dealer()
    ways = [Way(0.5, 1), Way(0.25, 1), Way(0.25, 1)]
    found = [dealer.lanes(0, ways, ALL) for _ in range(10)]
    assert all(sum(masks) == ALL for masks in found)
    assert [sum(m[i].bit_count() for m in found) for i in range(3)] == [160, 80, 80]


def test_draws_have_their_shares():
    draws = Draws(np.array([2, 5, 40]), np.array([0.5, 0.9, 1.0]))
    dealer = Dealer()
    found = [value for _ in range(1000) for value in dealer.draw("loop", draws, 4)]
    assert found.count(2) == pytest.approx(2000, rel=0.05)
    assert found.count(40) == pytest.approx(400, rel=0.1)
    assert draws.mean == pytest.approx(7)
    first = [dealer.draw("other", draws)[0] for _ in range(20)]
    assert [first.count(value) for value in (2, 5, 40)] == pytest.approx([10, 8, 2], abs=1)


def profiled(folder: Path, name: str, *options: str) -> Path:
    path = folder / f"{name}.json"
    script = str(ROOT / "kernels" / name / "workload.py")
    assert cli.main(["profile", script, "--size", "tiny", "--json", str(path), *options]) == 0
    return path


def counts(profile: Path, trace: Path) -> dict[str, list[tuple[float, float, float, float]]]:
    """For each block of each kernel its executions by warps in the trace, and on the average of the
    profile's launches; and those by lanes."""
    runs, found = read_profile(str(profile)), dict[str, list[tuple[float, float, float, float]]]()
    with open_trace(trace) as file:
        for launch in file.launches:
            name = launch.tables.kernel
            own = [each for each in runs.launches if runs.kernels[each.kernel].name == name]
            sums = merge(own)
            found[name] = [
                (warps, node.warps / len(own), lanes, node.ecount / len(own))
                for (warps, lanes), node in zip(launch.totals.counts, sums.nodes, strict=True)
            ]
    return found


def test_bfs_is_as_in_its_profile(tmp_path: Path, capsys: Capture):
    """To a quarter: sixteen warps stand for seven launches."""
    profile, target = profiled(tmp_path, "bfs"), tmp_path / "x.kct"
    source = str(ROOT / "kernels/bfs/bfs.cl")
    options = ["--size", "tiny", "--profile", str(profile), "-o", str(target)]
    assert cli.main(["trace", source, *options]) == 0
    said = capsys.readouterr().out
    assert "iterations, as in the profile" in said
    for rows in counts(profile, target).values():
        for warps, wanted_warps, lanes, wanted_lanes in rows:
            assert warps == pytest.approx(wanted_warps, rel=0.25, abs=1)
            assert lanes == pytest.approx(wanted_lanes, rel=0.25, abs=4)


def test_a_kernel_without_open_branches_keeps_its_classes(tmp_path: Path):
    profile, target = profiled(tmp_path, "saxpy"), tmp_path / "x.kct"
    source = str(ROOT / "kernels/saxpy/saxpy.cl")
    options = ["--size", "tiny", "-o", str(target)]
    assert cli.main(["trace", source, *options]) == 0
    plain = target.read_bytes()
    assert cli.main(["trace", source, *options, "--profile", str(profile)]) == 0
    assert target.read_bytes() == plain


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("place", "value", "code"),
    [
        ("kernels.0.blocks.1.instructions", 99, "K783"),
        ("launches.0.warp_size", 64, "K783"),
        ("launches", [], "K784"),
        ("launches.0.dfsg.loops.0.loop", 7, "K780"),
        ("launches.0.dfsg.nodes", [], "K780"),
        ("launches.0.kernel", 9, "K780"),
        ("schema", "other", "K780"),
        ("kernels", None, "K780"),
    ],
)
def test_a_profile_that_does_not_fit(
    tmp_path: Path, capsys: Capture, place: str, value: object, code: str
):
    profile, target = profiled(tmp_path, "bfs", "--kernel", "BFS_1"), tmp_path / "x.kct"
    document: Any = json.loads(profile.read_text())
    document["launches"] = document["launches"][:1]
    *outer, last = [int(word) if word.isdigit() else word for word in place.split(".")]
    inner = document
    for key in outer:
        inner = inner[key]
    inner[last] = value
    profile.write_text(json.dumps(document))
    source = str(ROOT / "kernels/bfs/bfs.cl")
    options = ["--size", "tiny", "--kernel", "BFS_1", "--profile", str(profile)]
    exit_code = cli.main(["trace", source, *options, "-o", str(target)])
    assert f"[{code}]" in capsys.readouterr().err
    assert exit_code == (0 if code == "K784" else 1)
    assert target.exists() == (code == "K784")


def test_no_such_file(tmp_path: Path, capsys: Capture):
    source, target = str(ROOT / "kernels/bfs/bfs.cl"), tmp_path / "x.kct"
    options = ["--size", "tiny", "--profile", str(tmp_path / "no.json"), "-o", str(target)]
    assert cli.main(["trace", source, *options]) == 1
    assert "error[K001]" in capsys.readouterr().err
