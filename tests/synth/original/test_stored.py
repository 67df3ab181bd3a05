"""Miniatures made from a profile's file alone."""

from __future__ import annotations

import copy
import json
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import kcc
from kcc.base.profile.document import to_json
from kcc.base.profile.model import Profile
from kcc.cli import main
from kcc.stages.synth import Study, files_of, settle, study_profile
from kcc.synth.original.stored import KEY, stored
from tests.synth.making import KERNELS, made, settings, studied


def written(study: Study, path: Path) -> Path:
    """What `kcc profile --for-synth` writes."""
    kernels = tuple(facts.info for facts in study.kernels)
    profile = Profile({}, kernels, tuple(facts.profile for facts in study.launches))
    path.write_text(to_json(profile, {KEY: stored(study.kernels, study.launches)}))
    return path


@pytest.mark.parametrize(
    "workload",
    ["bfs", "matmul", "imagefilter", *(pytest.param(w, marks=pytest.mark.full) for w in (
        "spmv", "lavamd", "histogram", "mergesort", "nbody", "particlefilter"))],
)  # fmt: skip
def test_the_files_are_those_made_from_the_run(workload: str, tmp_path: Path):
    path = written(studied(workload), tmp_path / "profile.json")
    again = settle(study_profile(str(path)), made(workload, 4).miniature.reductions, settings())
    names = "k.cl", "k.py", "k.cu"
    assert files_of(again, *names) == files_of(made(workload, 4), *names)


def test_kernels_and_launches_are_chosen(tmp_path: Path):
    path = str(written(studied("bfs"), tmp_path / "profile.json"))
    study = study_profile(path, ["BFS_2"], [range(5)])
    assert [facts.kernel.name for facts in study.kernels] == ["BFS_2"]
    assert [facts.profile.number for facts in study.launches] == [1, 3]


def test_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    script, profile = str(KERNELS / "saxpy" / "workload.py"), str(tmp_path / "profile.json")
    assert main(["profile", script, "--size", "tiny", "--for-synth", "--json", profile]) == 0
    schema = resources.files(kcc).joinpath("schemas/profile-1.json").read_text(encoding="utf-8")
    jsonschema.validate(json.loads(Path(profile).read_text()), json.loads(schema))
    assert main(["synth", profile, "-o", str(tmp_path / "mini.cl")]) == 0
    assert main(["run", str(tmp_path / "mini.py")]) == 0
    assert main(["synth", profile, "--verify", "--gpu", "conf1"]) == 2
    assert main(["synth", profile, "--kernel", "other", "-o", str(tmp_path / "x.cl")]) == 1
    assert main(["profile", script, "--size", "tiny", "--json", profile]) == 0
    assert main(["synth", profile, "-o", str(tmp_path / "x.cl")]) == 1
    assert main(["profile", script, "--for-synth"]) == 2
    shown = capsys.readouterr().err
    assert "which a profile does not have" in shown
    assert "K951" in shown
    assert "K952" in shown
    assert "--json is missing" in shown
    assert not (tmp_path / "x.cl").exists()


DAMAGES: dict[str, Any] = {
    "modules": [],
    "kernels": [],
    "launches": [{}],
    "modules.0": "define",
    "kernels.0.module": 7,
    "kernels.0.symbol": "other",
    "kernels.0.accesses": [1, 2],
    "kernels.0.accesses.0": 10**6,
    "kernels.0.meets.0": -5,
    "launches.0.spans": [{"access": 99, "low": 0, "high": 1}],
    "launches.0.fills": [{"argument": 99, "fills": []}],
    "launches.0.launch.global_size": [64],
}


@pytest.mark.parametrize("place", DAMAGES)
def test_a_damaged_profile_is_an_error(
    place: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    path = written(studied("bfs"), tmp_path / "profile.json")
    document = copy.deepcopy(json.loads(path.read_text()))
    *outer, last = (int(word) if word.isdigit() else word for word in place.split("."))
    part: Any = document[KEY]
    for word in outer:
        part = part[word]
    part[last] = DAMAGES[place]
    path.write_text(json.dumps(document))
    assert main(["synth", str(path), "-o", str(tmp_path / "mini.cl")]) == 1
    assert "error[K" in capsys.readouterr().err
    assert not (tmp_path / "mini.cl").exists()
