"""Code compiled before is run only if it is what it says and nobody else could write it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from kcc import cli
from kcc.base import cache_folder, native
from kcc.frontend import compile_source
from kcc.frontend.options import BuildOptions, SourceText
from kcc.tracegen import execute as engine

NOT_OURS = [(0o707, None), (0o722, None), (0o700, 12345)]
"""Modes and owners of folders that are not to be trusted."""

SCRIPT = """
import numpy as np
import pyopencl as cl
context = cl.create_some_context()
queue = cl.CommandQueue(context)
buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE, 256)
source = "kernel void k(global int *o) { o[get_global_id(0)] = 7; }"
for _ in range(2):
    cl.Program(context, source).build().k(queue, (64,), (64,), buffer)
"""


def answer(number: int, folder: Path) -> int:
    """What a kernel that stores ``number`` stores."""
    engine.forget_programs()
    text = f"kernel void k(global int *o) {{ o[get_global_id(0)] = {number}; }}"
    unit = compile_source(SourceText("k.cl", text, "."), BuildOptions())
    options = engine.ExecutionOptions(cache_dir=folder)
    launch = engine.NDRange((32,), (32,))
    done = engine.execute(unit, unit.kernels[0], launch, [np.zeros(32, np.int32)], options)
    return int(done.buffers[0][0])


def distrust(folder: Path, mode: int, owner: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.mkdir(exist_ok=True)
    folder.chmod(mode)
    if owner is not None and os.geteuid() == 0:
        os.chown(folder, owner, -1)
    elif owner is not None:  # others cannot give folders away: be somebody else
        monkeypatch.setattr("os.geteuid", lambda: owner)


def test_an_entry_in_place_of_another_is_compiled_anew(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    assert answer(111, folder) == 111
    (first,) = folder.iterdir()
    assert answer(222, folder) == 222
    (second,) = set(folder.iterdir()) - {first}
    shutil.copy(first, second)
    assert answer(222, folder) == 222
    assert first.read_bytes() != second.read_bytes()
    assert folder.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(("mode", "owner"), NOT_OURS)
def test_folders_of_others_are_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: int, owner: int | None
) -> None:
    folder = tmp_path / "cache"
    distrust(folder, mode, owner, monkeypatch)
    assert answer(5, folder) == 5
    assert list(folder.iterdir()) == []
    assert list(cache_folder.refused_folders()) == [folder]


def test_one_remark(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, script = tmp_path / "cache", tmp_path / "script.py"
    distrust(folder, 0o777, None, monkeypatch)
    monkeypatch.setenv("KCC_CACHE_DIR", str(folder))
    script.write_text(SCRIPT, encoding="utf-8")
    cache_folder.refused_folders()
    assert cli.main(["run", str(script)]) == 0
    shown = f"kcc: remark: '{folder}' can be written by other users: compiled code there is not"
    assert capsys.readouterr().err.count(shown) == 1


def double(number: int) -> int:
    return 2 * number


@pytest.mark.parametrize("ours", [True, False])
def test_the_folder_of_native_functions(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, *, ours: bool
) -> None:
    folder = tmp_path / "numba"
    distrust(folder, 0o700 if ours else 0o777, None, monkeypatch)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(folder))
    assert native.native(double)(4) == 8
    assert len(list(folder.iterdir())) == ours
