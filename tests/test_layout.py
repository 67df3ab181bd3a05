"""Guards of the layout: real folders at the top, links to them in kcc/, one identity per module."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LAYERS = ("frontend", "passes", "tracegen", "sim", "synth")


def tracked_files(*folders: str) -> set[str]:
    """What git knows of the folders, or what lies there where this is no clone."""
    if (ROOT / ".git").exists():
        command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *folders]
        listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
        return {name for name in listed.stdout.splitlines() if (ROOT / name).is_file()}
    found = (path for folder in folders for path in (ROOT / folder).rglob("*"))
    return {
        path.relative_to(ROOT).as_posix()
        for path in found
        if path.is_file() and "__pycache__" not in path.parts
    }


def packaged_files() -> set[str]:
    """The names that the wheel must have: kcc/ with each link replaced by its folder's files."""
    return tracked_files("kcc") | {f"kcc/{name}" for name in tracked_files(*LAYERS)}


@pytest.mark.parametrize("layer", LAYERS)
def test_link_is_relative_and_points_at_its_layer(layer: str):
    link = ROOT / "kcc" / layer
    assert link.is_symlink()
    assert link.readlink() == Path("..") / layer
    assert (ROOT / layer).is_dir()
    assert not (ROOT / layer).is_symlink()


def test_kcc_holds_no_other_links():
    assert {path.name for path in (ROOT / "kcc").iterdir() if path.is_symlink()} == set(LAYERS)


def test_every_folder_of_a_layer_is_a_package():
    names = {n for n in tracked_files(*LAYERS) if n.endswith(".py")}
    folders = {str(Path(name).parent) for name in names}
    assert {folder for folder in folders if f"{folder}/__init__.py" not in names} == set()


IMPORT_ALL = """
import importlib, sys
for name in sys.argv[1:]:
    importlib.import_module(name)
layers = ("frontend", "passes", "tracegen", "sim", "synth")
bare = sorted(name for name in sys.modules if name.split(".")[0] in layers)
heavy = sorted({"sklearn", "scipy", "numba", "pyopencl", "pandas"} & set(sys.modules))
assert not bare, f"modules under bare names: {bare}"
assert not heavy, f"imported at start: {heavy}"
"""


# What numba compiles (something_native.py) is imported without it; what imports it is where it is
# about to run.
def test_importing_everything_gives_no_bare_name_and_no_heavy_library():
    names = sorted(
        name.removesuffix("/__init__.py").removesuffix(".py").replace("/", ".")
        for name in packaged_files()
        if name.endswith(".py")
        and not name.endswith(("/__main__.py", "native_intrinsics.py", "native_numba.py"))
    )
    assert "kcc.frontend" in names
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run(
        [sys.executable, "-P", "-W", "error", "-c", IMPORT_ALL, *names], check=True, env=environment
    )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel built from the tree."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    return built


def test_wheel_contents_equal_the_tree(wheel: Path):
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
        assert names == packaged_files()
        for name in names:
            assert archive.read(name) == (ROOT / name).read_bytes(), name
        (entry_points,) = (n for n in archive.namelist() if n.endswith("/entry_points.txt"))
        assert b"kcc = kcc.cli:main" in archive.read(entry_points)
        (licence,) = (n for n in archive.namelist() if n.endswith("/licenses/LICENSE"))
        assert archive.read(licence) == (ROOT / "LICENSE").read_bytes()


def test_wheel_runs_away_from_the_tree(wheel: Path, tmp_path: Path):
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")
    done = subprocess.run(
        [sys.executable, "-P", "-m", "kcc", "--version"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path / "site")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    assert done.returncode == 0
    assert done.stdout.startswith("kcc ")
