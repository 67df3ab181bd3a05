"""The environment of a clone: when it is current, and what an unlucky update leaves behind."""

from __future__ import annotations

import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from scripts import environment

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A clone with a finished `.venv` that holds the parts run and check."""
    venv = tmp_path / ".venv"
    monkeypatch.setattr(environment, "ROOT", tmp_path)
    monkeypatch.setattr(environment, "VENV", venv)
    monkeypatch.setattr(environment, "PYTHON", venv / "bin" / "python")
    monkeypatch.setattr(environment, "PROJECT", tmp_path / "pyproject.toml")
    monkeypatch.setattr(environment, "HOME_STAMP", venv / "kcc-root")
    (tmp_path / "pyproject.toml").write_text("first")
    (venv / "bin").mkdir(parents=True)
    (venv / "bin" / "python").write_text("#!/bin/sh\n")
    (venv / "bin" / "python").chmod(0o755)
    (venv / "kcc-root").write_text(f"{tmp_path}\n")
    environment.write_stamps({"run": b"first", "check": b"first"})
    return tmp_path


def fail_with(error: Exception) -> Callable[[str, int], None]:
    def install(_part: str, _lock: int) -> None:
        raise error

    return install


def current_parts() -> set[str]:
    return {part for part in environment.PARTS if environment.is_current(part)}


def test_the_extras_are_those_of_the_project():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    named = ",".join(extra.strip("[]") for extra in environment.PARTS.values() if extra)
    assert set(named.split(",")) == set(project["optional-dependencies"])


def test_a_finished_environment_is_current(clone: Path):
    assert current_parts() == {"run", "check"}
    assert environment.main(["run"]) == 0


@pytest.mark.parametrize("name", ["bin/python", "kcc-root", "kcc-run.toml"])
def test_an_environment_that_lacks_something_is_not(name: str, clone: Path):
    (clone / ".venv" / name).unlink()
    assert not environment.is_current("run")


def test_a_moved_or_changed_clone_is_not(clone: Path):
    (clone / ".venv" / "kcc-root").write_text("/somewhere/else\n")
    assert current_parts() == set()
    (clone / ".venv" / "kcc-root").write_text(f"{clone}\n")
    (clone / "pyproject.toml").write_text("second")
    assert current_parts() == set()


def test_a_link_to_another_environment_is_named_and_left(
    clone: Path, tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
):
    elsewhere = tmp_path_factory.mktemp("other") / ".venv"
    (clone / ".venv").rename(elsewhere)
    (clone / ".venv").symlink_to(elsewhere)
    (elsewhere / "kcc-root").write_text(f"{elsewhere.parent}\n")
    before = sorted(elsewhere.rglob("*"))
    assert environment.main(["run"]) == 1
    assert f"is a link to {elsewhere}" in capsys.readouterr().err
    assert sorted(elsewhere.rglob("*")) == before
    assert (elsewhere / "kcc-run.toml").read_text() == "first"


def test_an_update_of_one_part_leaves_the_other_out_of_date(
    clone: Path, monkeypatch: pytest.MonkeyPatch
):
    (clone / "pyproject.toml").write_text("second")
    asked: list[str] = []

    def install(part: str, _lock: int) -> None:
        asked.append(part)

    monkeypatch.setattr(environment, "install", install)
    assert environment.main(["run"]) == 0
    assert current_parts() == {"run"}
    assert environment.main(["check"]) == 0
    assert current_parts() == {"run", "check"}
    assert asked == ["run", "check"]


def test_an_update_that_changed_nothing_leaves_what_was(
    clone: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    (clone / "pyproject.toml").write_text("second")
    failure = environment.NothingChangedError("no index")
    monkeypatch.setattr(environment, "install", fail_with(failure))
    assert environment.main(["run"]) == 1
    (clone / "pyproject.toml").write_text("first")
    assert current_parts() == {"run", "check"}
    shown = capsys.readouterr()
    assert shown.err.endswith("kcc: no index\n")
    assert shown.out == ""


@pytest.mark.parametrize(
    ("failure", "code"),
    [(environment.SetupError("broken"), 1), (OSError("full"), 1), (KeyboardInterrupt(), 130)],
)
def test_an_update_that_broke_off_starts_over(
    failure: Exception, code: int, clone: Path, monkeypatch: pytest.MonkeyPatch
):
    (clone / "pyproject.toml").write_text("second")
    monkeypatch.setattr(environment, "install", fail_with(failure))
    assert environment.main(["run"]) == code
    (clone / "pyproject.toml").write_text("first")
    assert current_parts() == set()
    assert not environment.is_usable()


def test_what_pip_says_is_explained():
    lines = ["Requirement already satisfied: numpy\n", "ERROR: No matching distribution found\n"]
    told = environment.explain_pip(lines)
    assert told.startswith("the package index cannot be reached")
    assert "already satisfied" not in told
    assert environment.explain_pip(["ERROR: disk full\n"]).startswith("pip failed")


def test_usage():
    assert environment.main([]) == 2
    assert environment.main(["everything"]) == 2


@pytest.mark.parametrize("name", ["scripts/kcc", "scripts/check", "scripts/environment.sh"])
def test_shell_scripts_are_posix(name: str):
    subprocess.run(["sh", "-n", ROOT / name], check=True)


def test_no_python_is_a_clear_message(tmp_path: Path):
    for tool in ("sh", "readlink", "cmp"):
        found = subprocess.run(
            ["sh", "-c", f"command -v {tool}"], check=True, capture_output=True, text=True
        )
        (tmp_path / tool).symlink_to(found.stdout.strip())
    script = 'root=/nonexistent; . "$1"; make_ready run'
    done = subprocess.run(
        [tmp_path / "sh", "-c", script, "sh", ROOT / "scripts" / "environment.sh"],
        env={"PATH": str(tmp_path)},
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("kcc: Python 3.11 or newer is needed")
